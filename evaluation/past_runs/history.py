"""Run history: rates over time, changes from run to run, and judges that drifted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...calibration.arrays import FloatArray, cluster_numbers
from ...calibration.monitoring.drift import first_drop, paired_drops
from ...calibration.monitoring.look_levels import look_levels
from ...calibration.pass_threshold import PassThreshold
from ...calibration.statistic import Statistic
from ...errors import InputError, RunFolderError
from ...records import JudgeId
from ..conclusion.run_results import CORRECTED, DECIDED, OPEN, ResultStruct, SystemResult
from ..run_table import run_rows
from ..store.journal_rows import StoredVerdict
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from .compare_runs import Changed, what_changed

_ALPHA = 0.05

ALL_OUTPUTS, CHECKED = "all outputs", "checkers decided"
"""Names of two parts: all outputs of a run, and those that checkers decided."""


class PastRun(ResultStruct, frozen=True, kw_only=True):
    """A finished run in a history.

    Attributes:
        systems: Rates by system and part: all outputs, checked ones, and undecided ones by each judge, corrected if there are labels.
        accuracy: Accuracy of each judge against the labels, by name.
    """

    name: str
    ended: str
    systems: dict[str, dict[str, Statistic]]
    accuracy: dict[str, Statistic]
    changed: list[Changed] = []


class Drift(ResultStruct, frozen=True, kw_only=True):
    """Judge drift: the judge is right less often than in its first run, on the same outputs.

    Attributes:
        run: The first run in which drift is found.
        since: The judge's first run, which later ones are compared with.
        drop: Drop in the judge's accuracy, over the runs up to this one.
        p: p-value of no drop.
        level: Largest p-value that counts as drift at this run, for 5 % false alarms over all runs, however many there will be.
        n: Number of labelled outputs in the first run.
    """

    judge: str
    run: str
    since: str
    drop: float
    p: float
    level: float
    n: int


class HistoryNumbers(ResultStruct, frozen=True, kw_only=True):
    """Finished runs of a folder, oldest first, with judges that drifted.

    Folders that are not finished runs are listed with the reason.

    Attributes:
        rejudged: Number of labelled outputs that a judge graded anew in a later run, by judge; at 0, drift is unknown.
    """

    folder: str
    runs: list[PastRun]
    passed_over: dict[str, str] = {}
    drifts: list[Drift] = []
    rejudged: dict[str, int] = {}


def read_history(folder: Path) -> HistoryNumbers:
    """Read the finished runs in a folder; InputError if there is none."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as error:
        raise InputError(
            f"cannot be read as a folder of runs: {error.strerror or error}", path=folder
        ) from error
    finished: list[tuple[Path, Manifest]] = []
    passed_over: dict[str, str] = {}
    for path in paths:
        try:
            finished.append((path, _finished(path)))
        except RunFolderError as error:
            passed_over[path.name] = str(error)
    if not finished:
        raise InputError(
            "there is no finished run in it: give the folder whose subfolders are runs", path=folder
        )
    finished.sort(key=lambda pair: (pair[1].ended or "", pair[0].name))
    runs = [_past(path, manifest) for path, manifest in finished]
    for number, (before, now) in enumerate(pairwise(manifest for _, manifest in finished), start=1):
        runs[number] = replace(runs[number], changed=list(what_changed(before, now)))
    watched = list(_watched(finished))
    rejudged = Counter[str]()
    for each in watched:
        rejudged[each.judge] += each.rejudged
    return HistoryNumbers(
        folder=str(folder),
        runs=runs,
        passed_over=passed_over,
        drifts=[each.drift for each in watched if each.drift is not None],
        rejudged=dict(rejudged),
    )


def _finished(path: Path) -> Manifest:
    manifest = RunStore(path).finished()
    if "audit_of" in manifest.identity:
        raise RunFolderError("an audit's probes are no sample of what systems do")
    return manifest


def _past(path: Path, manifest: Manifest) -> PastRun:
    calibration = RunStore(path).calibration
    panels = {} if calibration is None else calibration.judges
    return PastRun(
        name=path.name,
        ended=manifest.ended or "",
        systems={result.system: _rates(result) for result in manifest.results or []},
        accuracy={
            name: panel.statistics["accuracy"]
            for name, panel in panels.items()
            if "accuracy" in panel.statistics
        },
    )


def _rates(result: SystemResult) -> dict[str, Statistic]:
    """Return the rate of all outputs, of the checked ones, and of the rest by each judge."""
    corrected = {part.by for part in result.strata if part.name == CORRECTED}
    whole = result.overall if any(part.name != DECIDED for part in result.strata) else None
    rates: dict[str, Statistic] = {} if whole is None or whole.value is None else {ALL_OUTPUTS: whole}
    return rates | {
        CHECKED if part.name == DECIDED else f"{part.name}, by {part.by}": part
        for part in result.strata
        if part.name in {DECIDED, CORRECTED} or (part.name == OPEN and part.by not in corrected)
    }


class _Watched(NamedTuple):
    """A judge on the same outputs over runs.

    Attributes:
        judge: Its name.
        rejudged: Number of labelled outputs of its first run that it graded anew in a later one.
        drift: Its drift; None if none is found.
    """

    judge: str
    rejudged: int = 0
    drift: Drift | None = None


def _watched(runs: Sequence[tuple[Path, Manifest]]) -> Iterator[_Watched]:
    """Yield each judge with its runs on the same outputs.

    A judge that changed is another judge, so it has not drifted.
    """
    same: dict[tuple[str, JudgeId], list[Path]] = defaultdict(list)
    names: dict[JudgeId, str] = {}
    thresholds: dict[JudgeId, PassThreshold] = {}
    for path, manifest in runs:
        for enlisted in manifest.roster:
            if enlisted.is_prompt:
                same[str(manifest.identity.get("inputs")), enlisted.id].append(path)
                names[enlisted.id], thresholds[enlisted.id] = enlisted.by, enlisted.threshold
    for (_, judge), paths in same.items():
        if len(paths) > 1:
            yield _watch(judge, names[judge], thresholds[judge], paths)
        else:
            yield _Watched(names[judge])


def _watch(judge: JudgeId, name: str, threshold: PassThreshold, paths: Sequence[Path]) -> _Watched:
    first = _rightness(paths[0], judge, threshold, anew=False)
    later = [_rightness(path, judge, threshold, anew=True) for path in paths[1:]]
    items = list(first)
    looks: list[FloatArray] = [
        np.array([look.get(item, (np.nan, ""))[0] for item in items]) for look in later
    ]
    right = np.array([first[item][0] for item in items])
    rejudged = sum(any(item in look for look in later) for item in items)
    if not rejudged:
        return _Watched(name)
    drops, p = paired_drops(right, looks, cluster_numbers(first[item][1] for item in items))
    levels = look_levels(len(p), _ALPHA)
    at = first_drop(p, levels)
    if at is None:
        return _Watched(name, rejudged)
    drift = Drift(
        judge=name,
        run=paths[at + 1].name,
        since=paths[0].name,
        drop=float(drops[at]),
        p=float(p[at]),
        level=float(levels[at]),
        n=len(items),
    )
    return _Watched(name, rejudged, drift)


def _rightness(
    path: Path, judge: JudgeId, threshold: PassThreshold, *, anew: bool
) -> dict[str, tuple[float, str]]:
    """Return by labelled item whether the judge was right, and the item's cluster.

    With ``anew``, replies from a cache or a recording are skipped.
    """
    rightness: dict[str, tuple[float, str]] = {}
    with RunStore(path) as store:
        store.refuse_edited()
        verdicts = [each for each in store.verdicts.standing if each.author == judge and each.repeat == 0]
        if not verdicts:
            return rightness
        names = {each.by for each in verdicts}
        items = {str(each.key) for each in verdicts if not (anew and _is_cached(each))}
        for row in run_rows(store):
            item, score, label = row["item_id"], row["score"], row["label"]
            is_of_judge = row["judge"] in names and row["repeat"] == 0 and item in items
            if is_of_judge and score is not None and label is not None:
                right = (score >= threshold.at) == (label >= threshold.at)
                rightness[item] = (float(right), row["cluster"])
    return rightness


def _is_cached(verdict: StoredVerdict) -> bool:
    return verdict.spent is not None and verdict.spent.cached > 0
