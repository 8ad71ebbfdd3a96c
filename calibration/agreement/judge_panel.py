"""Statistics of one judge against the labels, with its missing verdicts and its baselines."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from ...records.score_kinds import ScoreKind
from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.choosing import simultaneous
from ..intervals.bootstrap import acceleration, bca_interval, bootstrap, varies
from ..intervals.measurement import DEFAULT_SETTINGS, Settings, measure
from ..label_declarations import LabelsDeclaredBy
from ..pass_threshold import ThresholdSource
from ..sample import Cells, Sample, make_sample, reduce_rows
from ..statistic import Statistic, defined, undefined
from ..statistic_catalogue import ESTIMATORS, custom_estimators
from ..statistics.krippendorff import Level, alpha_of_units, value_counts
from ..tables.calibration_table import BASELINE, PERSON, Table
from .calibration_results import AccuracyWithMissing, JudgeCalibration, MissingVerdicts
from .diagnosis_results import PeopleAgreement

_Result = TypeVar("_Result")

_SIMULTANEOUS_STATISTICS = ("true_positive_rate", "true_negative_rate", "bias")
"""Statistics behind the printed verdict on a judge, which need intervals that are valid for all judges at once."""

_SIMPLE_SAMPLES: tuple[LabelsDeclaredBy, ...] = ("random", "review")
"""Declarations of a random sample of all outputs, unlike ``system``: a sample per system."""


def judge_panel(
    table: Table,
    *,
    settings: Settings,
    source: ThresholdSource = "default",
    scores: ScoreKind | None = None,
    of: int = 1,
) -> JudgeCalibration:
    """Compare one judge with the labels.

    Args:
        table: Rows of one judge.
        settings: Interval settings.
        source: Source of its pass threshold.
        scores: Declared kind of its scores.
        of: Number of judges for which simultaneous intervals are valid.
    """
    table, pass_at = table.at_one_threshold()
    labelled = np.isfinite(table.label)
    judged = labelled & np.isfinite(table.score)
    sample = usable_sample(table)
    # Rows are labels (fail, pass), columns are verdicts.
    (tn, fp), (fn, tp) = (
        sample.cells.tables(sample.counts).astype(int).tolist() if sample.n else [[0, 0], [0, 0]]
    )
    return JudgeCalibration(
        pass_at=pass_at,
        pass_at_source=source,
        scores=scores,
        n=sample.n,
        n_missing=int((labelled & ~judged).sum()),
        n_unlabelled=int((~labelled).sum()),
        n_clusters=sample.n_clusters,
        effective_clusters=sample.effective_clusters,
        binary=bool(np.isin([sample.cells.label, sample.cells.score], (0.0, 1.0)).all()),
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        statistics=measure([*ESTIMATORS.values(), *custom_estimators()], sample, settings),
        missing=_missing(table.take(labelled), settings),
        balanced_accuracy_at_once=None
        if of == 1
        else simultaneous(ESTIMATORS["balanced_accuracy"], sample, settings, of=of),
        rates_at_once={}
        if of == 1
        else {
            name: simultaneous(ESTIMATORS[name], sample, settings, of=of) for name in _SIMULTANEOUS_STATISTICS
        },
        declared=_labels_declared_by(table, labelled),
    )


def _labels_declared_by(table: Table, labelled: BoolArray) -> LabelsDeclaredBy | None:
    """Return what tells that all outputs, or a random sample of them, have labels; else None."""
    if labelled.all():
        return "every_output" if len(labelled) else None
    chosen_by = table.labels_chosen_by
    return chosen_by if chosen_by in _SIMPLE_SAMPLES else None


def by_judge(table: Table, function: Callable[[Table], _Result | None]) -> dict[str, _Result]:
    """Apply a function to each judge's rows, keeping the results that are not None."""
    results = {judge: function(table.take(rows)) for judge, rows in table.judge.present()}
    return {judge: result for judge, result in results.items() if result is not None}


def usable_rows(table: Table) -> Table:
    """Return the rows of a table that have both a label and a score."""
    return table.take(np.isfinite(table.label) & np.isfinite(table.score))


def usable_sample(table: Table) -> Sample:
    """Return a sample of the rows of a table that have both a label and a score."""
    rows, pass_at = usable_rows(table).at_one_threshold()
    return make_sample(rows.label, rows.score, rows.cluster, pass_at=pass_at)


def _missing(labelled: Table, settings: Settings) -> MissingVerdicts:
    """Return the rate of missing verdicts, and the accuracy under three ways to count them."""
    absent = ~np.isfinite(labelled.score)

    def share(score: FloatArray, label: FloatArray, rows: Any = slice(None)) -> Statistic:
        sample = make_sample(label[rows], score[rows], labelled.cluster[rows])
        return measure([ESTIMATORS["accuracy"]], sample, settings)["accuracy"]

    verdict, truth = labelled.passed.astype(float), labelled.right.astype(float)
    # The rate of missing verdicts is the "accuracy" of "is missing" against labels that are all 1.
    rate = share(absent.astype(float), np.ones(len(absent)))
    dropped = share(verdict, truth, ~absent)
    if not absent.any():
        return MissingVerdicts(rate, AccuracyWithMissing(dropped, dropped, dropped))
    as_fail = share(np.where(absent, 0.0, verdict), truth)
    as_wrong = share(np.where(absent, 1.0 - truth, verdict), truth)
    return MissingVerdicts(rate, AccuracyWithMissing(dropped, as_fail, as_wrong))


def baselines_of(table: Table, settings: Settings) -> dict[str, JudgeCalibration]:
    """Compute the panels of the baselines.

    * ``always_pass`` and ``always_fail``: on every labelled output.
    * Each column ``baseline:NAME`` of the table, by name. For runs, ``checker`` is the checker against labels that
      are not its own.
    * ``lexical``: the judge that only compares words, unless it is the only judge.
    * ``human_human``: one person as the judge of another, for every two people who graded the same item. The label
      is that of the alphabetically first.
    """
    items = table.take(np.isfinite(table.label)).each_output_once()
    baselines = {
        "always_pass": items.with_scores(np.ones(len(items))),
        "always_fail": items.with_scores(np.zeros(len(items))),
    }
    for name, score in items.opinions(BASELINE).items():
        baselines[name] = _with_scores_where_known(items, score)
    lexical = {name for name, judge in table.judges.items() if judge.kind == "baseline"}
    is_lexical = table.judge.isin(lexical)
    if is_lexical.any() and not is_lexical.all():
        baselines["lexical"] = table.take(is_lexical)
    pairs = _pairs_of_people(table.each_output_once())
    if pairs is not None:
        baselines["human_human"] = pairs
    return {name: judge_panel(part, settings=settings) for name, part in baselines.items()}


def people_among_themselves(table: Table, settings: Settings) -> PeopleAgreement | None:
    """Return the agreement of the people in columns ``person:NAME``, or None if no item has two."""
    items = table.each_output_once()
    people = items.opinions(PERSON)
    if len(people) < 2:  # noqa: PLR2004 - agreement takes two
        return None
    ratings = np.stack(list(people.values()))
    if not (np.isfinite(ratings).sum(axis=0) > 1).any():
        return None
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval")
    alphas: dict[str, Statistic] = {
        level: reliability(ratings, level, cluster=items.cluster, settings=settings) for level in levels
    }
    return PeopleAgreement(list(people), alphas)


def _with_scores_where_known(items: Table, score: FloatArray) -> Table:
    return items.with_scores(score).take(np.isfinite(score))


def _pairs_of_people(items: Table) -> Table | None:
    """Return a row for every two people on every item, or None if no item has two."""
    people = items.opinions(PERSON)
    rows: list[IntArray] = []
    label: list[FloatArray] = []
    score: list[FloatArray] = []
    for first, second in combinations(sorted(people), 2):
        graded_by_both = np.flatnonzero(np.isfinite(people[first]) & np.isfinite(people[second]))
        rows.append(graded_by_both)
        label.append(people[first][graded_by_both])
        score.append(people[second][graded_by_both])
    if not sum(map(len, rows)):
        return None
    pairs = items.take(np.concatenate(rows)).with_scores(np.concatenate(score), np.concatenate(label))
    return pairs.without_slices()


def reliability(
    ratings: FloatArray,
    level: Level = "nominal",
    *,
    cluster: IntArray | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Statistic:
    """Compute Krippendorff's alpha for any number of raters, with gaps allowed.

    The interval is a BCa bootstrap over units, or clusters of them. ``n`` is the number of units with two values or
    more; other units are left out.

    Source: Krippendorff 2011.

    Args:
        ratings: Values, shape ``(raters, units)``, NaN where missing; at least 0 for the level ``ratio``.
        level: Level of measurement.
        cluster: Cluster number of each unit, shape ``(units,)``, or None if every unit is its own.
        settings: Level of the interval, replicates and seed.
    """
    has_two_values = np.isfinite(ratings).sum(axis=0) > 1
    ratings, n = ratings[:, has_two_values], int(has_two_values.sum())
    if not n:
        return undefined("no unit has two values", n=0, level=settings.level)
    if level == "ratio" and (ratings < 0).any():
        raise ValueError("the ratio level needs values of at least 0")
    values, counts = value_counts(ratings)
    columns, groups, sizes = reduce_rows(list(counts.T), None if cluster is None else cluster[has_two_values])
    units = np.stack(columns, axis=1)
    # The cells of this sample are the distinct units; their values are in `units`.
    unit_index = np.arange(len(units), dtype=np.float64)
    sample = Sample(Cells(unit_index, unit_index, 0.5), groups, sizes)

    def formula(weights: FloatArray) -> FloatArray:
        return alpha_of_units(weights, units, values, level)

    value = float(formula(sample.counts))
    if not np.isfinite(value):
        return undefined("all values are one and the same", n=n, level=settings.level)
    method = "BCa bootstrap" if sample.singletons else "BCa bootstrap over clusters"
    draws = bootstrap([formula], sample, replicates=settings.replicates, seed=settings.seed)[0]
    if sample.n_clusters < 2 or not varies(draws):  # noqa: PLR2004 - one cluster has no spread
        return defined(value, n=n, method="no interval: nothing varies over the units", level=settings.level)
    skewness = acceleration(formula, sample, seed=settings.seed)
    ends = bca_interval(value, draws, skewness, sample.n_clusters, settings.level)
    if ends is None:
        method += f": no interval, {np.isnan(draws).mean():.0%} of the replicates are undefined"
    return defined(value, ends, n=n, method=method, level=settings.level)
