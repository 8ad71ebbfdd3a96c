"""The mean label from labels that were drawn, with unequal and known chances, in one round or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.closed_forms import wilson_interval
from ..intervals.variance import FEWEST, Estimate
from ..statistic import Statistic, defined, undefined
from .active_labels import DrawnLabels, Moved, active_lambda, moved
from .rate_interval import ROUNDING, RateInterval, rate_interval


class ActiveEstimate(NamedTuple):
    """The estimate.

    Attributes:
        weight: Lambda, how far the judge is trusted; of several rounds, their mean. None where nothing is estimated.
        estimate: The mean label.
    """

    weight: float | None
    estimate: Statistic


def active_estimate(
    data: DrawnLabels,
    *,
    drawn_in: IntArray | None = None,
    finite: bool = False,
    interval: RateInterval = "score",
    level: float = 0.95,
) -> ActiveEstimate:
    """Estimate the mean label, round by round.

    In each round what was labelled before is there for certain, and each new label weighs 1 / its chance in that round;
    whatever the earlier labels had to do with those chances, the error of a round has a mean of 0 given the rounds before.
    So errors of rounds are not correlated, and their estimates are averaged, each weighing as much as it has labels.

    Source: Zrnic and Candes 2024 (arXiv 2403.03208), whose sequential estimate this is, with batches for single labels.

    Args:
        data: The items; the chance of each label is the one in its own round.
        drawn_in: Round in which each label was drawn, shape ``(M,)``: 1, 2, ...; 0 for labels from before the first. None
            where there is one round.
        finite: The mean of just these items, drawn one by one, not of the population that they are from.
        interval: ``wald`` is symmetric, any other ``logit``; both clustered for a population.
        level: Nominal coverage.

    Returns:
        The estimate; undefined with fewer than two labels.
    """
    count = int(data.known.sum())
    if count < 2:  # noqa: PLR2004 - a variance needs two
        return ActiveEstimate(
            None, undefined("fewer than two items have both a label and a score", n=count, level=level)
        )
    weights, value, error = _over_rounds(data, drawn_in, finite=finite)
    if error <= ROUNDING and 0.0 <= value <= 1.0 and not finite:
        # Nothing varies over clusters, which few of them do not prove.
        ends, method = wilson_interval(value, len(np.unique(data.cluster[data.known])), level), "Wilson"
    else:
        ends, method = rate_interval(value, error, interval if error > 0 else "wald", level)
    return ActiveEstimate(weights, defined(value, ends, n=count, method=method, level=level))


def _over_rounds(data: DrawnLabels, drawn_in: IntArray | None, *, finite: bool) -> tuple[float, float, float]:
    """Lambda, value and standard error of the average over rounds."""
    rounds = _rounds(data, drawn_in)
    lambdas = [active_lambda(part) for part, _ in rounds]
    found: list[Moved] = [moved(part, weight) for (part, _), weight in zip(rounds, lambdas, strict=True)]
    shares = np.array([new for _, new in rounds], dtype=np.float64)
    shares /= shares.sum()
    value = float(shares @ [each.value for each in found])
    if finite:
        error = float(np.sqrt((shares**2) @ [each.design.sum() for each in found]))
    else:
        influence: FloatArray = shares @ np.stack([each.influence for each in found])
        error = _cluster_error(influence, data)
    return float(shares @ lambdas), value, error


def _rounds(data: DrawnLabels, drawn_in: IntArray | None) -> list[tuple[DrawnLabels, int]]:
    """What was known after each round, with how many new labels."""
    if drawn_in is None or not (drawn_in[data.known] > 0).any():
        return [(data, int(data.known.sum()))]
    rounds: list[tuple[DrawnLabels, int]] = []
    numbers: list[int] = np.unique(drawn_in[data.known & (drawn_in > 0)]).tolist()
    for number in numbers:
        label = np.where(drawn_in <= number, data.label, np.nan)
        chance = np.where(drawn_in == number, data.probability, 1.0)
        new = int((data.known & (drawn_in == number)).sum())
        rounds.append((DrawnLabels(label, data.score, chance, data.cluster), new))
    return rounds


def _cluster_error(influence: FloatArray, data: DrawnLabels) -> float:
    # The labels are what is scarce: their clusters decide how much the spread is underestimated.
    labelled = max(FEWEST, len(np.unique(data.cluster[data.known])))
    return Estimate(0.0, influence - influence.mean(), data.cluster).error(clusters=labelled)
