"""Every estimate of one rate: for a population, for a finite set, and from labels drawn with unequal chances."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .active_labels import DrawnLabels, active_estimate, active_lambda
from .arrays import BoolArray
from .finite_set import finite_labels_only, finite_post_stratified, finite_prediction_powered
from .rogan_gladen import rogan_gladen
from .statistic import Statistic, undefined
from .table import PROBABILITY, Table
from .true_rate import (
    LabelledAndJudged,
    RateInterval,
    label_equivalents,
    labels_only,
    post_stratified,
    prediction_powered,
    tuned_lambda,
)

Target: TypeAlias = Literal["population", "finite"]


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
    """

    weight: float | None
    label_equivalents: float | None
    estimates: dict[str, Statistic]


def rate_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    """Estimate the mean label of one judge's rows.

    Args:
        table: The rows; those with a label are the labelled sample.
        terms: How.

    Returns:
        The estimates. Where labels were drawn with unequal chances, ``active`` and nothing else.
    """
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
    return rogan_gladen(
        float((data.unlabelled >= pass_at).mean()),
        len(data.unlabelled),
        true_positives=int((right & passed).sum()),
        positives=int(right.sum()),
        true_negatives=int((~right & ~passed).sum()),
        negatives=int((~right).sum()),
        level=level,
    )


def _active(table: Table, terms: RateTerms) -> RateEstimates:
    # What was labelled before the draw is there for certain.
    probability = np.where(was_drawn(table), table.numbers[PROBABILITY], 1.0)
    data = DrawnLabels(table.label, table.score, probability, table.cluster)
    count, pending = int(data.known.sum()), int((was_drawn(table) & ~data.known).sum())
    unequal = "the labels were drawn with unequal chances, which only `active` knows how to weigh"
    names = ("labels_only", "ppi", "ppi_plus_plus", "post_stratified", "rogan_gladen")
    estimates = {name: undefined(unequal, n=count, level=terms.level) for name in names}
    if pending:
        why = f"{pending:,} of the items drawn have no label yet; without them the estimate would be biased"
        return RateEstimates(None, None, {"active": undefined(why, n=count, level=terms.level)} | estimates)
    weight = active_lambda(data) if count else 0.0
    active = active_estimate(
        data, weight, finite=terms.target == "finite", interval=terms.interval, level=terms.level
    )
    return RateEstimates(weight if count else None, None, {"active": active} | estimates)
