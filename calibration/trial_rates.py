"""Estimates of pass^k and pass@k for each system of a table or run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ..errors import InputError
from ..records.made_scores import reaches
from ..spelling import command, either, spelled_pairs
from .arrays import BoolArray, FloatArray, cluster_numbers
from .comparison.outputs import graded_of, outputs_of
from .repeated_trials import JudgeErrors, TrialRate, Trials, judge_errors, trial_rate
from .statistic import CaseRate
from .tables.calibration_table import DECIDED, TRIAL, Table
from .variance_split import VarianceSplit, variance_split

RATES: tuple[TrialRate, TrialRate] = ("pass^k", "pass@k")


class SystemTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Rates over trials of one system.

    Attributes:
        cases: Cases with a graded trial.
        trials: Graded trials.
        ungraded: Trials without a verdict, which count in no rate.
        judged: Graded trials whose verdict is a judge's.
        tpr: Share of right labelled trials that the judge passes; None if nothing is corrected.
        fpr: Share of wrong labelled trials that the judge passes.
        labels: Judged trials with a label; those behind ``tpr`` and ``fpr`` if these are known.
        corrected: Whether ``rates`` are corrected for the judge's errors.
        rates: Statistics by rate and k: ``rates["pass^k"][4]``.
        uncorrected: The same statistics without correction; empty if ``rates`` are not corrected.
        variance: Variance of one trial's uncorrected verdict, by case and by sampling.
    """

    cases: int
    trials: int
    ungraded: int
    judged: int
    tpr: float | None
    fpr: float | None
    labels: int
    corrected: bool
    rates: dict[TrialRate, dict[int, CaseRate]]
    uncorrected: dict[TrialRate, dict[int, CaseRate]]
    variance: VarianceSplit | None = None


def trial_rates(
    table: Table, ks: Sequence[int] | None = None, *, level: float = 0.95
) -> dict[str, SystemTrials]:
    """Estimate pass^k and pass@k of each system for every k.

    Args:
        table: A run's outputs (`evaluation.run_table` with ``outputs``), or rows with a column ``trial``.
        ks: Numbers of trials; None takes the number that half of the cases have, and the powers of two below
            it.
        level: Nominal coverage.

    Raises:
        InputError: No trial is graded, or no case was tried more than once.
    """
    systems = _systems_of_run(table) if DECIDED in table.numbers else _systems_of_rows(table)
    if not any(len(each.graded.case) for each in systems.values()):
        ungraded = sum(each.ungraded for each in systems.values())
        raise InputError(f"none of {ungraded:,} trials is graded; `fiducial report RUN` says why")
    if all(len(np.unique(each.graded.case)) == len(each.graded.case) for each in systems.values()):
        again = either(f"`{command('generate', trials='N')}`", "fd.generate(cases, agent, trials=N)")
        raise InputError(f"every case has one trial; make several with {again}, or number outputs in `trial`")
    ks = ks or _default_ks([each.graded for each in systems.values()])
    return {name: _rates_of_system(each, ks, level) for name, each in systems.items()}


class _TrialsOfSystem(NamedTuple):
    """Graded trials of one system, and the number of ungraded ones."""

    graded: Trials
    ungraded: int


def _default_ks(systems: Sequence[Trials]) -> list[int]:
    """Return the largest median of trials per case of any system, and the powers of two below."""
    counts = [np.unique(each.case, return_counts=True)[1] for each in systems if len(each.case)]
    most = max(2, *(int(np.quantile(each, 0.5, method="higher")) for each in counts))
    return [*(2**power for power in range(most.bit_length()) if 2**power < most), most]


def _rates_of_system(system: _TrialsOfSystem, ks: Sequence[int], level: float) -> SystemTrials:
    trials = system.graded
    errors = judge_errors(trials) if trials.judged.any() else None
    counts = np.unique(trials.case, return_counts=True)[1]

    def rate_of(rate: TrialRate, k: int, errors: JudgeErrors | None) -> CaseRate:
        found = trial_rate(rate, k, trials, errors, level=level)
        return CaseRate(**msgspec.structs.asdict(found), left_out=int((counts < k).sum()))

    def rates_by_k(errors: JudgeErrors | None) -> dict[TrialRate, dict[int, CaseRate]]:
        return {rate: {k: rate_of(rate, k, errors) for k in ks} for rate in RATES}

    return SystemTrials(
        cases=len(counts),
        trials=len(trials.case),
        ungraded=system.ungraded,
        judged=int(trials.judged.sum()),
        tpr=None if errors is None else errors.tpr,
        fpr=None if errors is None else errors.fpr,
        labels=int((trials.judged & np.isfinite(trials.label)).sum()),
        corrected=errors is not None,
        rates=rates_by_k(errors),
        uncorrected={} if errors is None else rates_by_k(None),
        variance=variance_split(
            trials.passed,
            trials.case,
            trials.cluster,
            mean=trial_rate("pass^k", 1, trials, level=level) if len(trials.case) else None,
            level=level,
        ),
    )


def _systems_of_run(table: Table) -> dict[str, _TrialsOfSystem]:
    """Return each system's trials, graded by a checker, else by one judge."""
    case_of = cluster_numbers(item.rsplit("|", 2)[0] for item in table.item.values)
    systems: dict[str, _TrialsOfSystem] = {}
    for system, outputs in graded_of(outputs_of(table, None)).items():
        is_graded = outputs.is_graded
        graded = outputs.take(is_graded)
        trials = Trials(
            case_of[graded.item], graded.cluster, graded.result, graded.is_undecided, graded.label
        )
        systems[system] = _TrialsOfSystem(trials, int((~is_graded).sum()))
    return systems


def _systems_of_rows(table: Table) -> dict[str, _TrialsOfSystem]:
    """Return each system's trials from rows of one judge; labels correct the judge."""
    if TRIAL not in table.columns:
        raise InputError(
            f"the table has no column `trial`; name it with {spelled_pairs('map', {'trial': 'COLUMN'})}"
        )
    judges = [name for name, _ in table.judge.present()]
    if len(judges) > 1:
        raise InputError(f"the table has {len(judges)} judges ({', '.join(judges)}); keep the rows of one")
    column = table.columns.get("system")
    parts = [("all", np.ones(len(table), dtype=np.bool_))] if column is None else column.present()
    passed = _passes(table.score, table.threshold)
    label = _passes(table.label, table.threshold)
    judged = _judged(table)
    # In an exported run, `item_id` includes the trial, and `case_id` names the case.
    case = table.columns.get("case_id", table.item).codes.astype(np.int64)
    trials, is_graded = Trials(case, table.cluster, passed, judged, label), np.isfinite(passed)
    return {
        system: _TrialsOfSystem(trials.take(rows & is_graded), int((rows & ~is_graded).sum()))
        for system, rows in parts
    }


def _judged(table: Table) -> BoolArray:
    """Return the rows that a judge graded: all, unless a column `source` names checkers."""
    source = table.columns.get("source")
    if source is None or "checker" not in source.values:
        return np.ones(len(table), dtype=np.bool_)
    return source.codes != source.values.index("checker")


def _passes(values: FloatArray, threshold: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), reaches(values, threshold), np.nan)
