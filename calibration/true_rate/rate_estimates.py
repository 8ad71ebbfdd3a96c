"""Every estimate of one rate: for a population, for a finite set, and from labels drawn with unequal chances."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from ..arrays import BoolArray, IntArray
from ..statistic import Statistic, undefined
from ..tables.table import PROBABILITY, ROUND, Table
from .active_labels import DrawnLabels
from .active_rounds import active_estimate
from .estimators import (
    LabelledAndJudged,
    label_equivalents,
    labels_only,
    post_stratified,
    prediction_powered,
    tuned_lambda,
)
from .finite_set import finite_labels_only, finite_post_stratified, finite_prediction_powered
from .rate_interval import RateInterval
from .results import StratumEstimate, Target
from .rogan_gladen import rogan_gladen
from .strata import stratified_items
from .stratified import StratifiedItems, stratified_prediction_powered, stratum_estimates

_SAME_CHANCE = 1e-9
"""Chances that differ by no more than this differ by rounding."""


class RateTerms(NamedTuple):
    """How rates are estimated.

    Attributes:
        pass_at: A score passes when it is at least this; for the estimates that need two verdicts.
        interval: ``logit`` is clustered; ``wald`` takes items as independent, as other software does.
        level: Nominal coverage.
        target: The ``population`` that the items are from, or the ``finite`` set that they are.
    """

    pass_at: float = 0.5
    interval: RateInterval = "logit"
    level: float = 0.95
    target: Target = "population"


class RateEstimates(NamedTuple):
    """The estimates of one rate.

    Attributes:
        weight: Lambda, how far the judge is trusted; None when nothing could be combined.
        label_equivalents: How many labels alone would be as precise.
        estimates: By name.
        strata: Each by itself, where the table has strata.
    """

    weight: float | None
    label_equivalents: float | None
    estimates: dict[str, Statistic]
    strata: dict[str, StratumEstimate] | None = None


def rate_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    """Estimate the mean label of one judge's rows.

    Args:
        table: The rows; those with a label are the labelled sample.
        terms: How.

    Returns:
        The estimates. Where labels were drawn with unequal chances, ``active`` and, with strata, ``stratified_ppi``.
    """
    found = _over_all(table, terms)
    items = stratified_items(table)
    if items is None:
        return found
    strata = stratum_estimates(items, interval=terms.interval, level=terms.level)
    return found._replace(
        estimates={"stratified_ppi": _stratified(table, items, terms)} | found.estimates, strata=strata
    )


def judge_mean(table: Table, terms: RateTerms) -> Statistic:
    """The mean score of one judge's rows, its errors included.

    Args:
        table: The rows; those without a score are left out.
        terms: How.

    Returns:
        The mean, with the interval that a mean of so many labels would have; of a finite set that is judged throughout there is
        nothing left to chance.
    """
    judged = np.isfinite(table.score)
    score = table.score[judged]
    if not judged.any():
        return undefined("no row has a score", n=0, level=terms.level)
    if terms.target == "finite":
        found = finite_labels_only(score, len(table), level=terms.level)
        every = "every item is judged" if judged.all() else found.method
        return msgspec.structs.replace(found, method=every)
    return labels_only(score, table.cluster[judged], interval=terms.interval, level=terms.level)


def _stratified(table: Table, items: StratifiedItems, terms: RateTerms) -> Statistic:
    n = int(np.isfinite(items.label).sum())
    why = _pending(table) or _unequal(table, items)
    if why is not None:
        return undefined(why, n=n, level=terms.level)
    return stratified_prediction_powered(
        items, finite=terms.target == "finite", interval=terms.interval, level=terms.level
    )


def _unequal(table: Table, items: StratifiedItems) -> str | None:
    """Why labels are no random sample of their stratum, when they were drawn otherwise."""
    chance = table.numbers.get(PROBABILITY)
    if chance is None:
        return None
    judged = np.isfinite(table.score)
    chance, drawn_in = chance[judged], _round_of(table)[judged]
    for number, name in enumerate(items.names):
        mine = items.stratum == number
        rounds = [chance[mine & (drawn_in == each)] for each in np.unique(drawn_in[drawn_in > 0])]
        if any(len(each) and np.ptp(each) > _SAME_CHANCE for each in rounds):
            return f"the labels of stratum {name!r} were drawn with unequal chances, so they are no random sample of it"
    return None


def _over_all(table: Table, terms: RateTerms) -> RateEstimates:
    """The estimates that know no strata."""
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    if was_drawn(table).any():
        return _active(table.take(judged), terms)
    data = _split(table, labelled & judged, judged & ~labelled)
    weight = None if data.too_few else tuned_lambda(data)
    equivalents = None if weight is None else label_equivalents(data, weight)
    estimate = _finite if terms.target == "finite" else _population
    return RateEstimates(weight, equivalents, estimate(table, data, weight or 0.0, terms))


def was_drawn(table: Table) -> BoolArray:
    """Which rows are of items that were drawn with known chances, shape ``(n,)``."""
    probability = table.numbers.get(PROBABILITY)
    return np.zeros(len(table), dtype=np.bool_) if probability is None else np.isfinite(probability)


def _split(table: Table, both: BoolArray, unlabelled: BoolArray) -> LabelledAndJudged:
    return LabelledAndJudged(
        table.label[both],
        table.score[both],
        table.score[unlabelled],
        table.cluster[both],
        table.cluster[unlabelled],
    )


def _population(
    table: Table, data: LabelledAndJudged, weight: float, terms: RateTerms
) -> dict[str, Statistic]:
    labelled, (pass_at, interval, level, _) = np.isfinite(table.label), terms
    return {
        "labels_only": labels_only(
            table.label[labelled], table.cluster[labelled], interval=interval, level=level
        ),
        # PPI as it was published, with a Wald interval; clustered unless asked otherwise.
        "ppi": prediction_powered(data, 1.0, interval=interval, level=level, scale="wald"),
        "ppi_plus_plus": prediction_powered(data, weight, interval=interval, level=level),
        "post_stratified": post_stratified(data, pass_at=pass_at, interval=interval, level=level),
        "rogan_gladen": _rogan_gladen(data, pass_at, level),
    }


def _finite(table: Table, data: LabelledAndJudged, weight: float, terms: RateTerms) -> dict[str, Statistic]:
    label, (pass_at, interval, level, _) = table.label[np.isfinite(table.label)], terms
    return {
        "labels_only": finite_labels_only(label, len(table), level=level),
        "ppi": finite_prediction_powered(data, 1.0, interval="wald", level=level),
        "ppi_plus_plus": finite_prediction_powered(data, weight, interval=interval, level=level),
        "post_stratified": finite_post_stratified(data, pass_at=pass_at, interval=interval, level=level),
        "rogan_gladen": undefined(
            "it has no form for a finite set; use --target population", n=len(data.label), level=level
        ),
    }


def _rogan_gladen(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    if not np.isin(data.label, (0.0, 1.0)).all():
        return undefined(
            "labels are fractions; sensitivity and specificity need 0 and 1", n=len(data.label), level=level
        )
    right, passed = data.label == 1.0, data.score >= pass_at
    clusters = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    found = rogan_gladen(
        float((data.unlabelled >= pass_at).mean()),
        len(data.unlabelled),
        true_positives=int((right & passed).sum()),
        positives=int(right.sum()),
        true_negatives=int((~right & ~passed).sum()),
        negatives=int((~right).sum()),
        level=level,
    )
    if found.value is None or len(np.unique(clusters)) == len(clusters):
        return found
    return msgspec.structs.replace(found, method=f"{found.method}, items taken as independent")


def _active(table: Table, terms: RateTerms) -> RateEstimates:
    drawn = was_drawn(table)
    # What was labelled before the draw is there for certain.
    probability = np.where(drawn, table.numbers[PROBABILITY], 1.0)
    data = DrawnLabels(table.label, table.score, probability, table.cluster)
    count, pending = int(data.known.sum()), _pending(table)
    unequal = "the labels were drawn with unequal chances, which only `active` knows how to weigh"
    names = ("labels_only", "ppi", "ppi_plus_plus", "post_stratified", "rogan_gladen")
    estimates = {name: undefined(unequal, n=count, level=terms.level) for name in names}
    if pending:
        return RateEstimates(
            None, None, {"active": undefined(pending, n=count, level=terms.level)} | estimates
        )
    weight, active = active_estimate(
        data,
        drawn_in=_round_of(table),
        finite=terms.target == "finite",
        interval=terms.interval,
        level=terms.level,
    )
    return RateEstimates(weight, None, {"active": active} | estimates)


def _round_of(table: Table) -> IntArray:
    """The round in which each row's item was drawn, shape ``(n,)``; 0 where it was not."""
    drawn = was_drawn(table)
    number = table.numbers.get(ROUND, np.ones(len(table)))
    return np.where(drawn, np.nan_to_num(number, nan=1.0), 0.0).astype(np.int64)


def _pending(table: Table) -> str | None:
    """Why nothing can be said yet, when not all that was drawn has a label."""
    pending = int((was_drawn(table) & np.isnan(table.label)).sum())
    if not pending:
        return None
    return f"{pending:,} of the items drawn have no label yet; without them the estimate would be biased"
