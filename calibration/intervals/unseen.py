"""An interval where the data have no spread: what clusters of a kind that was not seen could change."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..sample import Cells, Sample
from ..statistics.estimator import Estimator
from .closed_forms import Interval, wilson_interval
from .clustered_rates import effective_trials
from .variance import spread_of_sums

_CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
"""Label and score of the four extreme rows."""


def unseen_interval(estimator: Estimator, value: float, sample: Sample, level: float) -> Interval:
    """The range of a statistic when a share of the population is of one extreme kind that the sample happened to miss.

    A bootstrap of a judge that never erred gives an interval of no width, on ten rows as on ten thousand. The share
    that may have been missed is Wilson's upper bound for 0 of as many trials as the rows are worth.

    Args:
        estimator: The statistic.
        value: Its estimate.
        sample: The rows, in at least one cluster.
        level: Nominal coverage.

    Returns:
        The lowest and the highest value over the four corners of (label, score), the estimate among them.
    """
    rows = np.asarray(sample.groups.sum(axis=1), dtype=np.float64)
    spread = spread_of_sums(np.zeros_like(rows), rows, sample.sizes)
    share = wilson_interval(0.0, effective_trials(spread, 0.0, 0.0), level)[1]
    cells = Cells(
        np.concatenate([sample.cells.label, _CORNERS[:, 0]]),
        np.concatenate([sample.cells.score, _CORNERS[:, 1]]),
        sample.cells.pass_at,
    )
    seen = np.concatenate([sample.counts, np.zeros(len(_CORNERS))])
    missed = np.eye(len(seen))[-len(_CORNERS) :] * sample.n
    values: FloatArray = estimator.formula((1 - share) * seen + share * missed, cells)
    fine = np.append(values[np.isfinite(values)], value)
    return float(fine.min()), float(fine.max())
