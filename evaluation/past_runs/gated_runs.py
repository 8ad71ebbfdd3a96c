"""Read runs for a gate: each system's outputs with their grades, and how many are missing."""

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
from ...spelling import spelled_word
from ..conclusion.run_results import DECIDED, StratumRate, SystemResult
from ..inputs import file_sha256
from ..labelling.label_choice import choice_of
from ..store.journal_rows import StoredVerdict
from ..store.known_items import part_test
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from .gated_judging import GatedOutput, JudgedTable, judged_table
from .judged_rubrics import verdicts_on_rubrics

_MAX_ANSWER_LENGTH = 300
"""Characters of an answer that are shown."""

_COPIES_FOLDER = "inputs"
"""Subfolder of a run that may contain copies of its case files, for use on another machine."""

_ROUNDING = 1e-9
"""Rounding error per output, when a stored rate is compared with its verdicts."""


class GatedRun(NamedTuple):
    """Run folder or imported file, with a grade for each output.

    Attributes:
        name: Path of the folder or file.
        systems: Outputs by system.
        missing: Number of further outputs by system that have no verdict, or do not exist.
        clusters: Cluster by case id; a case that is not listed is its own.
        judged: Table of judges' verdicts and labels, or None without a verdict of a judge.
        declared: Declaration to the gate of how outputs were chosen for labels.
        graded_by: Author whose grades count, if one was named.
        guessing: Judges that labels do not show to be better than chance, with the finding.
        failed: Number of calls that failed.
        cost: Dollars that the judges cost, or None if unknown.
        cases: Cases by id, or None if they cannot be read.
        manifest: Manifest of the run folder; None for an imported file.
        store: The run folder; None for an imported file.
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
        """Return shortened answers by the name of the output; none if the files are gone."""
        if not wanted:
            return {}
        try:
            files = () if self.store is None else self.store.inputs.outputs
        except RunFolderError:
            return {}
        outputs = chain(self.records, *(read_records(path, Output) for path in files))
        return {
            str(output.key): _answer_text(output)[:_MAX_ANSWER_LENGTH]
            for output in outputs
            if output.key in wanted
        }

    def by_rubrics(self) -> dict[str, dict[ItemKey, GatedOutput]]:
        """Return the outputs with their rubric scores; outputs of an import stay as they are.

        Raises:
            InputError: No judge or several judges grade rubrics, or the named one does not.
        """
        if self.store is None:
            return self.systems
        case_ids = {key.case_id for outputs in self.systems.values() for key in outputs}
        judges = verdicts_on_rubrics(self.store, case_ids)
        names = ", ".join(judges)
        if not judges:
            raise InputError("no judge grades criteria: ask rubric/each or rubric/together", path=self.name)
        if self.graded_by is None and len(judges) > 1:
            option = spelled_word("graded_by", next(iter(judges)))
            raise InputError(
                f"{len(judges)} judges grade rubrics: {names}; name one: {option}", path=self.name
            )
        judge = self.graded_by or names  # without a named judge, there is one name
        if judge not in judges:
            raise InputError(f"{judge} grades no rubrics; there are {names}", path=self.name)
        scores = {verdict.key: verdict.score for verdict in judges[judge]}
        return {
            system: {key: GatedOutput(scores.get(key), judge, judged=True) for key in outputs}
            for system, outputs in self.systems.items()
        }

    @property
    def chosen_by(self) -> LabelsDeclaredBy | None:
        """Declaration of how outputs were chosen for labels, or None if undeclared."""
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
    graded_keys: set[ItemKey] = set()
    is_part = part_test(store.verdicts.standing, store.roster)
    for verdict in store.verdicts.standing:
        if is_part(verdict.key):  # a statement or criterion of an output
            continue
        if verdict.graded:
            graded_keys.add(verdict.key)
        outputs = systems.setdefault(verdict.system, {})
        if verdict.key not in outputs or _is_decision(verdict):
            outputs[verdict.key] = _gated_output(verdict)
    _require_same_counts(store, systems, results, len(graded_keys))
    judged_outputs = judged_table(store, declared) if "judge" in store.verdicts.standing.sources else None
    if judged_outputs is not None:
        _use_judged_scores(systems, judged_outputs)
    missing = _missing_outputs(store, systems, results)
    calibrations = {} if store.calibration is None else store.calibration.judges
    chance_findings = {
        name: chance_verdict(calibration.statistics.get("balanced_accuracy"))
        for name, calibration in calibrations.items()
    }
    return GatedRun(
        name=str(store.path),
        systems=systems,
        missing=missing,
        clusters=store.clusters,
        judged=judged_outputs,
        declared=declared,
        graded_by=graded_by,
        # Too few labels say nothing against a judge; see decision 42.
        guessing={
            name: finding
            for name, finding in chance_findings.items()
            if finding and finding != "too few labels"
        },
        failed=0 if manifest.counts is None else manifest.counts.failed,
        cost=manifest.spent.dollars if manifest.spent.calls else 0.0,
        cases=_read_cases(store),
        manifest=manifest,
        store=store,
    )


def _use_judged_scores(
    systems: Mapping[str, dict[ItemKey, GatedOutput]], judged_outputs: JudgedTable
) -> None:
    """Replace the scores by those that count in a judged run; checkers' scores become 1 or 0."""
    keys = {str(key): key for outputs in systems.values() for key in outputs}
    for name, score, by in judged_outputs.outputs():
        key = keys.get(name)
        if key is None:  # a part of an output
            continue
        earlier = systems[key.system][key]
        systems[key.system][key] = (
            earlier._replace(score=score) if by is None else GatedOutput(score, by, judged=True)
        )


def _is_decision(verdict: StoredVerdict) -> bool:
    return verdict.source != "judge" and verdict.graded


def _answer_text(output: Output) -> str:
    """Return the text of an output, else its calls, else its error."""
    text = last_text(output)
    if text:
        return text
    if output.tool_calls:
        return ", ".join(f"{call.name}({_arguments(call.arguments)})" for call in output.tool_calls)
    return output.error or ""


def _arguments(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else encode_json(arguments).decode("utf-8")


def _gated_output(verdict: StoredVerdict) -> GatedOutput:
    """Return a checker's grade; a judge's is filled in later by `_use_judged_scores`."""
    if verdict.source == "judge":
        return GatedOutput(None, verdict.by, judged=True)
    return GatedOutput(verdict.score, verdict.by, judged=False, error_type=verdict.error_type)


def _missing_outputs(
    store: RunStore,
    systems: Mapping[str, Mapping[ItemKey, GatedOutput]],
    results: Mapping[str, SystemResult],
) -> dict[str, int]:
    """Return the number of outputs by system that have no verdict, or do not exist.

    A run also counts outputs that no judge takes, and that have no verdict. If the files are gone, the systems of these outputs are
    unknown; then all of them count for every system.

    Raises:
        RunFolderError: The run counts fewer outputs than it has verdicts on.
    """
    missing = {
        name: max(0, _expected_outputs(result) - len(systems[name])) for name, result in results.items()
    }
    counts = store.manifest.counts
    if counts is None:
        return missing
    total = sum(map(len, systems.values())) + sum(missing.values())
    if counts.outputs < total:
        raise RunFolderError(f"{store.path}: it counts {counts.outputs:,} outputs, and has {total:,}")
    if counts.outputs == total:
        return missing
    try:
        keys = [record.key for path in store.inputs.outputs for record in read_records(path, Output)]
    except RunFolderError:
        return {name: count + counts.outputs - total for name, count in missing.items()}
    without_verdict = Counter(key.system for key in keys if key not in systems.get(key.system, {}))
    return {name: result.missing + without_verdict[name] for name, result in results.items()}


def _expected_outputs(result: SystemResult) -> int:
    """Return the number of outputs a system should have, missing ones included."""
    if result.overall is not None:
        decided_part = next((stratum for stratum in result.strata if stratum.name == DECIDED), None)
        return max(result.overall.of, 0 if decided_part is None else decided_part.of)
    return max((stratum.of for stratum in result.strata), default=result.missing)


def _require_same_counts(
    store: RunStore,
    systems: Mapping[str, Mapping[ItemKey, GatedOutput]],
    results: Mapping[str, SystemResult],
    graded_count: int,
) -> None:
    """Require that counts and verdicts agree; otherwise either may be wrong."""
    counts = store.manifest.counts
    if systems.keys() != results.keys():
        raise RunFolderError(f"{store.path}: its results and its verdicts are of different systems")
    if counts is not None and counts.graded != graded_count:
        raise RunFolderError(
            f"{store.path}: it counts {counts.graded:,} graded outputs, and {graded_count:,} have a graded verdict"
        )
    for name, result in results.items():
        decided_part = next((stratum for stratum in result.strata if stratum.name == DECIDED), None)
        if (
            decided_part is not None
            and decided_part.value is not None
            and not _rate_matches(systems[name], decided_part)
        ):
            raise RunFolderError(
                f"{store.path}: the rate of {name} is not that of its verdicts; rerun the run's command"
            )


def _rate_matches(outputs: Mapping[ItemKey, GatedOutput], decided_part: StratumRate) -> bool:
    """Return whether checkers' verdicts give this rate."""
    trials_by_case = Counter(key.case_id for key in outputs)
    scores = {
        key: output.score for key, output in outputs.items() if not output.judged and output.score is not None
    }
    cases = {key.case_id for key in scores}
    trials = decided_part.trials
    if len(scores) != decided_part.n or decided_part.n_cases not in {None, len(cases)}:
        return False
    if trials is not None and trials.outputs != sum(trials_by_case[case] for case in cases):
        return False
    # With `n_cases`, each case has weight 1, divided among its trials.
    weights = [1.0 if decided_part.n_cases is None else 1.0 / trials_by_case[key.case_id] for key in scores]
    total = math.fsum(map(mul, weights, scores.values()))
    return abs(total - (decided_part.value or 0.0) * math.fsum(weights)) <= _ROUNDING * decided_part.n


def _read_cases(store: RunStore) -> dict[str, Case] | None:
    """Return a run's cases from its files, else from copies in its folder, else None."""
    try:
        files = case_files(store.inputs.cases)
    except RunFolderError:
        copies = _unchanged_copies(store)
        if copies is None:
            return None
        files = case_files(copies)
    return {case.id: case for path in files for case in read_records(path, Case)}


def _unchanged_copies(store: RunStore) -> list[Path] | None:
    """Return the copied case files, or None unless all are unchanged."""
    inputs = (store.manifest.inputs or [])[: store.manifest.case_files or 1]
    folder = store.path
    if not inputs or not isinstance(folder, Path):
        return None
    paths = [folder / _COPIES_FOLDER / PurePath(file.path).name for file in inputs]
    unchanged = all(
        path.is_file() and file_sha256(path) == file.sha256 for path, file in zip(paths, inputs, strict=True)
    )
    return paths if unchanged else None


def cases_with_tag(run: GatedRun, tag: str, before: GatedRun | None = None) -> frozenset[str]:
    """Return the ids of the cases with a tag, in the run or in the earlier one.

    Raises:
        InputError: There are none, or the cases of the run cannot be read.
    """
    if run.cases is None:
        raise InputError(f"tag {tag!r} is in the cases, and they are gone or changed", path=run.name)
    case_ids = frozenset(_ids_with_tag(run.cases, tag))
    if before is not None and before.cases is not None:
        case_ids |= frozenset(_ids_with_tag(before.cases, tag))
    if not case_ids:
        raise InputError(f"no case has the tag {tag!r}", path=run.name)
    return case_ids


def _has_tag(case: Case, tag: str) -> bool:
    """Return whether a case has a tag, given as a name, ``safety``, or a value, ``risk=high``."""
    name, equals, wanted_value = tag.partition("=")
    if name not in case.tags:
        return False
    value = case.tags[name]
    text = str(value).lower() if isinstance(value, bool) else str(value)  # true as in JSON
    return text == wanted_value if equals else value not in {False, None}


def _ids_with_tag(cases: Mapping[str, Case], tag: str) -> Sequence[str]:
    return [case_id for case_id, case in cases.items() if _has_tag(case, tag)]
