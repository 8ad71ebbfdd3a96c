"""pass^k and pass@k of each system of a table or run, corrected for the judge's errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from ..errors import InputError
from .arrays import BoolArray, FloatArray
from .comparison.outputs import graded_of, outputs_of
from .repeated_trials import JudgeErrors, TrialRate, Trials, judge_errors, trial_rate
from .statistic import Statistic
from .tables.calibration_table import DECIDED, Table
from .variance_split import VarianceSplit, variance_split

RATES: tuple[TrialRate, TrialRate] = ("pass^k", "pass@k")
_TRIAL = "trial"


class SystemTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Rates over trials of one system.

    Attributes:
        cases: Cases with a graded trial.
        trials: Graded trials.
        ungraded: Trials without a verdict, which count in no rate.
        judged: Graded trials whose verdict is a judge's.
        tpr: Share of right labelled trials that the judge passes; None if nothing is corrected.
        fpr: Share of wrong labelled trials that it passes.
        labels: Labelled trials behind both.
        corrected: Whether the judge's errors are corrected.
        rates: By rate and k: ``rates["pass^k"][4]``.
        uncorrected: The same by verdicts as they are, if they are corrected above.
        variance: Variance of one trial's verdict as it is, by case and by sampling.
    """

    cases: int
    trials: int
    ungraded: int
    judged: int
    tpr: float | None
    fpr: float | None
    labels: int
    corrected: bool
    rates: dict[TrialRate, dict[int, Statistic]]
    uncorrected: dict[TrialRate, dict[int, Statistic]]
    variance: VarianceSplit | None = None


def trial_rates(
    table: Table, ks: Sequence[int] | None = None, *, level: float = 0.95
) -> dict[str, SystemTrials]:
    """Estimate both rates of each system for every k.

    Args:
        table: A run's outputs (`evaluation.run_table` with ``outputs``), or rows with a column ``trial``.
        ks: Numbers of trials; None takes the number that half of the cases have, and the powers of two below
            it.
        level: Nominal coverage.

    Raises:
        InputError: No trial is graded, or no case was tried more than once.
    """
    parts = dict(_from_run(table) if DECIDED in table.numbers else _from_rows(table))
    if not any(len(each.case) for each, _ in parts.values()):
        ungraded = sum(number for _, number in parts.values())
        raise InputError(f"none of {ungraded:,} trials is graded; `fiducial report RUN` says why")
    if all(len(np.unique(each.case)) == len(each.case) for each, _ in parts.values()):
        raise InputError(
            "every case has one trial; make several with `fiducial generate --trials N`, or number outputs in `trial`"
        )
    ks = ks or _usual_ks([each for each, _ in parts.values()])
    return {name: _of_system(each, ungraded, ks, level) for name, (each, ungraded) in parts.items()}


def _usual_ks(parts: Sequence[Trials]) -> list[int]:
    """Return the median trials per case of the system with most, and the powers of two below."""
    counts = [np.unique(each.case, return_counts=True)[1] for each in parts if len(each.case)]
    usual = max(2, *(int(np.quantile(each, 0.5, method="higher")) for each in counts))
    return [*(2**power for power in range(usual.bit_length()) if 2**power < usual), usual]


def _of_system(trials: Trials, ungraded: int, ks: Sequence[int], level: float) -> SystemTrials:
    errors = judge_errors(trials) if trials.judged.any() else None

    def rates_of(by: JudgeErrors | None) -> dict[TrialRate, dict[int, Statistic]]:
        return {rate: {k: trial_rate(rate, k, trials, by, level=level) for k in ks} for rate in RATES}

    return SystemTrials(
        cases=len(np.unique(trials.case)),
        trials=len(trials.case),
        ungraded=ungraded,
        judged=int(trials.judged.sum()),
        tpr=None if errors is None else errors.tpr,
        fpr=None if errors is None else errors.fpr,
        labels=0 if errors is None else errors.right + errors.wrong,
        corrected=errors is not None,
        rates=rates_of(errors),
        uncorrected={} if errors is None else rates_of(None),
        variance=variance_split(trials.passed, trials.case, trials.cluster, level=level),
    )


def _from_run(table: Table) -> Iterator[tuple[str, tuple[Trials, int]]]:
    """Yield each system's trials: the checker's verdict, else one judge's."""
    names = [item.rsplit("|", 2)[0] for item in table.item.values]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    case_of = np.array([numbers[name] for name in names], dtype=np.int64)
    for system, each in graded_of(outputs_of(table, None)).items():
        is_graded = each.is_graded
        graded = each.take(is_graded)
        yield (
            system,
            (
                Trials(
                    case_of[graded.item], graded.cluster, graded.result, graded.is_undecided, graded.label
                ),
                int((~is_graded).sum()),
            ),
        )


def _from_rows(table: Table) -> Iterator[tuple[str, tuple[Trials, int]]]:
    """Yield each system's trials from rows of one judge; labels correct the judge."""
    if _TRIAL not in table.columns:
        raise InputError("the table has no column `trial`; name it with --map trial=COLUMN")
    judges = [name for name, _ in table.judge.present()]
    if len(judges) > 1:
        raise InputError(f"the table has {len(judges)} judges ({', '.join(judges)}); keep the rows of one")
    column = table.columns.get("system")
    parts = [("all", np.ones(len(table), dtype=np.bool_))] if column is None else column.present()
    passed = _passes(table.score, table.threshold)
    label = _passes(table.label, table.threshold)
    judged = _judged(table)
    # An exported run names outputs in `item_id`, with the trial, and their cases beside it.
    case = table.columns.get("case_id", table.item).codes.astype(np.int64)
    for system, rows in parts:
        is_graded = rows & np.isfinite(passed)
        trials = Trials(
            case[is_graded], table.cluster[is_graded], passed[is_graded], judged[is_graded], label[is_graded]
        )
        yield system, (trials, int((rows & ~is_graded).sum()))


def _judged(table: Table) -> BoolArray:
    """Return the rows that a judge graded: all, unless a column `source` names checkers."""
    source = table.columns.get("source")
    if source is None or "checker" not in source.values:
        return np.ones(len(table), dtype=np.bool_)
    return source.codes != source.values.index("checker")


def _passes(values: FloatArray, threshold: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values >= threshold, np.nan)
