"""Outputs of each system: decisions, judge verdicts of undecided outputs, and labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...records.made_scores import reaches
from ...records.score_kinds import PROBABILITIES
from ..arrays import BoolArray, FloatArray, IntArray, first_known
from ..case_weights import case_weights
from ..pass_threshold import HALF
from ..row_weights import weighted_mean
from ..tables.calibration_table import DECIDED, DECIDED_BY, FAILED, Table
from .comparison_results import BY_LABEL, Right
from .shared_tasks import clusters_of_cases, tasks_of

MIN_LABELS = 2
"""Minimum number of labels of a system that correct its rate; a single one has no spread."""


class SystemOutputs(NamedTuple):
    """Outputs of one system; arrays of shape ``(n,)`` except those of judges.

    Values are 1 for a pass, 0 for a fail, NaN if unknown.

    Attributes:
        task: Number of the case and trial that the output is for; ascending, without duplicates.
        case: Number of the case.
        trials: Number of the system's outputs for the case.
        item: Item number.
        cluster: Cluster number, the same for all systems' outputs for a task.
        decided: Decision; NaN for an undecided output.
        verdicts: Verdict of each judge, shape ``(judges, n)``; declared probabilities are kept as they are.
        passes: Verdict of each judge at its threshold, probabilities too, shape ``(judges, n)``.
        labels: Label of an undecided output at each judge's threshold, shape ``(judges, n)``.
        row: Number of the output's first row in the table.
        failed: Whether there is no verdict because calls failed, by judge and last for all judges together, shape
            ``(judges + 1, n)``, or None if no call failed.
    """

    task: IntArray
    case: IntArray
    trials: IntArray
    item: IntArray
    cluster: IntArray
    decided: FloatArray
    verdicts: FloatArray
    passes: FloatArray
    labels: FloatArray
    row: IntArray
    failed: BoolArray | None = None

    @property
    def is_undecided(self) -> BoolArray:
        """Mask of the undecided outputs."""
        return np.isnan(self.decided)

    def take(self, rows: BoolArray | IntArray) -> SystemOutputs:
        """Return the selected outputs."""
        return SystemOutputs._make(None if column is None else column[..., rows] for column in self)


class AllOutputs(NamedTuple):
    """Outputs of all systems.

    Attributes:
        systems: Outputs by system.
        decided_by: Authors of decisions: names of checkers, or ``label``.
        judges: Judges of undecided outputs, in the order of the rows of ``verdicts``. Juries come first and
            baselines last; others are in the table's order of preference, then by number of outputs.
        repeats: Number of verdicts beyond a judge's first on an output, which are not used; by judge.
        table: The table of the outputs, if any.
    """

    systems: dict[str, SystemOutputs]
    decided_by: list[str]
    judges: list[str]
    repeats: dict[str, int]
    table: Table | None = None


def outputs_of(table: Table, right: Right | None) -> AllOutputs:
    """Return the outputs of the systems of a table.

    In a table with the column ``checker_score``, that column has the decisions, and labels of other outputs
    correct the judges. In any other table labels are the decisions. If ``right`` is ``score``, decisions and
    labels are ignored; if it is ``label``, judges are.
    """
    table = table.take(table.columns["system"].codes >= 0)
    system = table.columns["system"]
    tasks = tasks_of(table)
    _, first_row, output = np.unique(
        tasks.task * len(system.values) + system.codes, return_index=True, return_inverse=True
    )
    decided = first_known(_decisions(table, right), output, len(first_row))
    judges, (verdicts, passes), repeats = _verdicts(table, output, np.isnan(decided))
    if right == "label":
        judges, verdicts, passes = [], verdicts[:0], passes[:0]
    thresholds = np.array([table.threshold_of(judge).at for judge in judges])
    label = np.full(len(first_row), np.nan)
    # Without the column `checker_score`, labels are the decisions.
    if right is None and DECIDED in table.numbers:
        label = np.where(np.isnan(decided), first_known(table.label, output, len(first_row)), np.nan)
    # If `right` restricts the comparison, ungraded outputs do not count; in strata they do.
    is_graded: BoolArray = np.isfinite([decided, *verdicts])
    is_counted = (
        np.ones(len(first_row), np.bool_) if right is None else np.logical_or.reduce(is_graded, axis=0)
    )
    system_codes, case = system.codes[first_row], tasks.case[first_row]
    case_of_system = case * len(system.values) + system_codes
    outputs = SystemOutputs(
        task=tasks.task[first_row],
        case=case,
        trials=_numbers_of_trials(case_of_system, is_counted),
        item=table.item.codes[first_row].astype(np.int64),
        cluster=clusters_of_cases(table, tasks)[first_row],
        decided=decided,
        verdicts=verdicts,
        passes=passes,
        labels=_passes(label, thresholds[:, None]),
        row=first_row,
        failed=_failed_calls(table, output, judges),
    )
    systems = {
        name: outputs.take((system_codes == code) & is_counted) for code, name in enumerate(system.values)
    }
    with_outputs = {
        name: system_outputs for name, system_outputs in systems.items() if len(system_outputs.task)
    }
    return AllOutputs(with_outputs, _deciders(table), judges, repeats, table)


def _numbers_of_trials(case_of_system: IntArray, is_counted: BoolArray) -> IntArray:
    """Return, for each output, how many outputs of its case and system count, shape ``(n,)``."""
    number = np.unique(case_of_system, return_inverse=True)[1]
    return np.bincount(number, weights=is_counted)[number].astype(np.int64)


def _decisions(table: Table, right: Right | None) -> FloatArray:
    """Return the decision on each row; NaN where undecided."""
    if right == "score":
        return np.full(len(table), np.nan)
    if right == "label" or DECIDED not in table.numbers:
        return _passes(table.label, table.threshold)
    return _passes(table.numbers[DECIDED], HALF)


def _deciders(table: Table) -> list[str]:
    if DECIDED not in table.numbers:
        return [BY_LABEL]
    column = table.columns.get(DECIDED_BY)
    return [DECIDED_BY] if column is None else [name for name, _ in column.present()]


def _verdicts(
    table: Table, output: IntArray, is_undecided: BoolArray
) -> tuple[list[str], tuple[FloatArray, FloatArray], dict[str, int]]:
    """Return the judges of undecided outputs, their first verdicts, and numbers of further ones.

    Verdicts are returned with probabilities as they are, and as passes at each judge's threshold; both have shape
    ``(judges, n)``.
    """
    row_passes, n_outputs = _passes(table.score, table.threshold), len(is_undecided)
    verdicts, passes = dict[str, FloatArray](), dict[str, FloatArray]()
    repeats: dict[str, int] = {}
    for judge, rows in table.judge.present():
        judge_passes = first_known(row_passes[rows], output[rows], n_outputs)
        if not np.isfinite(judge_passes[is_undecided]).any():
            continue
        passes[judge] = verdicts[judge] = judge_passes
        if table.score_kind_of(judge) == PROBABILITIES:
            verdicts[judge] = first_known(table.score[rows], output[rows], n_outputs)
        n_repeats = int(np.isfinite(row_passes[rows]).sum()) - int(np.isfinite(judge_passes).sum())
        if n_repeats:
            repeats[judge] = n_repeats
    preference = {judge: number for number, judge in enumerate(table.preferred)}

    def sort_key(judge: str) -> tuple[int, int, int]:
        n_judged = int(np.isfinite(passes[judge][is_undecided]).sum())
        return _kind_rank(table, judge), preference.get(judge, len(preference)), -n_judged

    judges = sorted(passes, key=sort_key)
    if not judges:
        no_verdicts = np.empty((0, n_outputs))
        return judges, (no_verdicts, no_verdicts), repeats
    all_verdicts, all_passes = (
        np.stack([by_judge[judge] for judge in judges]) for by_judge in (verdicts, passes)
    )
    return judges, (all_verdicts, all_passes), repeats


def _failed_calls(table: Table, output: IntArray, judges: list[str]) -> BoolArray | None:
    """Return a mask of outputs without a verdict because calls failed, as in `SystemOutputs`."""
    if FAILED not in table.numbers:
        return None
    failed, n_outputs = np.isfinite(table.numbers[FAILED]), int(output.max(initial=-1)) + 1
    rows_of = table.judge.rows()

    def all_failed(rows: IntArray) -> BoolArray:
        n_asked = np.bincount(output[rows], minlength=n_outputs)
        n_failed = np.bincount(output[rows], weights=failed[rows], minlength=n_outputs)
        return (n_asked > 0) & (n_failed == n_asked)

    return np.stack([*(all_failed(rows_of[judge]) for judge in judges), all_failed(np.arange(len(output)))])


def _kind_rank(table: Table, judge: str) -> int:
    """Return the rank of a judge's kind: juries, judges of whole answers, others, baselines."""
    kind = table.judges[judge].kind if judge in table.judges else None
    return {"jury": 0, "share": 1, "criteria": 1, "baseline": 3}.get(kind or "", 2)


def _passes(values: FloatArray, threshold: FloatArray | float) -> FloatArray:
    return np.where(np.isnan(values), np.nan, reaches(values, threshold))


class Graded(NamedTuple):
    """One system's outputs in one stratum, each array of shape ``(n,)``.

    Attributes:
        task: Number of the case and trial; ascending.
        case: Number of the case.
        trials: Number of the system's outputs for the case, in all strata.
        item: Item number.
        cluster: Cluster number.
        result: 1 for a pass, 0 for a fail, or the declared probability of a pass; NaN if ungraded.
        passes: The result at the judge's threshold.
        is_undecided: Whether no checker or label decided the output, so that the result is a judge's.
        label: Label of an undecided output, as 1 or 0; NaN without one.
        row: Number of the output's first row in the table.
        failed: Whether there is no result because calls failed, or None if no call failed.
    """

    task: IntArray
    case: IntArray
    trials: IntArray
    item: IntArray
    cluster: IntArray
    result: FloatArray
    passes: FloatArray
    is_undecided: BoolArray
    label: FloatArray
    row: IntArray
    failed: BoolArray | None = None

    def take(self, rows: BoolArray | IntArray) -> Graded:
        """Return the selected outputs."""
        return Graded._make(None if column is None else column[rows] for column in self)

    @property
    def is_graded(self) -> BoolArray:
        """Mask of the graded outputs."""
        return np.isfinite(self.result)

    @property
    def labelled(self) -> BoolArray:
        """Mask of the graded undecided outputs with a label."""
        return self.is_graded & self.is_undecided & np.isfinite(self.label)

    @property
    def labelled_ungraded(self) -> BoolArray:
        """Mask of the ungraded outputs with a label."""
        return ~self.is_graded & self.is_undecided & np.isfinite(self.label)

    @property
    def by_failed_calls(self) -> BoolArray:
        """Mask of the outputs that are ungraded because calls failed."""
        return np.zeros(len(self.result), np.bool_) if self.failed is None else ~self.is_graded & self.failed

    @property
    def all_labelled(self) -> bool:
        """True if all graded undecided outputs have labels, and all ungraded ones if any has one."""
        if not self.labelled[self.is_graded & self.is_undecided].all():
            return False
        ungraded = self.labelled_ungraded
        return not ungraded.any() or bool(ungraded[~self.is_graded].all())

    def by_labels(self) -> Graded:
        """Return the outputs with labels in place of a judge's verdicts."""
        has_label = self.labelled | self.labelled_ungraded
        result, passes = (np.where(has_label, self.label, array) for array in (self.result, self.passes))
        return self._replace(result=result, passes=passes)

    @property
    def by_probability(self) -> bool:
        """True if results are probabilities."""
        return bool(((self.result > 0) & (self.result < 1)).any())

    @property
    def weight(self) -> FloatArray | None:
        """Weights by which every case counts once, or None if cases have equal numbers of trials."""
        return case_weights(self.trials)

    def share(self, rows: BoolArray) -> float:
        """Return the share of some outputs, by weight."""
        return 1.0 if rows.all() else weighted_mean(rows.astype(np.float64), self.weight)

    @property
    def mixed(self) -> bool:
        """True if some outputs are undecided and some are not."""
        return bool(self.is_undecided.any() and not self.is_undecided.all())


def graded_of(outputs: AllOutputs) -> dict[str, Graded]:
    """Return all systems' outputs, with the verdict of the chosen judge on each undecided one."""
    judges = judges_of_outputs(outputs)
    return {name: graded_by(system, judges[name]) for name, system in outputs.systems.items()}


def judges_of_outputs(outputs: AllOutputs) -> dict[str, IntArray]:
    """Return, by system, the number of the judge whose verdict counts for each output.

    All outputs of a task have the same judge: the first one that graded one of them. The number is -1 if none did.
    """
    judge_of_task: dict[int, int] = {}
    # The first judge comes last here, and overwrites the others.
    for judge in reversed(range(len(outputs.judges))):
        for system in outputs.systems.values():
            graded = np.isfinite(system.verdicts[judge]) & system.is_undecided
            judge_of_task |= dict.fromkeys(system.task[graded].tolist(), judge)
    return {
        name: np.array([judge_of_task.get(task, -1) for task in system.task.tolist()], dtype=np.int64)
        for name, system in outputs.systems.items()
    }


def graded_by(outputs: SystemOutputs, judge: IntArray) -> Graded:
    """Return one system's outputs, each graded by the judge whose number is in ``judge``.

    The number is -1 for an output without a judge.
    """
    # An added last row is what the index -1, no judge, refers to.
    no_judge, column = np.full((1, len(judge)), np.nan), np.arange(len(judge))
    # Labels of outputs without a judge are at the threshold of the first judge.
    labels_without_judge = outputs.labels[:1] if len(outputs.labels) else no_judge
    label = np.concatenate([outputs.labels, labels_without_judge])[judge, column]
    result, passes = (
        np.where(outputs.is_undecided, np.concatenate([array, no_judge])[judge, column], outputs.decided)
        for array in (outputs.verdicts, outputs.passes)
    )
    task, case, trials, item, cluster, *_ = outputs
    failed = None if outputs.failed is None else outputs.failed[judge, column] & outputs.is_undecided
    return Graded(
        task, case, trials, item, cluster, result, passes, outputs.is_undecided, label, outputs.row, failed
    )
