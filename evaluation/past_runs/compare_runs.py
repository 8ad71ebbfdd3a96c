"""Comparison of two runs: regressions, fixes, and changes in inputs and settings."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ...calibration.comparison.compare import compare
from ...calibration.comparison.comparison_results import Strata
from ...calibration.label_declarations import RANDOM_SAMPLES, LabelDeclaration, LabelsDeclaredBy
from ...calibration.pass_threshold import PassThreshold
from ...calibration.statistic import Statistic
from ...calibration.tables.table_files import table_from_rows
from ...errors import InputError, RunFolderError
from ...records import Author, ItemKey, Output, ShownNames, read_records
from ...records.json_text import encode_json
from ...records.made_scores import reaches
from ...records.result import Framed, ResultOnPage
from ...spelling import command
from ...tables.standing_labels import standing_labels
from ..labelling.label_choice import choice_of
from ..run_table import output_rows
from ..store.journal_rows import StoredVerdict, is_baseline
from ..store.known_items import part_test
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from ..tested_columns import ItemOf, with_tested_columns
from .changed_verdicts import ChangedVerdict, RepeatedCase, repeated_cases
from .run_changes import RunChange, what_changed

BEFORE, AFTER = "before", "after"
"""Names of the two runs in comparisons."""


class Difference(ResultOnPage, Framed, frozen=True, kw_only=True):
    """Comparison of two runs on the outputs that both have.

    ``to_frame`` has one row per output whose verdict changed.

    Attributes:
        outputs: Number of outputs in both runs.
        only_before: Number of outputs in the first run alone.
        only_after: Number of outputs in the second run alone.
        systems: Paired comparison of ``before`` and ``after`` for each common system, part by part.
        broke: Regressions: outputs that passed and now fail.
        better: Fixes: outputs that failed and now pass.
        graded_otherwise: Outputs with a score in one run only.
        not_compared: Number of outputs without a common checker or judge.
        changed: Recorded facts that differ between the runs.
        repeated: Cases with several trials in both runs, the largest loss first.
        compared_once: Number of compared outputs of cases that are not in ``repeated``.
        carried_labels: Number of changed outputs, if all their labels are the same in both runs.
        only_baseline: Outputs that are not compared, although the word overlap baseline graded them in both runs.
    """

    before: str
    after: str
    outputs: int
    only_before: int
    only_after: int
    systems: dict[str, Strata]
    broke: list[ChangedVerdict]
    better: list[ChangedVerdict]
    graded_otherwise: list[ChangedVerdict]
    not_compared: int
    changed: list[RunChange]
    repeated: list[RepeatedCase] = []
    compared_once: int = 0
    carried_labels: int = 0
    only_baseline: int = 0


def two_runs(before: RunStore, after: RunStore) -> Difference:
    """Compare two runs.

    Systems are matched by name; if each run has one system, these two are compared under any names.

    Raises:
        RunFolderError: One of them was not finished, or was changed by hand.
        InputError: They have no output in common.
    """
    manifests = before.finished(), after.finished()
    for store in (before, after):
        store.require_unedited()
    later_names = _later_names(*manifests)
    verdicts_before, verdicts_after = _verdicts_by_output(before, later_names), _verdicts_by_output(after, {})
    common = verdicts_before.keys() & verdicts_after.keys()
    if not common:
        raise InputError(
            f"{before.path} and {after.path} have no output in common: no case and system is in both; `{command('compare', before.path, after.path, by='system')}` compares systems"
        )
    pairs = {
        key: _comparable_verdicts(verdicts_before[key], verdicts_after[key])
        for key in verdicts_after
        if key in common
    }
    # Both runs get the later one's thresholds: a new threshold does not change what a system does, and is listed separately.
    thresholds = before.roster.thresholds | after.roster.thresholds
    compared_outputs = [
        _changed_verdict(key, pair, thresholds) for key, pair in pairs.items() if pair is not None
    ]
    repeated = repeated_cases(compared_outputs)
    repeated_keys = {(case.case_id, case.system) for case in repeated}
    return Difference(
        before=str(before.path),
        after=str(after.path),
        outputs=len(common),
        only_before=len(verdicts_before.keys() - common),
        only_after=len(verdicts_after.keys() - common),
        systems=dict(_strata(before, after, later_names, sorted({key.system for key in common}), thresholds)),
        broke=[
            verdict for verdict in compared_outputs if (verdict.before, verdict.after) == ("pass", "fail")
        ],
        better=[
            verdict for verdict in compared_outputs if (verdict.before, verdict.after) == ("fail", "pass")
        ],
        graded_otherwise=[
            verdict for verdict in compared_outputs if _is_scored(verdict.before) != _is_scored(verdict.after)
        ],
        not_compared=sum(pair is None for pair in pairs.values()),
        changed=list(what_changed(*manifests)),
        repeated=repeated,
        compared_once=sum(
            (verdict.case_id, verdict.system) not in repeated_keys for verdict in compared_outputs
        ),
        carried_labels=_count_carried_labels(before, after, later_names),
        only_baseline=sum(
            pair is None and verdicts_before[key].baseline and verdicts_after[key].baseline
            for key, pair in pairs.items()
        ),
    )


def corrected_differences(
    before: RunStore, after: RunStore, chosen_by: LabelDeclaration | None = None
) -> dict[str, Statistic]:
    """Return the rate after minus the rate before, by common system, where labels correct both.

    Baselines count, as in the rates of a run. ``chosen_by`` says how outputs were chosen for labels; by default the labels do.
    """
    later_names = _later_names(before.finished(), after.finished())
    names_before = {later_names.get(result.system, result.system) for result in before.manifest.results or []}
    common = sorted(names_before & {result.system for result in after.manifest.results or []})
    thresholds = before.roster.thresholds | after.roster.thresholds
    strata_by_system = dict(
        _strata(before, after, later_names, common, thresholds, chosen_by=chosen_by, with_baselines=True)
    )
    return {
        system: pair.difference
        for system, strata in strata_by_system.items()
        for pair in strata.all.pairs
        if pair.corrected and pair.a == AFTER
    }


def _is_scored(grade: str) -> bool:
    return grade in {"pass", "fail"}


def _later_names(before: Manifest, after: Manifest) -> dict[str, str]:
    """Map the earlier system's name to the later one, if each run has a single system."""
    systems_before, systems_after = (
        [result.system for result in manifest.results or []] for manifest in (before, after)
    )
    return {systems_before[0]: systems_after[0]} if len(systems_before) == len(systems_after) == 1 else {}


class _OutputVerdicts(NamedTuple):
    """Verdicts on an output: the deciding checker's, and the first repeat of each judge.

    ``baseline`` tells whether the word overlap baseline, which is no judge, graded it.
    """

    checker: StoredVerdict | None
    judges: dict[Author, StoredVerdict]
    baseline: bool = False


def _verdicts_by_output(store: RunStore, later_names: Mapping[str, str]) -> dict[ItemKey, _OutputVerdicts]:
    by_output: dict[ItemKey, _OutputVerdicts] = {}
    is_part = part_test(store.verdicts.standing, store.roster)
    for verdict in store.verdicts.standing:
        if is_part(verdict.key):  # a statement or criterion of an output
            continue
        key = verdict.key._replace(system=later_names.get(verdict.system, verdict.system))
        verdicts = by_output.setdefault(key, _OutputVerdicts(None, {}))
        if verdict.source == "checker" and verdict.outcome != "undecided":
            by_output[key] = verdicts._replace(checker=verdict)
        elif verdict.source == "judge" and is_baseline(verdict.author):
            by_output[key] = verdicts._replace(baseline=verdicts.baseline or verdict.score is not None)
        elif verdict.source == "judge" and verdict.repeat == 0:
            verdicts.judges[verdict.author] = verdict
    return by_output


def _comparable_verdicts(
    before: _OutputVerdicts, after: _OutputVerdicts
) -> tuple[StoredVerdict, StoredVerdict] | None:
    """Return the checkers' verdicts if both decided, else those of the first common judge.

    Returns:
        The verdicts, or None if no judge graded both outputs.
    """
    if before.checker is not None and after.checker is not None:
        return before.checker, after.checker
    for judge, verdict in before.judges.items():
        if judge in after.judges:
            return verdict, after.judges[judge]
    return None


def _changed_verdict(
    key: ItemKey, pair: tuple[StoredVerdict, StoredVerdict], thresholds: Mapping[Author, PassThreshold]
) -> ChangedVerdict:
    before, after = pair
    return ChangedVerdict(
        case_id=key.case_id,
        system=key.system,
        trial=key.trial,
        by=after.by,
        before=_grade(before, thresholds),
        after=_grade(after, thresholds),
        error_type=after.error_type or before.error_type,
    )


def _grade(verdict: StoredVerdict, thresholds: Mapping[Author, PassThreshold]) -> str:
    """Return ``pass`` or ``fail``, or why there is no score."""
    if verdict.score is None:
        return verdict.outcome
    threshold = thresholds.get(verdict.author, PassThreshold())
    return "pass" if reaches(verdict.score, threshold.at) else "fail"


def _strata(
    before: RunStore,
    after: RunStore,
    later_names: Mapping[str, str],
    systems: list[str],
    thresholds: Mapping[Author, PassThreshold],
    *,
    chosen_by: LabelDeclaration | None = None,
    with_baselines: bool = False,
) -> Iterator[tuple[str, Strata]]:
    """Yield each system's paired comparison of before and after, over the same items."""
    names = ShownNames()
    rows: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    for row in output_rows(before, names):
        _add_row(rows, row, later_names.get(row["system"], row["system"]), BEFORE)
    for row in output_rows(after, names):
        _add_row(rows, row, row["system"], AFTER)
    if not with_baselines:
        for row in chain.from_iterable(rows.values()):
            judge = names.judges.get(row["judge"])
            if judge is not None and judge.kind == "baseline":
                row["score"] = None
    declared = chosen_by or _common_choice(before, after)
    thresholds_by_name = {
        name: thresholds[judge] for name, judge in names.judges.items() if judge in thresholds
    }
    for system, rows_of_system in rows.items():
        table = table_from_rows(rows_of_system)
        table = replace(table, thresholds=thresholds_by_name, labels_chosen_by=declared)
        table = with_tested_columns(
            table, [before, after], item_of=_names_by_side(before, later_names, system)
        )
        strata = compare(table, by="system", against=AFTER).strata
        if strata is not None:
            yield system, strata


def _names_by_side(before: RunStore, later_names: Mapping[str, str], system: str) -> ItemOf:
    """Return a function that names a system's outputs like `_add_row`; other outputs get none."""

    def item_name(store: RunStore, key: ItemKey) -> str:
        side, system_name = (
            (BEFORE, later_names.get(key.system, key.system)) if store is before else (AFTER, key.system)
        )
        return str(key._replace(system=side)) if system_name == system else ""

    return item_name


def _common_choice(before: RunStore, after: RunStore) -> LabelsDeclaredBy | None:
    """Return how outputs were chosen for labels, if the labels of both runs agree on it."""
    choices: set[LabelsDeclaredBy | None] = {choice_of(store.labels) for store in (before, after)}
    if choices <= RANDOM_SAMPLES and len(choices) > 1:
        return "random"  # different kinds of random samples
    return choices.pop() if len(choices) == 1 else None


def _add_row(rows: Mapping[str, list[dict[str, Any]]], row: dict[str, Any], system: str, side: str) -> None:
    """Add a row of a common system, with the run's side in place of the system's name."""
    if system not in rows:
        return
    case_and_system, _, trial = row["item_id"].rpartition("|")
    case_id = case_and_system.removesuffix(f"|{row['system']}")
    row |= {"item_id": f"{case_id}|{side}|{trial}", "system": side}
    rows[system].append(row)


_LabelContent: TypeAlias = tuple[str, str, float | None, str | None]
"""Author, source, score and reason of a label."""


def _count_carried_labels(before: RunStore, after: RunStore, later_names: Mapping[str, str]) -> int:
    """Count outputs that changed between two runs although their labels did not.

    ``later_names`` maps earlier names of systems to later ones.

    Labels name an output, not its text. The count is 0 if the label of a changed output changed, since people then labelled the
    later answers. It is also 0 if the outputs can no longer be read.
    """
    labels_before, labels_after = _label_contents(before, later_names), _label_contents(after, {})
    common = labels_before.keys() & labels_after.keys()
    if not common:
        return 0
    try:
        texts_before, texts_after = (
            _content_hashes(before, later_names, common),
            _content_hashes(after, {}, common),
        )
    except RunFolderError:
        return 0
    changed_keys = [key for key in common if texts_before.get(key) != texts_after.get(key)]
    return len(changed_keys) if all(labels_before[key] == labels_after[key] for key in changed_keys) else 0


def _label_contents(store: RunStore, later_names: Mapping[str, str]) -> dict[ItemKey, _LabelContent]:
    return {
        _rename_system(key, later_names): (label.by, label.source, label.score, label.reason)
        for key, label in standing_labels(store.labels).items()
    }


def _content_hashes(
    store: RunStore, later_names: Mapping[str, str], keys: Container[ItemKey]
) -> dict[ItemKey, int]:
    """Return a hash, valid in this process, of each of these outputs without the system's name."""
    return {
        key: hash(encode_json(msgspec.structs.replace(output, system="")))
        for path in store.inputs.outputs
        for output in read_records(path, Output)
        if (key := _rename_system(output.key, later_names)) in keys
    }


def _rename_system(key: ItemKey, later_names: Mapping[str, str]) -> ItemKey:
    return key._replace(system=later_names.get(key.system, key.system))
