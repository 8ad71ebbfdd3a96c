"""Juries of planted dependence: is the number of independent votes covered by its interval?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from fiducial.calibration.agreement.diagnosis_results import JuryVotes
from fiducial.calibration.agreement.jury_votes import effective_votes

from .scenario import Scenario, mean, share

_TPR, _TNR, _RATE = 0.85, 0.75, 0.6


def jury_worth(draws: int) -> Iterator[Scenario]:
    """Three and five jurors whose errors correlate by 0, 0.3 and 1 within each class of labels."""
    for labels, jurors, shared in product((60, 150, 500), (3, 5), (0.0, 0.3, 1.0)):
        rng = np.random.default_rng([labels, jurors, round(10 * shared)])
        truth = jurors / (1 + (jurors - 1) * shared)
        found = [_found(rng, labels, jurors, shared).votes for _ in range(draws)]
        ends = [(statistic.low, statistic.high) for statistic in found]
        hits = [low <= truth <= high for low, high in ends if low is not None and high is not None]
        what = f"{jurors} jurors, errors correlate by {shared:g}, {labels} labels"
        yield share(f"{what}: {truth:.2f} votes covered, where it has an interval", "", "93 to 97 %", hits)
        yield share(f"{what}: needs more labels", "", "", [statistic.value is None for statistic in found])
        yield mean(
            f"{what}: votes", "", f"{truth:.2f}", [statistic.value for statistic in found if statistic.value]
        )


def _found(rng: np.random.Generator, labels: int, jurors: int, shared: float) -> JuryVotes:
    right = rng.random(labels) < _RATE
    common = rng.random((jurors, labels)) < np.sqrt(shared)
    chance = np.where(common, rng.random(labels), rng.random((jurors, labels)))
    wrong = chance > np.where(right, _TPR, _TNR)
    votes = np.where(wrong, ~right, right).astype(np.float64)
    rows = np.arange(labels, dtype=np.int64)
    return effective_votes(votes, [1.0] * jurors, right.astype(np.float64), rows)
