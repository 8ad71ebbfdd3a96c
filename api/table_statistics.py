"""`fiducial.calibrate`, `compare` and `estimate`: statistics of verdict tables in any form."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal, TypeAlias, Unpack, cast

from ..calibration.agreement.calibrate import Requests
from ..calibration.agreement.calibrate import calibrate as calibrate_table
from ..calibration.agreement.diagnosis_results import AuditMethod
from ..calibration.comparison.class_rates import ErrorCosts
from ..calibration.comparison.compare import compare as compare_table
from ..calibration.comparison.comparison_results import By, Right
from ..calibration.corrected_rate.estimation import FurtherEstimates
from ..calibration.corrected_rate.estimation import estimate as estimate_table
from ..calibration.corrected_rate.estimation_results import Target
from ..calibration.corrected_rate.rate_interval import RateInterval
from ..calibration.intervals.measurement import DEFAULT_REPLICATES, IntervalOption, Settings
from ..calibration.label_declarations import RANDOM_SAMPLES, LabelDeclaration
from ..calibration.statistic_catalogue import AGREEMENT, ESTIMATORS
from ..calibration.tables.calibration_table import Table
from ..calibration.tables.table_files import read_labels
from ..calibration.thresholds.threshold_results import Recalibrator
from ..errors import UsageError
from ..evaluation.tested_columns import ANY_TAG
from ..judges.prices import dollars_of
from ..records import nearest
from ..spelling import setting
from .argument_checks import checked_arguments, require_choice, require_range, require_whole
from .callers import warn_caller
from .pair_results import pair_calibration, recorded_pairs
from .paths import Labels, source
from .price_memory import known_prices
from .table_results import Calibration, Comparison, Estimation
from .tables import Rows, TableReading, Tables, combined_tables, read_table

STATISTICS = tuple(ESTIMATORS)
"""Statistics of a judge, by name."""

Part: TypeAlias = Literal["open", "all"]
"""Part of a run: undecided outputs, or all."""

_CATEGORY_COUNTS = range(2, 51)
"""Accepted numbers of categories."""
_MIN_REPLICATES = 100
"""Minimum number of bootstrap samples."""


@checked_arguments
def calibrate(
    table: Tables,
    *,
    pass_at: float | Mapping[str, float] | None = None,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = DEFAULT_REPLICATES,
    label_audit: Labels | None = None,
    label_audit_by: AuditMethod = "double-sampling",
    adjudications: Labels | None = None,
    max_error: float | None = None,
    cascade: Sequence[str] | None = None,
    levels: Sequence[float] | None = None,
    threshold_for: str | None = None,
    recalibrate: Recalibrator | None = None,
    error_costs: Sequence[float] | str | None = None,
    **reading: Unpack[TableReading],
) -> Calibration:
    """Measure agreement of judges with trusted labels: ``calibration["judge"].cohen_kappa.low``.

    Args:
        table: In any form. For runs, a baseline that compares words is added to the judges.
        pass_at: Pass threshold, for all judges or by judge; by default each judge's own, else 0.5.
        interval: Interval method of other software, or None for the best of each statistic.
        level: Nominal coverage.
        seed: Seed of the bootstrap.
        replicates: Number of bootstrap samples.
        label_audit: A person's verdicts on a random sample of the labelled items, to correct for errors of the labels.
        label_audit_by: Use ``gart-buck`` only for judges that share no errors with the labels and have no verdicts on the audited items.
        adjudications: People's decisions on who is right where judge and label differ, in addition to those in runs. They add columns
            by corrected labels.
        max_error: Find the confidence above which a judge's verdicts are wrong at most this often.
        cascade: Judges that are asked one after another, certified together at ``max_error``.
        levels: All values that labels and scores can have. They add agreement on these categories.
        threshold_for: Find the threshold that maximises this statistic of the 2x2 table.
        recalibrate: Map scores to rates, ``isotonic`` or by ``platt``.
        error_costs: Costs of letting a bad output through and of rejecting a good one, ``(5, 1)``: probabilities pass from 5 / (5 + 1) on.
        **reading: Options for reading the table: ``labels``, ``map``; see `TableReading`.

    Returns:
        The calibration; of a table of pairs a `PairCalibration`, whose ``pairs`` hold agreement by judge.

    Raises:
        InputError: The table cannot be used; the message names file or row, and field.
        UsageError: It is not a table, or options cannot be combined.
    """
    if threshold_for is not None and threshold_for not in AGREEMENT:
        raise UsageError(
            f"{setting('threshold_for', threshold_for)}: no statistic of the 2x2 table is called {threshold_for!r}{nearest(threshold_for, AGREEMENT)}; there are {', '.join(AGREEMENT)}"
        )
    _require_settings(interval, level, replicates, seed)
    require_range("max_error", max_error)
    require_choice("label_audit_by", label_audit_by, AuditMethod)
    if recalibrate is not None:
        require_choice("recalibrate", recalibrate, Recalibrator)
    categories = None if levels is None else _categories(levels)
    if isinstance(table, Iterator):  # it is read twice: for pairs, and as a table
        table = cast("list[Mapping[str, Any]]", list(table))
    pairs = None if isinstance(table, Table) else recorded_pairs(table, reading)
    if pairs is not None:
        for warning in pairs.left_out:
            warn_caller(warning)
        return pair_calibration(pairs, level=level, replicates=replicates)
    rows = read_table(table, lexical=True, adjudications=adjudications, **reading)
    if cascade is not None:
        _require_cascade(cascade, rows.judge.values, max_error)
    requests = Requests(
        audit=None if label_audit is None else read_labels(source("label_audit", label_audit)),
        audit_by=label_audit_by,
        max_error=max_error,
        cascade=cascade,
        categories=categories,
        threshold_for=threshold_for,
        recalibrate=recalibrate,
        error_costs=None if error_costs is None else _error_costs(error_costs, None),
    )
    return calibrate_table(
        rows,
        pass_at=pass_at,
        interval=interval,
        level=level,
        seed=seed,
        replicates=replicates,
        requests=requests,
    )


def _categories(levels: Iterable[Any]) -> list[float]:
    """Return all values that labels and scores can have, ascending.

    Raises:
        UsageError: There are too few or too many values, or one is no number in [0, 1].
    """
    values = list(levels)
    if all(map(_in_unit_interval, values)):
        categories = sorted(set(values))
        if len(categories) in _CATEGORY_COUNTS:
            return categories
    raise UsageError(
        f"{setting('levels')} expects 2 to {_CATEGORY_COUNTS[-1]} different numbers in [0, 1], got {reprlib.repr(values)}"
    )


def _in_unit_interval(number: Any) -> bool:
    return isinstance(number, Real) and bool(0 <= cast("float", number) <= 1)


def _require_settings(interval: IntervalOption | None, level: float, replicates: int, seed: int) -> None:
    if interval is not None:
        require_choice("interval", interval, IntervalOption)
    require_range("level", level)
    require_whole("replicates", replicates, _MIN_REPLICATES)
    require_whole("seed", seed, 0)


def _require_cascade(cascade: Sequence[str], judges: Sequence[str], max_error: float | None) -> None:
    if max_error is None:
        raise UsageError(f"{setting('cascade')} is certified at {setting('max_error')}; give both")
    if not cascade:
        raise UsageError(f"{setting('cascade')} expects at least one judge, got none")
    for name in cascade:
        if name not in judges:
            raise UsageError(
                f"{setting('cascade')}: there is no judge {name!r}; there are {', '.join(judges)}"
            )
    if len(set(cascade)) != len(cascade):
        raise UsageError(f"{setting('cascade')} names a judge twice")


@checked_arguments
def compare(
    a: Tables,
    b: Rows | None = None,
    *,
    by: By = "judge",
    right: Right | None = None,
    pass_at: float | Mapping[str, float] | None = None,
    against: str | None = None,
    statistic: str | None = None,
    error_costs: Sequence[float] | str | None = None,
    flips: int = 0,
    not_worse_by: float | None = None,
    labels_chosen_by: LabelDeclaration | None = None,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = DEFAULT_REPLICATES,
    prices: Sequence[str] = (),
    **reading: Unpack[TableReading],
) -> Comparison:
    """Compare judges, or systems, on the items that both have.

    Pairs of outputs are compared by `prefer`.

    Args:
        a: A table in any form.
        b: Another table of the same items, or None if ``a`` holds all that is compared.
        by: ``judge``: which is right more often? ``system``: which passes more often?
        right: Meaning of right: ``agrees``, ``score`` or ``label``, or None for the default.
        pass_at: As in `calibrate`.
        against: Compare only with this judge or system.
        statistic: Statistic whose difference is estimated; None is ``balanced_accuracy`` of judges if labels have both classes, else ``accuracy``.
        error_costs: Costs of letting a bad output through and of rejecting a good one, ``(5, 1)``: judges are compared by ``weighted_accuracy``.
        flips: Maximum number of items to list on which a pair differs.
        not_worse_by: Conclude for each pair whether one is worse by more than this: ``pair.margin``.
        labels_chosen_by: As in `estimate`, for systems: how undecided outputs were chosen for labels. ``random`` and ``system`` correct judges' verdicts on them.
        interval: Interval method for the difference between judges, or None for the best available.
        level: Nominal coverage.
        seed: Seed of the bootstrap.
        replicates: Number of bootstrap samples.
        prices: Dollars for a million tokens, ``IN/OUT`` or ``MODEL=IN/OUT``, for tables with tokens; by default public list prices.
        **reading: Options for reading tables: ``labels``, ``map``; see `TableReading`.

    Returns:
        Every pair, with its test and the interval of the difference.

    Raises:
        InputError: A table cannot be used, or there are not two to compare.
        UsageError: There is no table, or ``by`` or ``statistic`` is unknown.
    """
    require_choice("by", by, By)
    if right is not None:
        require_choice("right", right, Right)
    if statistic is not None and statistic not in ESTIMATORS:
        raise UsageError(
            f"{setting('statistic', statistic)}: no statistic is called {statistic!r}{nearest(statistic, ESTIMATORS)}; there are {', '.join(ESTIMATORS)}"
        )
    require_whole("flips", flips, 0)
    require_range("not_worse_by", not_worse_by, ends="both")
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    _require_settings(interval, level, replicates, seed)
    return compare_table(
        read_table(
            combined_tables(a, b),
            apart=by == "judge",
            systems_apart=by == "system",
            outputs=by == "system" and right != "agrees",
            tags=_tested_tags(labels_chosen_by),
            **reading,
        ),
        by=by,
        right=right,
        pass_at=pass_at,
        against=against,
        statistic=statistic if error_costs is None else _error_costs(error_costs, statistic),
        flips=flips,
        not_worse_by=not_worse_by,
        labels_chosen_by=labels_chosen_by,
        settings=Settings(interval=interval, level=level, replicates=replicates, seed=seed),
        cost_of=partial(dollars_of, known_prices(prices)),
    )


def _error_costs(given: Sequence[float] | str, statistic: str | None) -> ErrorCosts:
    """Return the costs of both errors.

    Raises:
        UsageError: They are not two numbers above 0, or another statistic is asked for.
    """
    if statistic is not None:
        raise UsageError(f"{setting('error_costs')} is a statistic of its own; drop {setting('statistic')}")
    try:
        costs = [float(part) for part in (given.split(",") if isinstance(given, str) else given)]
    except (TypeError, ValueError):
        costs = []
    if len(costs) == 2 and all(math.isfinite(cost) and cost > 0 for cost in costs):  # noqa: PLR2004 - two errors
        return ErrorCosts(*costs)
    raise UsageError(
        f"{setting('error_costs')} expects two numbers above 0, of a bad output let through and of a good one rejected (5,1), got {reprlib.repr(given)}"
    )


def _tested_tags(chosen_by: LabelDeclaration | None) -> list[str]:
    return [ANY_TAG] if chosen_by in RANDOM_SAMPLES else []


@checked_arguments
def estimate(
    table: Tables,
    *,
    judge: str | None = None,
    pass_at: float | Mapping[str, float] | None = None,
    interval: RateInterval = "score",
    level: float = 0.95,
    target: Target = "population",
    strata: str | None = None,
    phases: Sequence[str] = (),
    labels_chosen_by: LabelDeclaration | None = None,
    judges: Sequence[str] = (),
    reweight_by: Sequence[str] = (),
    open_worse_by: float | None = None,
    anytime: bool = False,
    part: Part = "open",
    **reading: Unpack[TableReading],
) -> Estimation:
    """Estimate the true pass rate from a judge's scores and some labels.

    Args:
        table: In any form.
        judge: Judge whose scores are used, if there are several.
        pass_at: Pass threshold of scores and labels, for all judges or by judge; without one, fractions are kept.
        interval: ``score`` (Wilson's on the effective n) and ``logit`` are clustered, ``wald`` assumes independent items.
        level: Nominal coverage.
        target: The ``population`` behind the items, or the ``finite`` set that they are.
        strata: Also estimate stratum by stratum: a column, or ``score``.
        phases: Judges of nested random samples, the largest first, to combine (``multi_phase``).
        labels_chosen_by: How items were chosen for labels: at ``random``, of all or of each ``system``, by the judge's ``score``, by true class (``label``), or by true class from ``elsewhere``;
            None if that is not known: then the rate is corrected only if they are a random sample, and the first sentence is uncorrected.
        judges: Judges to combine by a regression on the labels (``several_judges``); the first is the judge of the other estimates.
        reweight_by: Columns, such as a category, that alone decided which items got a label: labels are weighted by them (``reweighted``).
        open_worse_by: Upper bound on the drop in TPR and TNR from decided to undecided outputs; 0.1 is ten points.
        anytime: Estimate by a confidence sequence, ``rate.estimates["anytime"]``: its interval holds at every look, whenever labelling stops.
        part: Part of a run: ``open`` for undecided outputs, ``all`` for all.
        **reading: Options for reading the table: ``labels`` of a random sample of it, ``columns``, ``draws``; see `TableReading`.

    Returns:
        The estimates, of all rows and of each system. ``reported`` names the answer; it is None if labels look chosen and nothing says how.

    Raises:
        InputError: The table cannot be used.
        UsageError: It is not a table, a number is outside its range, or judges contradict each other.
    """
    require_choice("interval", interval, RateInterval)
    require_choice("target", target, Target)
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    require_choice("part", part, Part)
    require_range("open_worse_by", open_worse_by, ends="both")
    require_range("level", level)
    return estimate_table(
        read_table(
            table,
            open_only=part == "open" and open_worse_by is None,
            tags=[*([strata] if strata else []), *reweight_by, *_tested_tags(labels_chosen_by)],
            **reading,
        ),
        judge=judge,
        pass_at=pass_at,
        interval=interval,
        level=level,
        target=target,
        strata=strata,
        phases=phases,
        labels_chosen_by=labels_chosen_by,
        further=FurtherEstimates(judges, reweight_by, open_worse_by, anytime),
    )
