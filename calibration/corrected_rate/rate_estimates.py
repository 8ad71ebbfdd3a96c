"""All estimates of one rate: of a population or a finite set, from any draw of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np

from ..arrays import BoolArray
from ..case_weights import weights_of, weights_of_rows
from ..label_declarations import LabelsChosenBy
from ..statistic import Statistic, undefined
from ..tables.calibration_table import PROBABILITY, Table
from .active_labels import DrawnLabels, active_estimate
from .anytime import anytime_rate
from .binary_verdicts import post_stratified, rogan_gladen_of
from .chosen_by_columns import Contradiction, contradiction
from .chosen_labels import chosen_within_strata
from .drawn import pending_labels, round_of, unequal_chances, was_drawn
from .estimation_results import VALID_IF_CHOSEN_BY, StratumEstimate, Target
from .estimators import (
    LabelledAndJudged,
    label_equivalents,
    labels_only,
    power_tuned,
    prediction_powered,
    tuned_lambda,
)
from .finite_set import finite_labels_only, finite_post_stratified, finite_prediction_powered
from .pass_or_fail import given_scores
from .rate_interval import RateInterval
from .strata import BY_SCORE, STRATUM, stratified_items, with_strata
from .stratified import StratifiedItems, stratified_prediction_powered, stratum_estimates
from .ungraded_levels import ungraded_levels

_NEED_RANDOM_SAMPLE = ("labels_only", "ppi", "ppi_plus_plus", "post_stratified", "rogan_gladen")
"""Estimates that are valid for a random sample of labels."""

_WHY_UNDECLARED = (
    "labelled items are unlike the others by score or by a column, so they are not a random sample: "
    "an estimate by strata of the score holds if they were chosen by score, Rogan and Gladen's if by true class"
)

UNEVEN = (
    "cases have unequal numbers of trials, and this estimate does not give each case the same weight: "
    "see ppi_plus_plus"
)
"""Why estimates that cannot weigh cases are undefined."""

_NOT_FINITE = "it has no form for a finite set; estimate the rate of the population"

_WHY_CHOSEN_BY: dict[LabelsChosenBy, str] = {
    "score": "labels were chosen by score: only an estimate by strata of the score holds",
    "label": "labels were drawn by true class: only Rogan and Gladen's estimate holds",
    "elsewhere": "labels are of other items, drawn by true class: only Rogan and Gladen's estimate holds",
}


class RateTerms(NamedTuple):
    """Terms of rate estimation.

    Attributes:
        pass_at: Scores at or above this pass; used by the estimates that need binary verdicts.
        interval: ``score`` and ``logit`` are clustered; ``wald`` takes items as independent, as other
            software does.
        level: Nominal coverage.
        target: What the rate is of: the items' ``population``, or just the ``finite`` set of items.
        chosen_by: How items were chosen for labels, or None for a random sample.
        anytime: Whether to report a confidence sequence, which is valid at every look.
    """

    pass_at: float = 0.5
    interval: RateInterval = "score"
    level: float = 0.95
    target: Target = "population"
    chosen_by: LabelsChosenBy | None = None
    anytime: bool = False


class RateEstimates(NamedTuple):
    """The estimates of one rate.

    Attributes:
        weight: Lambda, how far the judge is trusted; None when nothing could be combined.
        label_equivalents: Number of labels that alone would be as precise.
        estimates: Estimates by name.
        strata: Estimates of each stratum, if the table has strata or needs them.
        chosen: p-value of "labelled items are scored like the rest", if that is rejected; else None.
        undeclared: Whether labelled items differ from the others, by scores or columns, and neither an option nor
            strata explain it.
        columns: Columns by which labelled items differ from the others, with p-values.
        graded_rate: Best estimate for the graded items alone, if the estimate for all items counts labels of
            ungraded ones; else None.
    """

    weight: float | None
    label_equivalents: float | None
    estimates: dict[str, Statistic]
    strata: dict[str, StratumEstimate] | None = None
    chosen: float | None = None
    undeclared: bool = False
    graded_rate: float | None = None
    columns: Mapping[str, float] = {}

    @property
    def contradicted(self) -> bool:
        """True if labelled items differ from the others by scores or columns."""
        return self.chosen is not None or bool(self.columns)

    @property
    def headline(self) -> Statistic:
        """The most specific estimate that is defined; the others are for comparison."""
        if self.undeclared:
            return msgspec.structs.replace(
                self.estimates["labels_only"],
                value=None,
                low=None,
                high=None,
                method=None,
                undefined=_WHY_UNDECLARED,
            )
        if "anytime" in self.estimates:
            return self.estimates["anytime"]
        names = ("stratified_ppi", "active", "ppi_plus_plus", "labels_only")
        available = [self.estimates[name] for name in names if name in self.estimates]
        # Labels declared as drawn by true class leave only this one defined.
        if not self.contradicted and all(statistic.value is None for statistic in available):
            available.append(self.estimates["rogan_gladen"])
        return next((statistic for statistic in available if statistic.value is not None), available[-1])


def rate_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    """Estimate the mean label of one judge's rows.

    Labels drawn with unequal chances give ``active`` and, with strata, ``stratified_ppi``. If labelled items
    differ from the others by scores or columns, and named strata do not explain it, no estimate is the answer.
    """
    rates = _with_strata_estimates(table, terms)
    undeclared = rates.contradicted and not _strata_explain(table, rates, terms)
    rates = rates._replace(undeclared=undeclared)
    if not terms.anytime:
        return rates
    rate = anytime_rate(table, terms.target, terms.level, why_not=_WHY_UNDECLARED if undeclared else None)
    return rates._replace(estimates={"anytime": rate} | rates.estimates)


def _strata_explain(table: Table, rates: RateEstimates, terms: RateTerms) -> bool:
    """Return whether labels look like a random sample of each stratum that the user named."""
    items = stratified_items(table)
    if items is None or rates.estimates["stratified_ppi"].value is None:
        return False
    return _chosen_in_strata(table, items, terms._replace(interval="score")) is None


def scenarios(table: Table, rates: RateEstimates, terms: RateTerms) -> dict[LabelsChosenBy, Statistic] | None:
    """Return the rate for each way in which items may have been chosen for labels.

    None if labels look like a random sample, or options say how items were chosen.
    """
    if not rates.undeclared:
        return None
    without_strata = replace(
        table, columns={name: column for name, column in table.columns.items() if name != STRATUM}
    )
    # Where `rates` were made on the same assumption, their estimate is the scenario's.
    computed: dict[LabelsChosenBy, Statistic] = {}
    if STRATUM not in table.columns:
        computed["score"] = rates.estimates["stratified_ppi"]
    if terms.interval != "wald":
        computed["label"] = rates.estimates["rogan_gladen"]
    return {
        chosen_by: computed.get(chosen_by)
        or _with_strata_estimates(without_strata, terms._replace(chosen_by=chosen_by)).estimates[name]
        for chosen_by, name in VALID_IF_CHOSEN_BY.items()
    }


def _with_strata_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    """Return all estimates but the confidence sequence, by strata if there are or must be some."""
    rates = _unstratified_estimates(table, terms)
    if terms.chosen_by in {"label", "elsewhere"}:
        return rates
    if (rates.contradicted or terms.chosen_by == "score") and STRATUM not in table.columns:
        table = with_strata(table, BY_SCORE)
    items = stratified_items(table)
    if items is None:
        return rates
    strata = stratum_estimates(items, interval=terms.interval, level=terms.level)
    return rates._replace(
        estimates={"stratified_ppi": _stratified_estimate(table, items, terms)} | rates.estimates,
        strata=strata,
    )


def judge_mean(table: Table, terms: RateTerms) -> Statistic:
    """Return the mean score of one judge's rows, not corrected for its errors.

    The interval is that of a mean of as many labels. For a finite set with a score for every item the mean is
    exact.
    """
    judged = np.isfinite(table.score)
    score = table.score[judged]
    if not judged.any():
        return undefined("no row has a score", n=0, level=terms.level)
    if terms.target == "finite" and weights_of(table) is None:
        mean = finite_labels_only(score, len(table), level=terms.level)
        return msgspec.structs.replace(mean, method="every item is judged") if judged.all() else mean
    return labels_only(
        score,
        table.cluster[judged],
        weights_of_rows(table, judged),
        interval=terms.interval,
        level=terms.level,
    )


def _stratified_estimate(table: Table, items: StratifiedItems, terms: RateTerms) -> Statistic:
    n = int(np.isfinite(items.label).sum())
    why = (
        (UNEVEN if items.weight is not None and terms.target == "finite" else None)
        or pending_labels(table)
        or unequal_chances(table, items)
        or _chosen_in_strata(table, items, terms)
    )
    if why is not None:
        return undefined(why, n=n, level=terms.level)
    return stratified_prediction_powered(
        items, finite=terms.target == "finite", interval=terms.interval, level=terms.level
    )


def _chosen_in_strata(table: Table, items: StratifiedItems, terms: RateTerms) -> str | None:
    """Return why labels are not a random sample of their strata, if scores show it; else None."""
    if terms.interval == "wald" or was_drawn(table).any():
        return None
    with_given_scores = replace(items, score=given_scores(table)[np.isfinite(table.score)])
    p = chosen_within_strata(with_given_scores)
    return None if p is None else f"within strata labelled items are scored unlike the others (p {p:.2g})"


def _unstratified_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    if was_drawn(table).any():
        return _active_estimates(table.take(judged), terms)
    data = _labelled_and_judged(table, labelled & judged, judged & ~labelled)
    chosen, columns = Contradiction() if terms.chosen_by else contradiction(table, given_scores(table))
    # "wald" matches other software, which estimates whether or not the labels look like a random sample.
    if terms.chosen_by or ((chosen is not None or columns) and terms.interval != "wald"):
        return _for_chosen_labels(_with_all_judged(table, data), data, terms, chosen)._replace(
            columns=columns
        )
    if terms.target != "finite":
        data = replace(data, ungraded=ungraded_levels(table))
    weight, estimates = (_finite_estimates if terms.target == "finite" else _population_estimates)(
        table, data, terms
    )
    equivalents = None if weight is None or data.ungraded else label_equivalents(data, weight)
    graded = None
    if data.ungraded and weight is not None:
        graded_alone = replace(data, ungraded=())
        graded = (
            prediction_powered(graded_alone, weight, interval=terms.interval)
            if len(data.unlabelled)
            else labels_only(data.label, data.label_cluster, data.label_weight)
        ).value
    return RateEstimates(weight, equivalents, estimates, chosen=chosen, graded_rate=graded, columns=columns)


def _with_all_judged(table: Table, data: LabelledAndJudged) -> LabelledAndJudged:
    """Return the data with all judged items, labelled or not, in place of the unlabelled ones."""
    judged = np.isfinite(table.score)
    data = replace(data, unlabelled=table.score[judged])
    if data.label_weight is None:
        return data
    return replace(
        data, unlabelled_cluster=table.cluster[judged], unlabelled_weight=weights_of_rows(table, judged)
    )


def _for_chosen_labels(
    with_all_judged: LabelledAndJudged, data: LabelledAndJudged, terms: RateTerms, chosen: float | None
) -> RateEstimates:
    """Return the estimates from labels that are not a random sample.

    Only Rogan and Gladen's is defined; it needs a random sample of each class. If labels were drawn from the
    judged items, the judge's rate is that of all of them (``with_all_judged``). If labels are from elsewhere, it
    is that of the unlabelled items.
    """
    why = _WHY_UNDECLARED if terms.chosen_by is None else _WHY_CHOSEN_BY[terms.chosen_by]
    estimates = {name: undefined(why, n=len(data.label), level=terms.level) for name in _NEED_RANDOM_SAMPLE}
    if terms.target == "finite":
        estimates["rogan_gladen"] = undefined(_NOT_FINITE, n=len(data.label), level=terms.level)
    elif terms.chosen_by != "score":
        rate = rogan_gladen_of(
            data if terms.chosen_by == "elsewhere" else with_all_judged, terms.pass_at, terms.level
        )
        if rate.method is not None:
            rate = msgspec.structs.replace(rate, method=f"{rate.method}; labels drawn by true class")
        estimates["rogan_gladen"] = rate
    return RateEstimates(None, None, estimates, chosen=chosen)


def _labelled_and_judged(table: Table, labelled: BoolArray, unlabelled: BoolArray) -> LabelledAndJudged:
    return LabelledAndJudged(
        table.label[labelled],
        table.score[labelled],
        table.score[unlabelled],
        table.cluster[labelled],
        table.cluster[unlabelled],
        weights_of_rows(table, labelled),
        weights_of_rows(table, unlabelled),
    )


_WeightAndEstimates: TypeAlias = tuple[float | None, dict[str, Statistic]]
"""Lambda, and the estimates by name."""


def _population_estimates(table: Table, data: LabelledAndJudged, terms: RateTerms) -> _WeightAndEstimates:
    with_label = np.isfinite(table.label)
    pass_at, interval, level = terms.pass_at, terms.interval, terms.level
    weight, tuned = power_tuned(data, interval=interval, level=level)
    estimates = {
        "labels_only": labels_only(
            table.label[with_label],
            table.cluster[with_label],
            weights_of_rows(table, with_label),
            interval=interval,
            level=level,
        ),
        # PPI as published, with a Wald interval; over clusters unless `interval` is `wald`.
        "ppi": prediction_powered(data, 1.0, interval=interval, level=level, scale="wald"),
        "ppi_plus_plus": tuned,
        "post_stratified": post_stratified(
            replace(data, ungraded=()), pass_at=pass_at, interval=interval, level=level
        ),
        "rogan_gladen": rogan_gladen_of(replace(data, ungraded=()), pass_at, level),
    }
    return weight, estimates


def _finite_estimates(table: Table, data: LabelledAndJudged, terms: RateTerms) -> _WeightAndEstimates:
    label = table.label[np.isfinite(table.label)]
    pass_at, interval, level = terms.pass_at, terms.interval, terms.level
    if data.label_weight is not None:
        why = undefined(UNEVEN, n=len(data.label), level=level)
        return None, dict.fromkeys(_NEED_RANDOM_SAMPLE, why)
    # As in `power_tuned`: only "score" lets a judge that passes wrong outputs have a negative lambda.
    weight = None if data.too_few else tuned_lambda(data, least=-1.0 if interval == "score" else 0.0)
    estimates = {
        "labels_only": finite_labels_only(label, len(table), level=level),
        "ppi": finite_prediction_powered(data, 1.0, interval="wald", level=level),
        "ppi_plus_plus": finite_prediction_powered(data, weight or 0.0, interval=interval, level=level),
        "post_stratified": finite_post_stratified(data, pass_at=pass_at, interval=interval, level=level),
        "rogan_gladen": undefined(_NOT_FINITE, n=len(data.label), level=level),
    }
    return weight, estimates


def _active_estimates(table: Table, terms: RateTerms) -> RateEstimates:
    """Return the estimate from labels drawn with known chances; the others are undefined."""
    drawn = was_drawn(table)
    # Labels from before the draw have a chance of 1.
    probability = np.where(drawn, table.numbers[PROBABILITY], 1.0)
    data = DrawnLabels(table.label, table.score, probability, table.cluster)
    n_labels, why_undefined = int(data.labelled.sum()), pending_labels(table)
    if why_undefined is None and weights_of(table) is not None:
        why_undefined = UNEVEN
    unequal = "the labels were drawn with unequal chances, which only `active` knows how to weigh"
    estimates = {name: undefined(unequal, n=n_labels, level=terms.level) for name in _NEED_RANDOM_SAMPLE}
    if why_undefined:
        return RateEstimates(
            None, None, {"active": undefined(why_undefined, n=n_labels, level=terms.level)} | estimates
        )
    weight, estimate = active_estimate(
        data,
        drawn_in=round_of(table),
        finite=terms.target == "finite",
        interval=terms.interval,
        level=terms.level,
    )
    return RateEstimates(weight, None, {"active": estimate} | estimates)
