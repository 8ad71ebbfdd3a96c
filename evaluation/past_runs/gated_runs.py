"""Runs as a gate reads them: each system's outputs with their grades, missing ones included."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from operator import mul
from pathlib import Path, PurePath
from typing import NamedTuple

from ...calibration.chance_verdict import chance_verdict
from ...calibration.label_declarations import LabelDeclaration, LabelsDeclaredBy
from ...errors import InputError, RunFolderError
from ...records import Case, ItemKey, Output, read_records
from ...records.case_index import case_files
from ...records.json_text import encode_json
from ...records.output import last_text
from ...spelling import setting
from ..conclusion.run_results import DECIDED, StratumRate, SystemResult
from ..inputs import file_sha256
from ..labelling.label_choice import choice_of
from ..store.journal_rows import StoredVerdict
from ..store.known_items import part_test
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from .gated_judging import GatedOutput, JudgedTable, judged_table
from .judged_rubrics import verdicts_on_rubrics

_LONGEST = 300
"""Characters of an answer."""

_COPIES = "inputs"
"""Folder in a run's in which copies of its files of cases may lie, for another machine."""

_ROUNDING = 1e-9


class GatedRun(NamedTuple):
    """One run.

    Attributes:
        name: Its folder or file.
        systems: Outputs by system.
        missing: Number of further outputs by system that nothing was graded of.
        clusters: Cluster by case id; a case that is not listed is its own.
        judged: Table of judges' verdicts and labels, or None without a verdict of a judge.
        declared: How outputs were chosen for labels, as said to the gate.
        graded_by: Author whose grades count, if one was named.
        guessing: Judges that labels do not show to be better than chance, and what they show.
        failed: Number of calls that failed.
        cost: Dollars that the judges cost, or None if unknown.
        cases: Cases by id, or None if they cannot be read.
        manifest: The manifest; None of an imported file.
        store: The run folder; None of an imported file.
        records: Outputs of an imported file, for their texts.
    """

    name: str
    systems: dict[str, dict[ItemKey, GatedOutput]]
    missing: dict[str, int]
    clusters: Mapping[str, str] = {}
    judged: JudgedTable | None = None
    declared: LabelDeclaration | None = None
    graded_by: str | None = None
    guessing: Mapping[str, str] = {}
    failed: int = 0
    cost: float | None = None
    cases: Mapping[str, Case] | None = None
    manifest: Manifest | None = None
    store: RunStore | None = None
    records: Sequence[Output] = ()

    def answers(self, wanted: Collection[ItemKey]) -> dict[str, str]:
        """Return what was answered, cut, by the name of the output; nothing of files that are gone."""
        if not wanted:
            return {}
        try:
            files = () if self.store is None else self.store.inputs.outputs
        except RunFolderError:
            return {}
        read = chain(self.records, *(read_records(path, Output) for path in files))
        return {str(output.key): _said(output)[:_LONGEST] for output in read if output.key in wanted}

    def by_rubrics(self) -> dict[str, dict[ItemKey, GatedOutput]]:
        """Return the outputs with scores of rubrics; an import's as they are.

        Raises:
            InputError: No judge or several judges grade rubrics, or the named one does not.
        """
        if self.store is None:
            return self.systems
        known = {key.case_id for outputs in self.systems.values() for key in outputs}
        judges = verdicts_on_rubrics(self.store, known)
        names = ", ".join(judges)
        if not judges:
            raise InputError("no judge grades criteria: ask rubric/each or rubric/together", path=self.name)
        if self.graded_by is None and len(judges) > 1:
            named = setting("graded_by", next(iter(judges)))
            raise InputError(
                f"{len(judges)} judges grade rubrics: {names}; name one: {named}", path=self.name
            )
        judge = self.graded_by or names
        if judge not in judges:
            raise InputError(f"{judge} grades no rubrics; there are {names}", path=self.name)
        scores = {verdict.key: verdict.score for verdict in judges[judge]}
        return {
            system: {key: GatedOutput(scores.get(key), judge, judged=True) for key in outputs}
            for system, outputs in self.systems.items()
        }

    @property
    def chosen_by(self) -> LabelsDeclaredBy | None:
        """Declaration of how outputs were chosen for labels, or None if nothing says it."""
        return self.declared or (None if self.store is None else choice_of(self.store.labels))

    @property
    def graded(self) -> int:
        """Number of outputs with a grade."""
        return sum(
            output.score is not None for outputs in self.systems.values() for output in outputs.values()
        )


def gated_run(
    store: RunStore, declared: LabelDeclaration | None = None, graded_by: str | None = None
) -> GatedRun:
    """Read a finished run.

    Args:
        store: The run folder.
        declared: How outputs were chosen for labels; by default the labels say it.
        graded_by: The judge whose scores of rubrics count, if there are several.

    Raises:
        RunFolderError: It is not finished, was changed by hand, or its counts are not those of its verdicts.
    """
    manifest = store.finished()
    store.require_unedited()
    results = {result.system: result for result in manifest.results or []}
    systems: dict[str, dict[ItemKey, GatedOutput]] = {system: {} for system in results}
    graded: set[ItemKey] = set()
    is_part = part_test(store.verdicts.standing, store.roster)
    for verdict in store.verdicts.standing:
        if is_part(verdict.key):
            continue
        if verdict.graded:
            graded.add(verdict.key)
        known = systems.setdefault(verdict.system, {})
        if verdict.key not in known or _is_decision(verdict):
            known[verdict.key] = _as_graded(verdict)
    _require_same_counts(store, systems, results, len(graded))
    judged = judged_table(store, declared) if "judge" in store.verdicts.standing.sources else None
    if judged is not None:
        _count_judged(systems, judged)
    missing = _missing(store, systems, results)
    panels = {} if store.calibration is None else store.calibration.judges
    shown = {
        name: chance_verdict(panel.statistics.get("balanced_accuracy")) for name, panel in panels.items()
    }
    costs = [use.cost for use in manifest.judges or [] if use.calls]
    return GatedRun(
        name=str(store.path),
        systems=systems,
        missing=missing,
        clusters=store.clusters,
        judged=judged,
        declared=declared,
        graded_by=graded_by,
        guessing={name: each for name, each in shown.items() if each and each != "too few labels"},
        failed=0 if manifest.counts is None else manifest.counts.failed,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        cases=_cases(store),
        manifest=manifest,
        store=store,
    )


def _count_judged(systems: Mapping[str, dict[ItemKey, GatedOutput]], judged: JudgedTable) -> None:
    """Give outputs the scores that count in a judged run, where decisions pass or fail, too."""
    keys = {str(key): key for known in systems.values() for key in known}
    for name, score, by in judged.outputs():
        key = keys.get(name)
        if key is None:  # a part of an output
            continue
        was = systems[key.system][key]
        now = was._replace(score=score) if by is None else GatedOutput(score, by, judged=True)
        systems[key.system][key] = now


def _is_decision(verdict: StoredVerdict) -> bool:
    return verdict.source != "judge" and verdict.graded


def _said(output: Output) -> str:
    """Return the text of an output, else its calls, else its error."""
    text = last_text(output)
    if text:
        return text
    if output.tool_calls:
        return ", ".join(f"{call.name}({_arguments(call.arguments)})" for call in output.tool_calls)
    return output.error or ""


def _arguments(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else encode_json(arguments).decode("utf-8")


def _as_graded(verdict: StoredVerdict) -> GatedOutput:
    """Return a checker's verdict; a judge's counts as `judged_table` chooses among them."""
    if verdict.source == "judge":
        return GatedOutput(None, verdict.by, judged=True)
    return GatedOutput(verdict.score, verdict.by, judged=False, error_type=verdict.error_type)


def _missing(
    store: RunStore,
    systems: Mapping[str, Mapping[ItemKey, GatedOutput]],
    results: Mapping[str, SystemResult],
) -> dict[str, int]:
    """Return the number of outputs by system that have no verdict, or are not there.

    A run counts its outputs; those that no judge takes have no verdict. Where files no longer say whose they are, they count for every system.

    Raises:
        RunFolderError: The run counts fewer outputs than it has verdicts on.
    """
    missing = {name: max(0, _expected(each) - len(systems[name])) for name, each in results.items()}
    counts = store.manifest.counts
    if counts is None:
        return missing
    total = sum(map(len, systems.values())) + sum(missing.values())
    if counts.outputs < total:
        raise RunFolderError(f"{store.path}: it counts {counts.outputs:,} outputs, and has {total:,}")
    if counts.outputs == total:
        return missing
    try:
        outputs = [record.key for path in store.inputs.outputs for record in read_records(path, Output)]
    except RunFolderError:
        return {name: count + counts.outputs - total for name, count in missing.items()}
    unseen = Counter(key.system for key in outputs if key not in systems.get(key.system, {}))
    return {name: each.missing + unseen[name] for name, each in results.items()}


def _expected(result: SystemResult) -> int:
    """Return the number of outputs a system should have, missing ones included."""
    if result.overall is not None:
        decided = next((stratum for stratum in result.strata if stratum.name == DECIDED), None)
        return max(result.overall.of, 0 if decided is None else decided.of)
    return max((stratum.of for stratum in result.strata), default=result.missing)


def _require_same_counts(
    store: RunStore,
    systems: Mapping[str, Mapping[ItemKey, GatedOutput]],
    results: Mapping[str, SystemResult],
    graded: int,
) -> None:
    """Refuse a folder whose counts and verdicts disagree; nobody knows which is right."""
    counts = store.manifest.counts
    if systems.keys() != results.keys():
        raise RunFolderError(f"{store.path}: its results and its verdicts are of different systems")
    if counts is not None and counts.graded != graded:
        raise RunFolderError(
            f"{store.path}: it counts {counts.graded:,} graded outputs, and {graded:,} have a graded verdict"
        )
    for name, result in results.items():
        decided = next((stratum for stratum in result.strata if stratum.name == DECIDED), None)
        if decided is not None and decided.value is not None and not _is_rate_of(systems[name], decided):
            raise RunFolderError(
                f"{store.path}: the rate of {name} is not that of its verdicts; rerun the run's command"
            )


def _is_rate_of(outputs: Mapping[ItemKey, GatedOutput], decided: StratumRate) -> bool:
    """Return whether checkers' verdicts give this rate, where ``n_cases`` weighs by case."""
    trials = Counter(key.case_id for key in outputs)
    scores = {key: each.score for key, each in outputs.items() if not each.judged and each.score is not None}
    cases = {key.case_id for key in scores}
    of_trials = decided.trials
    if len(scores) != decided.n or decided.n_cases not in {None, len(cases)}:
        return False
    if of_trials is not None and of_trials.outputs != sum(trials[case] for case in cases):
        return False
    weights = [1.0 if decided.n_cases is None else 1.0 / trials[key.case_id] for key in scores]
    total = math.fsum(map(mul, weights, scores.values()))
    return abs(total - (decided.value or 0.0) * math.fsum(weights)) <= _ROUNDING * decided.n


def _cases(store: RunStore) -> dict[str, Case] | None:
    """Return a run's cases, if its files are unchanged or copies of them lie in its folder."""
    try:
        files = case_files(store.inputs.cases)
    except RunFolderError:
        copies = _copies(store)
        if copies is None:
            return None
        files = case_files(copies)
    return {case.id: case for path in files for case in read_records(path, Case)}


def _copies(store: RunStore) -> list[Path] | None:
    """Return the files of cases in the folder ``inputs``; None unless all are unchanged."""
    kept = (store.manifest.inputs or [])[: store.manifest.case_files or 1]
    folder = store.path
    if not kept or not isinstance(folder, Path):
        return None
    paths = [folder / _COPIES / PurePath(input_.path).name for input_ in kept]
    same = all(
        path.is_file() and file_sha256(path) == each.sha256 for path, each in zip(paths, kept, strict=True)
    )
    return paths if same else None
