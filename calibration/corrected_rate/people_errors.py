"""Pass rate corrected for the errors of people who labelled the same outputs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..agreement.judge_votes import MIN_JUDGES, DawidSkene, dawid_skene
from ..arrays import BoolArray, FloatArray, IntArray
from ..case_weights import cases_of
from ..intervals.closed_forms import wilson_interval
from ..intervals.clustered_rates import student_ratio
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import PERSON, Table
from .drawn import was_drawn
from .estimation_results import ErrorsOfPeople, PersonErrors
from .rate_estimates import RateTerms
from .strata import STRATUM

_MIN_PEOPLE = 2
"""Labels of one output needed to compare people."""

_EDGE = 1e-4
"""A rate at most this far from 0 or 1 counts as fixed there."""

_STEP = 1e-4
"""Step of numeric derivatives, in logits."""

_METHOD = "Dawid and Skene's model, sandwich over clusters; Wilson on the effective n"


def label_errors(table: Table, options: RateTerms) -> ErrorsOfPeople | None:
    """Return people's error rates and the corrected rate; None if no output has two labels.

    Every labelled output needs labels of three people: with two, error rates and the pass rate are not
    identified. People are assumed to err independently of each other and of the judge, and at the same rate on
    all outputs of a class. The corrected rate is PPI++ with each output's chance to be right in place of its
    label.
    """
    people = table.opinions(PERSON)
    if not people:
        return None
    grades = np.stack(list(people.values()))
    labels_per_output = np.isfinite(grades).sum(axis=0)
    n = int((labels_per_output >= _MIN_PEOPLE).sum())
    if not n:
        return None
    model_or_reason = _why_unsuitable(table, grades, options) or dawid_skene(grades)
    if isinstance(model_or_reason, str):
        return ErrorsOfPeople(n=n, n_split=int(_is_split(grades).sum()), undefined=model_or_reason)
    return _errors_by_model(table, list(people), grades, model_or_reason, options)


def _is_split(grades: FloatArray) -> BoolArray:
    """Return a mask of the outputs that some people pass and others fail, shape ``(n,)``."""
    passed_by_some: BoolArray = (grades == 1.0).any(axis=0)
    return passed_by_some & (grades == 0.0).any(axis=0)


def _why_unsuitable(table: Table, grades: FloatArray, options: RateTerms) -> str | None:
    """Return why the labels cannot be modelled, or None if they can."""
    labels_per_output = np.isfinite(grades).sum(axis=0)
    labelled = labels_per_output > 0
    n_with_few = int((labelled & (labels_per_output < MIN_JUDGES)).sum())
    some_have_few = n_with_few > 0
    reasons = {
        "people's grades are fractions; the model is of passes and fails": not np.isin(
            grades[np.isfinite(grades)], (0.0, 1.0)
        ).all(),
        "the model is of a random sample of labels, for a population": options.target == "finite"
        or options.chosen_by is not None,
        "labels were drawn with unequal chances, or by stratum": was_drawn(table).any()
        or STRATUM in table.columns,
        f"{n_with_few:,} of {int(labelled.sum()):,} labelled outputs have labels of fewer than three people": some_have_few,
        "cases have unequal numbers of trials": cases_of(table) is not None,
        "some labelled outputs are ungraded": (labelled & ~np.isfinite(table.score)).any(),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


class _FittedRates(NamedTuple):
    """Rates of Dawid and Skene's model as one vector: prevalence, then TPR and TNR by person.

    Attributes:
        grades: Labels by person, NaN without one, shape ``(J, n)``.
        rates: The fitted rates, shape ``(2 J + 1,)``.
        free: Mask of the rates that are not at an edge, shape ``(2 J + 1,)``; there are ``f`` of them.
    """

    grades: FloatArray
    rates: FloatArray
    free: BoolArray

    def scores(self, logits: FloatArray) -> FloatArray:
        """Return the derivatives of each item's log-likelihood by the free logits, shape ``(n, f)``."""
        rates = self.rates.copy()
        rates[self.free] = 1 / (1 + np.exp(-logits))
        people = len(self.grades)
        prevalence, tpr, tnr = rates[0], rates[1 : people + 1, None], rates[people + 1 :, None]
        is_labelled, passed = np.isfinite(self.grades), self.grades == 1.0
        likelihood_if_right = np.where(is_labelled, np.where(passed, tpr, 1 - tpr), 1.0).prod(axis=0)
        likelihood_if_wrong = np.where(is_labelled, np.where(passed, 1 - tnr, tnr), 1.0).prod(axis=0)
        weight_right, weight_wrong = likelihood_if_right * prevalence, likelihood_if_wrong * (1 - prevalence)
        chance_right = weight_right / (weight_right + weight_wrong)
        by_tpr = np.where(is_labelled, chance_right * (passed - tpr), 0.0)
        by_tnr = np.where(is_labelled, (1 - chance_right) * (~passed - tnr), 0.0)
        return np.concatenate([(chance_right - prevalence)[None], by_tpr, by_tnr])[self.free].T

    def influence(self) -> FloatArray:
        """Return each item's influence on each rate, shape ``(n, 2 J + 1)``; 0 for rates at an edge.

        As for any M-estimator, it is the score times the inverse of its derivative. That is computed in logits
        and then converted to rates.
        """
        free_rates = self.rates[self.free]
        logits = np.log(free_rates / (1 - free_rates))

        def total_score(free_logits: FloatArray) -> FloatArray:
            total: FloatArray = self.scores(free_logits).sum(axis=0)
            return total

        steps = np.eye(len(logits)) * _STEP
        slopes = np.stack(
            [(total_score(logits + step) - total_score(logits - step)) / (2 * _STEP) for step in steps]
        )
        influence = np.zeros((self.grades.shape[1], len(self.rates)))
        of_logits = -self.scores(logits) @ np.linalg.pinv(slopes)
        influence[:, self.free] = of_logits * (free_rates * (1 - free_rates))
        return influence


def _errors_by_model(
    table: Table, names: list[str], grades: FloatArray, model: DawidSkene, options: RateTerms
) -> ErrorsOfPeople:
    judged = np.isfinite(table.score)
    labelled = np.isfinite(model.posterior) & judged
    if not labelled.any():
        return ErrorsOfPeople(n=0, undefined="no judged output has labels of three people")
    rates = np.concatenate([[model.prevalence], model.true_positive_rate, model.true_negative_rate])
    free = np.isfinite(rates) & (rates > _EDGE) & (rates < 1 - _EDGE)
    # The rate of an empty class is NaN, and taken as 0.5 as in the fit.
    influence = _FittedRates(grades[:, labelled], np.nan_to_num(rates, nan=0.5), free).influence()
    cluster = np.unique(table.cluster, return_inverse=True)[1]
    interval_terms = _IntervalTerms(options.level, len(np.unique(cluster[labelled])))
    errors = np.sqrt(_cluster_variances(influence, cluster[labelled]))
    posterior = model.posterior[labelled]
    people: dict[str, PersonErrors] = {}
    for index, name in enumerate(names):
        has_label = np.isfinite(grades[index][labelled])
        if has_label.any():
            tpr_index, tnr_index = 1 + index, len(names) + 1 + index
            expected_bad = float((1 - posterior)[has_label].sum())
            expected_good = float(posterior[has_label].sum())
            # TNR is the share of bad outputs that the person fails, so 1 - TNR is let through.
            let_through, rejected = (
                interval_terms.statistic(
                    1.0 - rates[rate_index], errors[rate_index], max_trials=expected_n, n=round(expected_n)
                )
                for rate_index, expected_n in ((tnr_index, expected_bad), (tpr_index, expected_good))
            )
            people[name] = PersonErrors(n=int(has_label.sum()), let_through=let_through, rejected=rejected)
    rate = _corrected_rate(table, labelled, posterior, influence[:, 0], interval_terms)
    n_split = int((_is_split(grades) & labelled).sum())
    return ErrorsOfPeople(n=int(labelled.sum()), n_split=n_split, people=people, rate=rate)


def _cluster_variances(influence: FloatArray, cluster: IntArray) -> FloatArray:
    """Return the variances of estimates over clusters, from influences of shape ``(n, r)``."""
    number = np.unique(cluster, return_inverse=True)[1]
    sums = np.stack([np.bincount(number, weights=column) for column in influence.T])
    return (sums**2).sum(axis=1)


def _corrected_rate(
    table: Table,
    labelled: BoolArray,
    posterior: FloatArray,
    influence: FloatArray,
    interval_terms: _IntervalTerms,
) -> Statistic:
    """Return PPI++ with each output's chance to be right as its label."""
    judged = np.isfinite(table.score)
    other = judged & ~labelled
    value, row_influence = float(posterior.mean()), np.zeros(len(table))
    row_influence[labelled] = influence
    if other.any():
        score = table.score
        n, n_other = int(labelled.sum()), int(other.sum())
        centred = score - score[labelled].mean()
        score_variance = float((centred[labelled] ** 2).mean())
        slope = (
            0.0 if score_variance <= 0 else float((influence * n * centred[labelled]).mean()) / score_variance
        )
        # PPI++: slope / (1 + n / n_other) is the weight with the least variance.
        weight = min(1.0, max(-1.0, slope)) * n_other / (n + n_other)
        value += weight * float(centred[other].mean())
        row_influence[labelled] -= weight * centred[labelled] / n
        row_influence[other] = weight * (centred[other] - centred[other].mean()) / n_other
    error = math.sqrt(float(_cluster_variances(row_influence[judged, None], table.cluster[judged])[0]))
    return interval_terms.statistic(value, error, max_trials=float(judged.sum()), n=int(labelled.sum()))


class _IntervalTerms(NamedTuple):
    """Terms of the intervals of rates, from standard errors over clusters.

    Attributes:
        level: Nominal coverage.
        clusters: Clusters with labels of several people.
    """

    level: float
    clusters: int

    def statistic(self, value: float, error: float, *, max_trials: float, n: int) -> Statistic:
        """Return a rate with Wilson's interval, on an effective n of at most ``max_trials``."""
        if not math.isfinite(value):
            return undefined("no label of this class", n=n, level=self.level)
        if self.clusters < 2:  # noqa: PLR2004 - a spread needs two
            return undefined("the labels of several people are all in one cluster", n=n, level=self.level)
        value = min(1.0, max(0.0, value))
        # Student's quantile in place of the normal one allows for few clusters.
        wider_variance = (error * student_ratio(self.level, self.clusters - 1)) ** 2
        effective_n = value * (1 - value) / wider_variance if wider_variance > 0 else max_trials
        trials = min(max_trials, effective_n)
        return defined(
            value, wilson_interval(value, max(trials, 1.0), self.level), n=n, method=_METHOD, level=self.level
        )
