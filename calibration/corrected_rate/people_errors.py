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

_SEVERAL = 2
"""Labels of an output from which people can be held against each other."""

_EDGE, _STEP = 1e-4, 1e-4
"""Distance from 0 and 1 within which a rate is at its edge and does not vary; step of numeric derivatives."""

_METHOD = "Dawid and Skene's model, sandwich over clusters; Wilson on the effective n"


def label_errors(table: Table, options: RateTerms) -> ErrorsOfPeople | None:
    """Return people's error rates and the corrected rate; None with one label an output.

    Labels of three people on every labelled output are needed: with two, error rates and the pass rate cannot
    be told apart. People are taken to err independently of each other, of the judge, and alike on all outputs of a class.
    The corrected rate is PPI++ with each output's chance to be right in place of its label.
    """
    people = table.opinions(PERSON)
    if not people:
        return None
    grades = np.stack(list(people.values()))
    times = np.isfinite(grades).sum(axis=0)
    n = int((times >= _SEVERAL).sum())
    if not n:
        return None
    split = (grades == 1.0).any(axis=0) & (grades == 0.0).any(axis=0)
    model = _unsuitable(table, grades, options) or dawid_skene(grades)
    if isinstance(model, str):
        return ErrorsOfPeople(n=n, n_split=int(split.sum()), undefined=model)
    return _of_model(table, list(people), grades, model, options)


def _unsuitable(table: Table, grades: FloatArray, options: RateTerms) -> str | None:
    """Return why labels of several people cannot be modelled, if so."""
    times = np.isfinite(grades).sum(axis=0)
    labelled = times > 0
    few = int((labelled & (times < MIN_JUDGES)).sum())
    reasons = {
        "people's grades are fractions; the model is of passes and fails": not np.isin(
            grades[np.isfinite(grades)], (0.0, 1.0)
        ).all(),
        "the model is of a random sample of labels, for a population": options.target == "finite"
        or options.chosen_by is not None,
        "labels were drawn with unequal chances, or by stratum": was_drawn(table).any()
        or STRATUM in table.columns,
        f"{few:,} of {int(labelled.sum()):,} labelled outputs have labels of fewer than three people": few
        > 0,
        "cases have unequal numbers of trials": cases_of(table) is not None,
        "some labelled outputs are ungraded": (labelled & ~np.isfinite(table.score)).any(),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


class _Terms(NamedTuple):
    """Rates of the model as one vector: prevalence, then TPR and TNR by person.

    Attributes:
        grades: Labels, NaN without one, shape ``(J, n)``.
        rates: The fitted rates.
        free: Which of them are not at an edge.
    """

    grades: FloatArray
    rates: FloatArray
    free: BoolArray

    def scores(self, logits: FloatArray) -> FloatArray:
        """Return each item's derivative of the log-likelihood by the free logits ``(n, f)``."""
        rates = self.rates.copy()
        rates[self.free] = 1 / (1 + np.exp(-logits))
        people = len(self.grades)
        prevalence, tpr, tnr = rates[0], rates[1 : people + 1, None], rates[people + 1 :, None]
        given, passed = np.isfinite(self.grades), self.grades == 1.0
        right = np.where(given, np.where(passed, tpr, 1 - tpr), 1.0).prod(axis=0) * prevalence
        wrong = np.where(given, np.where(passed, 1 - tnr, tnr), 1.0).prod(axis=0) * (1 - prevalence)
        chance = right / (right + wrong)
        by_tpr = np.where(given, chance * (passed - tpr), 0.0)
        by_tnr = np.where(given, (1 - chance) * (~passed - tnr), 0.0)
        return np.concatenate([(chance - prevalence)[None], by_tpr, by_tnr])[self.free].T

    def influence(self) -> FloatArray:
        """Return each item's influence on each rate, shape ``(n, 2 J + 1)``; 0 for those at an edge."""
        free = self.rates[self.free]
        logits = np.log(free / (1 - free))
        slopes = np.stack(
            [
                (self.scores(logits + step).sum(axis=0) - self.scores(logits - step).sum(axis=0))
                / (2 * _STEP)
                for step in np.eye(len(logits)) * _STEP
            ]
        )
        found = np.zeros((self.grades.shape[1], len(self.rates)))
        found[:, self.free] = -self.scores(logits) @ np.linalg.pinv(slopes) * (free * (1 - free))
        return found


def _of_model(
    table: Table, names: list[str], grades: FloatArray, model: DawidSkene, options: RateTerms
) -> ErrorsOfPeople:
    judged = np.isfinite(table.score)
    labelled = np.isfinite(model.posterior) & judged
    if not labelled.any():
        return ErrorsOfPeople(n=0, undefined="no judged output has labels of three people")
    rates = np.concatenate([[model.prevalence], model.true_positive_rate, model.true_negative_rate])
    free = np.isfinite(rates) & (rates > _EDGE) & (rates < 1 - _EDGE)
    influence = _Terms(grades[:, labelled], np.nan_to_num(rates, nan=0.5), free).influence()
    cluster = np.unique(table.cluster, return_inverse=True)[1]
    interval = _Interval(options.level, len(np.unique(cluster[labelled])))
    errors = np.sqrt(_summed(influence, cluster[labelled]))
    posterior = model.posterior[labelled]
    people: dict[str, PersonErrors] = {}
    for index, name in enumerate(names):
        given = np.isfinite(grades[index][labelled])
        if given.any():
            places = len(names) + 1 + index, 1 + index
            expected = float((1 - posterior)[given].sum()), float(posterior[given].sum())
            let_through, rejected = (
                interval.of(1.0 - rates[place], errors[place], most=n, n=round(n))
                for place, n in zip(places, expected, strict=True)
            )
            people[name] = PersonErrors(n=int(given.sum()), let_through=let_through, rejected=rejected)
    rate = _rate(table, labelled, posterior, influence[:, 0], interval)
    split = (grades == 1.0).any(axis=0) & (grades == 0.0).any(axis=0) & labelled
    return ErrorsOfPeople(n=int(labelled.sum()), n_split=int(split.sum()), people=people, rate=rate)


def _summed(influence: FloatArray, cluster: IntArray) -> FloatArray:
    """Return the sums of squares over clusters of influences ``(n, r)``, shape ``(r,)``."""
    number = np.unique(cluster, return_inverse=True)[1]
    sums = np.stack([np.bincount(number, weights=column) for column in influence.T])
    return (sums**2).sum(axis=1)


def _rate(
    table: Table, labelled: BoolArray, posterior: FloatArray, influence: FloatArray, interval: _Interval
) -> Statistic:
    """Return PPI++ with each output's chance to be right as its label."""
    judged = np.isfinite(table.score)
    other = judged & ~labelled
    value, each = float(posterior.mean()), np.zeros(len(table))
    each[labelled] = influence
    if other.any():
        score = table.score
        n, n_other = int(labelled.sum()), int(other.sum())
        centred = score - score[labelled].mean()
        spread = float((centred[labelled] ** 2).mean())
        slope = 0.0 if spread <= 0 else float((influence * n * centred[labelled]).mean()) / spread
        weight = min(1.0, max(-1.0, slope)) * n_other / (n + n_other)
        value += weight * float(centred[other].mean())
        each[labelled] -= weight * centred[labelled] / n
        each[other] = weight * (centred[other] - centred[other].mean()) / n_other
    error = math.sqrt(float(_summed(each[judged, None], table.cluster[judged])[0]))
    return interval.of(value, error, most=float(judged.sum()), n=int(labelled.sum()))


class _Interval(NamedTuple):
    """Intervals of rates from their standard error over clusters.

    Attributes:
        level: Nominal coverage.
        clusters: Clusters with labels of several people.
    """

    level: float
    clusters: int

    def of(self, value: float, error: float, *, most: float, n: int) -> Statistic:
        """Return a rate, on an effective n of at most ``most``."""
        if not math.isfinite(value):
            return undefined("no label of this class", n=n, level=self.level)
        if self.clusters < 2:  # noqa: PLR2004 - a spread needs two
            return undefined("the labels of several people are all in one cluster", n=n, level=self.level)
        value = min(1.0, max(0.0, value))
        spread = (error * student_ratio(self.level, self.clusters - 1)) ** 2
        trials = min(most, value * (1 - value) / spread) if spread > 0 else most
        return defined(
            value, wilson_interval(value, max(trials, 1.0), self.level), n=n, method=_METHOD, level=self.level
        )
