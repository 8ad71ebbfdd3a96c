"""Estimates of pass^k and pass@k by system, and correlation of errors within cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ..errors import InputError
from ..records.made_scores import reaches
from ..spelling import command, either, spelled_pairs
from ..tables.grades import as_number
from .arrays import BoolArray, FloatArray, cluster_numbers
from .comparison.outputs import graded_of, outputs_of
from .intervals.closed_forms import t_quantile
from .intervals.variance import cluster_error
from .repeated_trials import JudgeErrors, TrialRate, Trials, judge_errors, trial_rate, tried_until_passed
from .statistic import CaseRate, Statistic, defined, undefined
from .tables.calibration_table import DECIDED, TRIAL, Table
from .tables.columns import Column
from .tables.table_labels import split_item
from .variance_split import VarianceSplit, variance_split

RATES: tuple[TrialRate, TrialRate] = ("pass^k", "pass@k")
"""Rates over trials that are estimated."""


class SystemTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Rates over trials of one system.

    Attributes:
        cases: Number of cases with a graded trial.
        trials: Number of graded trials.
        ungraded: Number of trials without a verdict, which count in no rate.
        judged: Number of graded trials whose verdict is a judge's.
        tpr: Share of right labelled trials that the judge passes, or None if nothing is corrected.
        fpr: Share of wrong labelled trials that the judge passes, or None if nothing is corrected.
        labels: Number of judged trials with a label; ``tpr`` and ``fpr`` are estimated from these.
        corrected: Whether ``rates`` are corrected for the judge's errors.
        rates: Statistics by rate and k: ``rates["pass^k"][4]``.
        uncorrected: The same statistics without correction; empty if ``rates`` are not corrected.
        variance: Variance of one trial's uncorrected verdict, by case and by sampling.
        smallest: Smallest number of graded trials of a case; rates of a larger k leave out cases.
        of_larger: For each larger k, pass^1 of the cases that have k graded trials.
        error_correlation: Correlation of the judge's errors on trials of one case, or None if nothing is corrected.
        uncorrectable: Why only k = 1 is corrected: errors repeat within a case, or may repeat. None if every k is
            corrected, or none is.
        retried: Why no rate is defined: it seems that only failed cases were tried again. Else None.
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
    smallest: int = 0
    of_larger: dict[int, CaseRate] = {}
    retried: str | None = None
    error_correlation: Statistic | None = None
    uncorrectable: str | None = None


def trial_rates(
    table: Table, ks: Sequence[int] | None = None, *, level: float = 0.95
) -> dict[str, SystemTrials]:
    """Estimate pass^k and pass@k of each system for every k.

    Args:
        table: A run's outputs (`evaluation.run_table` with ``outputs``), or rows with a column ``trial``.
        ks: Numbers of trials; None takes the smallest number of graded trials of a case, and the powers of two
            below it.
        level: Nominal coverage.

    Raises:
        InputError: No trial is graded, or no case was tried more than once.
    """
    systems = _systems_of_run(table) if DECIDED in table.numbers else _systems_of_rows(table)
    if not any(len(system.graded.case) for system in systems.values()):
        ungraded = sum(system.ungraded for system in systems.values())
        raise InputError(f"none of {ungraded:,} trials is graded; `fiducial report RUN` says why")
    if all(len(np.unique(system.graded.case)) == len(system.graded.case) for system in systems.values()):
        again = either(f"`{command('generate', trials='N')}`", "fd.generate(cases, agent, trials=N)")
        raise InputError(f"every case has one trial; make several with {again}, or number outputs in `trial`")
    return {name: _rates_of_system(system, ks, level) for name, system in systems.items()}


class _TrialsOfSystem(NamedTuple):
    """Trials of one system.

    Attributes:
        graded: Graded trials.
        ungraded: Number of ungraded trials.
        retried: Why the number of trials depends on their results, or None if it does not.
    """

    graded: Trials
    ungraded: int
    retried: str | None


def _default_ks(smallest: int) -> list[int]:
    """Return the smallest number of trials of a case, and the powers of two below."""
    return [*(2**power for power in range(smallest.bit_length()) if 2**power < smallest), smallest]


def _rates_of_system(system: _TrialsOfSystem, ks: Sequence[int] | None, level: float) -> SystemTrials:
    trials = system.graded
    errors = judge_errors(trials) if trials.judged.any() else None
    counts = np.unique(trials.case, return_counts=True)[1]
    smallest = int(counts.min(initial=int(counts.max(initial=0))))  # 0 without a case
    ks = ks or _default_ks(max(1, smallest))

    correlation = None if errors is None else error_correlation(trials, errors, level=level)
    uncorrectable = None if correlation is None else why_uncorrectable(correlation)

    def rate_of(rate: TrialRate, k: int, errors: JudgeErrors | None, min_trials: int = 1) -> CaseRate:
        why = system.retried or (uncorrectable if errors is not None and k > 1 else None)
        has_enough = counts >= max(k, min_trials)
        statistic = (
            trial_rate(rate, k, trials, errors, of_cases_with=min_trials, level=level)
            if why is None
            else undefined(why, n=int(has_enough.sum()), level=level)
        )
        return CaseRate(**msgspec.structs.asdict(statistic), left_out=int((~has_enough).sum()))

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
        variance=None if system.retried else _variance(trials, level),
        smallest=smallest,
        of_larger={k: rate_of("pass^k", 1, errors, k) for k in ks if k > smallest},
        retried=system.retried,
        error_correlation=correlation,
        uncorrectable=uncorrectable,
    )


def _variance(trials: Trials, level: float) -> VarianceSplit | None:
    mean = trial_rate("pass^k", 1, trials, level=level) if len(trials.case) else None
    return variance_split(trials.passed, trials.case, trials.cluster, mean=mean, level=level)


def _systems_of_run(table: Table) -> dict[str, _TrialsOfSystem]:
    """Return each system's trials, graded by a checker, or else by one judge."""
    names = [split_item(item) for item in table.item.values]
    case_by_item = cluster_numbers(name.id for name in names)
    trial_by_item = np.array([name.trial or 0 for name in names], dtype=np.float64)
    systems: dict[str, _TrialsOfSystem] = {}
    for system, outputs in graded_of(outputs_of(table, None)).items():
        is_graded = outputs.is_graded
        graded = outputs.take(is_graded)
        trials = Trials(
            case_by_item[graded.item], graded.cluster, graded.passes, graded.is_undecided, graded.label
        )
        retried = tried_until_passed(case_by_item[outputs.item], trial_by_item[outputs.item], outputs.passes)
        systems[system] = _TrialsOfSystem(trials, int((~is_graded).sum()), retried)
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
    rows_by_system = [("all", np.ones(len(table), dtype=np.bool_))] if column is None else column.present()
    passed = _passes(table.score, table.threshold)
    label = _passes(table.label, table.threshold)
    judged = _is_judged(table)
    # In an exported run, `item_id` includes the trial, and `case_id` names the case.
    case = table.columns.get("case_id", table.item).codes.astype(np.int64)
    trials, is_graded = Trials(case, table.cluster, passed, judged, label), np.isfinite(passed)
    trial_number = _trial_numbers(table.columns[TRIAL])
    return {
        system: _TrialsOfSystem(
            trials.take(rows & is_graded),
            int((rows & ~is_graded).sum()),
            tried_until_passed(case[rows], trial_number[rows], passed[rows]),
        )
        for system, rows in rows_by_system
    }


def _trial_numbers(column: Column) -> FloatArray:
    """Return each row's trial number; trials without numbers are numbered by first appearance."""
    values = [as_number(value) for value in column.values]
    numbers = [float(value) for value in values if value is not None]
    by_value = np.array(numbers) if len(numbers) == len(values) else np.arange(len(values))
    return by_value[column.codes].astype(np.float64)


def _is_judged(table: Table) -> BoolArray:
    """Return a mask of rows that a judge graded: all, unless a column `source` names checkers."""
    source = table.columns.get("source")
    if source is None or "checker" not in source.values:
        return np.ones(len(table), dtype=np.bool_)
    return source.codes != source.values.index("checker")


def _passes(values: FloatArray, threshold: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), reaches(values, threshold), np.nan)


_MIN_CASES = 10
"""Minimum number of cases with two labelled trials, for estimating a correlation."""

_EXCLUDED_CORRELATION = 0.3
"""Correlation that the interval must exclude before rates of several trials are corrected."""


def error_correlation(trials: Trials, errors: JudgeErrors, *, level: float = 0.95) -> Statistic:
    """Estimate the correlation of a judge's errors on trials of one case, given the labels.

    Each verdict is standardised: minus its mean given the label, in standard deviations. The correlation is the mean
    product over pairs of labelled trials of a case, with Student's interval over clusters. ``n`` is the number of
    cases with such a pair.
    """
    labelled = trials.take(trials.judged & np.isfinite(trials.label))
    mean = np.where(labelled.label == 1.0, errors.tpr, errors.fpr)
    deviation = np.sqrt(mean * (1 - mean))
    standardised = np.where(
        deviation > 0, (labelled.passed - mean) / np.where(deviation > 0, deviation, 1.0), 0.0
    )
    _, first, case, count = np.unique(
        labelled.case, return_index=True, return_inverse=True, return_counts=True
    )
    pairs = count * (count - 1) / 2
    # The sum of products over pairs: (square of the sum - sum of squares) / 2.
    case_sums = np.bincount(case, weights=standardised)
    products = (case_sums**2 - np.bincount(case, weights=standardised**2)) / 2
    has_pair = pairs > 0
    cases, cluster = int(has_pair.sum()), labelled.cluster[first][has_pair]
    clusters = len(np.unique(cluster))
    if clusters < _MIN_CASES:
        why = f"{cases:,} {'case has' if cases == 1 else 'cases have'} two labelled trials; it takes {_MIN_CASES}"
        return undefined(why, n=cases, level=level)
    n_pairs = float(pairs.sum())
    value = float(products[has_pair].sum()) / n_pairs
    error = cluster_error((products - value * pairs)[has_pair] / n_pairs, cluster)
    half_width = t_quantile(level, clusters - 1) * error
    ends = max(-1.0, value - half_width), min(1.0, value + half_width)
    return defined(max(-1.0, min(1.0, value)), ends, n=cases, method="cluster-t", level=level)


def why_uncorrectable(correlation: Statistic) -> str | None:
    """Return why a rate of several trials is not corrected, or None if errors seem independent."""
    if correlation.value is None or correlation.low is None or correlation.high is None:
        return (
            f"whether the judge's errors repeat within a case is not known: {correlation.undefined}; "
            "label several trials of some cases"
        )
    correlation_text = f"{correlation.value:.2f} [{correlation.low:.2f}, {correlation.high:.2f}]"
    if correlation.low > 0.0:
        return f"the judge's errors repeat within a case (correlation {correlation_text}), so that trials are not corrected one by one"
    if not math.isfinite(correlation.high) or correlation.high > _EXCLUDED_CORRELATION:
        return (
            f"the judge's errors may repeat within a case (correlation {correlation_text}, which does not exclude {_EXCLUDED_CORRELATION:g}); "
            "label several trials of more cases"
        )
    return None
