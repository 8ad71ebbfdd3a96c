"""Run history: rates over time, changes from run to run, and judges that drifted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from ...calibration.arrays import FloatArray, cluster_numbers
from ...calibration.monitoring.drift import first_drop, paired_drops
from ...calibration.monitoring.look_levels import look_levels
from ...calibration.pass_threshold import PassThreshold
from ...calibration.statistic import Statistic
from ...errors import EditedRunError, InputError, RunFolderError
from ...records import Author, JudgeId
from ...records.made_scores import reaches
from ...records.result import Framed, ResultOnPage
from ..conclusion.run_results import DECIDED, OPEN, ResultStruct, SystemResult
from ..run_table import run_rows
from ..store.manifest import JudgeRecord, Manifest
from ..store.run_store import RunStore
from .run_changes import RunChange, what_changed

_ALPHA = 0.05
"""Chance of a false drift alarm of a judge, over all its runs."""

ALL_OUTPUTS, CHECKED = "all outputs", "checkers decided"
"""Names of two parts of a run's outputs."""


class PastRun(ResultStruct, frozen=True, kw_only=True):
    """A finished run in a history.

    Attributes:
        systems: Rates by system and part: all outputs, checked ones, and undecided ones by each judge. Judges' rates are corrected if there are labels that are declared a random sample.
        accuracy: Accuracy of each judge against the labels, by name.
    """

    name: str
    ended: str
    systems: dict[str, dict[str, Statistic]]
    accuracy: dict[str, Statistic]
    changed: list[RunChange] = []


class Drift(ResultStruct, frozen=True, kw_only=True):
    """Judge drift: lower accuracy than in the judge's first run, on the same outputs.

    Attributes:
        run: The first run in which drift is found.
        since: The judge's first run, which later ones are compared with.
        drop: Drop in the judge's accuracy, over the runs up to this one.
        p: p-value of the hypothesis that accuracy did not drop.
        level: Significance level at this run, chosen so that false alarms over any number of runs stay below 5 %.
        n: Number of labelled outputs in the first run.
    """

    judge: str
    run: str
    since: str
    drop: float
    p: float
    level: float
    n: int


class History(ResultOnPage, Framed, frozen=True, kw_only=True):
    """Finished runs of a folder, oldest first, with judges that drifted.

    ``to_frame`` has one row per run, system and part.

    Attributes:
        passed_over: Folders without a finished run, and damaged runs, with the reason.
        rejudged: Number of labelled outputs that a judge graded anew in a later run, by judge; with 0, drift is unknown.
    """

    folder: str
    runs: list[PastRun]
    passed_over: dict[str, str] = {}
    drifts: list[Drift] = []
    rejudged: dict[str, int] = {}


class _FinishedRun(NamedTuple):
    """A finished run of the folder: its files, and its entry in the history."""

    path: Path
    manifest: Manifest
    entry: PastRun


def read_history(folder: Path) -> History:
    """Read the finished runs in a folder.

    Raises:
        InputError: There is none.
        EditedRunError: A run was edited by hand.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as error:
        raise InputError(
            f"cannot be read as a folder of runs: {error.strerror or error}", path=folder
        ) from error
    finished: list[_FinishedRun] = []
    passed_over: dict[str, str] = {}
    for path in paths:
        try:
            manifest = _require_finished(path)
            finished.append(_FinishedRun(path, manifest, _past_run(path, manifest)))
        except (RunFolderError, InputError) as error:
            passed_over[path.name] = str(error)
    grades_by_run = _grades_by_run(finished, passed_over)
    finished = [run for run in finished if run.path.name not in passed_over]
    if not finished:
        first = next((f" ({name}: {reason})" for name, reason in passed_over.items()), "")
        raise InputError(
            f"there is no finished run in it{first}; give the folder whose subfolders are runs", path=folder
        )
    finished.sort(key=lambda run: (run.entry.ended, run.path.name))
    runs = [run.entry for run in finished]
    for number, (before, after) in enumerate(pairwise(run.manifest for run in finished), start=1):
        runs[number] = replace(runs[number], changed=list(what_changed(before, after)))
    watched = [
        _watch_judge(
            judge,
            {run.entry.name: grades_by_run.get(run.path, {}).get(judge.id, {}) for run in runs_of_judge},
        )
        for judge, runs_of_judge in _runs_by_judge(finished)
    ]
    rejudged = Counter[str]()
    for watched_judge in watched:
        rejudged[watched_judge.judge] += watched_judge.rejudged
    return History(
        folder=str(folder),
        runs=runs,
        passed_over=passed_over,
        drifts=[watched_judge.drift for watched_judge in watched if watched_judge.drift is not None],
        rejudged=dict(rejudged),
    )


def _require_finished(path: Path) -> Manifest:
    manifest = RunStore(path).finished()
    if "audit_of" in manifest.identity:
        raise RunFolderError("an audit's probes are no sample of what systems do")
    return manifest


def _past_run(path: Path, manifest: Manifest) -> PastRun:
    calibration = RunStore(path).calibration
    calibrations = {} if calibration is None else calibration.judges
    return PastRun(
        name=path.name,
        ended=manifest.ended or "",
        systems={result.system: _rates(result) for result in manifest.results or []},
        accuracy={
            name: judge_calibration.statistics["accuracy"]
            for name, judge_calibration in calibrations.items()
            if "accuracy" in judge_calibration.statistics
        },
    )


def _rates(result: SystemResult) -> dict[str, Statistic]:
    """Return the rate of all outputs, of the checked ones, and of the rest by each judge."""
    judges_with_corrected_rate = {part.by for part in result.strata if part.corrects}
    # If checkers decided all, the rate of all outputs would only repeat that of the checked ones.
    overall = result.overall if any(part.name != DECIDED for part in result.strata) else None
    rates: dict[str, Statistic] = {} if overall is None or overall.value is None else {ALL_OUTPUTS: overall}
    return rates | {
        CHECKED if part.name == DECIDED else f"{part.name}, by {part.by}": part
        for part in result.strata
        if part.name == DECIDED
        or part.corrects
        or (part.name == OPEN and part.by not in judges_with_corrected_rate)
    }


class _Grade(NamedTuple):
    """A judge's score of a labelled output, and the label."""

    score: float
    label: float
    cluster: str
    from_cache: bool

    def agrees(self, threshold: PassThreshold) -> bool:
        return reaches(self.score, threshold.at) == reaches(self.label, threshold.at)


_Grades: TypeAlias = Mapping[JudgeId, Mapping[str, _Grade]]
"""Grades of one run, by judge and item."""


def _read_grades(path: Path, judges: Container[Author]) -> _Grades:
    """Read the grades that these judges gave labelled outputs of a run."""
    grades: dict[JudgeId, dict[str, _Grade]] = defaultdict(dict)
    with RunStore(path) as store:
        store.require_unedited()
        verdicts = {
            (verdict.by, str(verdict.key)): verdict
            for verdict in store.judge_verdicts()
            if verdict.author in judges and verdict.repeat == 0
        }
        for row in run_rows(store) if verdicts else ():
            verdict = verdicts.get((row["judge"], row["item_id"])) if row["repeat"] == 0 else None
            if verdict is None or verdict.score is None or row["label"] is None:
                continue
            assert isinstance(verdict.author, JudgeId)
            from_cache = verdict.spent is not None and verdict.spent.cached > 0
            grades[verdict.author][row["item_id"]] = _Grade(
                verdict.score, row["label"], row["cluster"], from_cache
            )
    return grades


class _RunsOfJudge(NamedTuple):
    """Runs in which a judge graded the same outputs, oldest first."""

    judge: JudgeRecord
    runs: list[_FinishedRun]


def _runs_by_judge(runs: Iterable[_FinishedRun]) -> list[_RunsOfJudge]:
    """Group runs by inputs and prompt judge, where a changed judge is a new one."""
    groups: dict[tuple[str, JudgeId], _RunsOfJudge] = {}
    for run in runs:
        for judge in run.manifest.roster:
            if judge.is_prompt:
                key = str(run.manifest.identity.get("inputs")), judge.id
                runs_of_judge = groups[key].runs if key in groups else []
                groups[key] = _RunsOfJudge(judge, [*runs_of_judge, run])
    return list(groups.values())


def _grades_by_run(runs: Iterable[_FinishedRun], passed_over: dict[str, str]) -> dict[Path, _Grades]:
    """Read the grades of judges that graded the same outputs in several runs.

    Damaged runs are added to ``passed_over``, with the reason.

    Raises:
        EditedRunError: A run was edited by hand.
    """
    judges_of_run: dict[Path, set[Author]] = defaultdict(set)
    for judge, runs_of_judge in _runs_by_judge(runs):
        if len(runs_of_judge) > 1:
            for run in runs_of_judge:
                judges_of_run[run.path].add(judge.id)
    grades: dict[Path, _Grades] = {}
    for path, judges in judges_of_run.items():
        try:
            grades[path] = _read_grades(path, judges)
        except EditedRunError:  # refused, not passed over like other damage
            raise
        except (RunFolderError, InputError) as error:
            passed_over[path.name] = str(error)
    return grades


class _WatchedJudge(NamedTuple):
    """Drift check of a judge over the runs in which it graded the same outputs.

    Attributes:
        judge: Name of the judge.
        rejudged: Number of labelled outputs of its first run that it graded anew in a later one.
        drift: The drift, or None if none is found.
    """

    judge: str
    rejudged: int = 0
    drift: Drift | None = None


def _watch_judge(judge: JudgeRecord, grades: Mapping[str, Mapping[str, _Grade]]) -> _WatchedJudge:
    """Test a judge for drift, given its grades by run and item, oldest run first."""
    (since, first_grades), *later_runs = grades.items()
    later_agreements: list[FloatArray] = []
    for _, later_grades in later_runs:
        # A cached reply is no new evidence about the model.
        fresh_grades = {item: grade for item, grade in later_grades.items() if not grade.from_cache}
        later_agreements.append(
            np.array(
                [
                    fresh_grades[item].agrees(judge.threshold) if item in fresh_grades else np.nan
                    for item in first_grades
                ]
            )
        )
    rejudged = int(np.isfinite(later_agreements).any(axis=0).sum()) if later_agreements else 0
    if not rejudged:
        return _WatchedJudge(judge.by)
    first_agreements = np.array([float(grade.agrees(judge.threshold)) for grade in first_grades.values()])
    drops, p = paired_drops(
        first_agreements, later_agreements, cluster_numbers(grade.cluster for grade in first_grades.values())
    )
    levels = look_levels(len(p), _ALPHA)  # the levels of all later runs share the 5 %
    run_index = first_drop(p, levels)
    if run_index is None:
        return _WatchedJudge(judge.by, rejudged)
    drift = Drift(
        judge=judge.by,
        run=later_runs[run_index][0],
        since=since,
        drop=float(drops[run_index]),
        p=float(p[run_index]),
        level=float(levels[run_index]),
        n=len(first_grades),
    )
    return _WatchedJudge(judge.by, rejudged, drift)
