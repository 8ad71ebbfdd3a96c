"""Two scores of the same items: the difference of any statistic, on the same resampled clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.paired_shares import paired_interval
from ..sample import Cells, Sample, reduce_rows
from ..statistics.estimator import Estimator, OwnInterval
from ..statistics.rates import Proportion


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Two samples that share their rows.

    Attributes:
        joint: Counts over the distinct (label, first score, second score); its cells carry the first score.
        second: The same cells with the second score.
    """

    joint: Sample
    second: Cells


def paired_sample(
    label: FloatArray,
    first: FloatArray,
    second: FloatArray,
    cluster: IntArray | None = None,
    *,
    pass_at: float = 0.5,
) -> PairedSample:
    """Reduce rows with two scores.

    Args:
        label: Trusted values, shape ``(n,)``.
        first: One score, shape ``(n,)``.
        second: The other, shape ``(n,)``.
        cluster: Cluster number of each row, shape ``(n,)``; None when every row is its own.
        pass_at: A value passes when it is at least this.

    Returns:
        The sample.
    """
    (labels, firsts, seconds), groups, sizes = reduce_rows([label, first, second], cluster)
    joint = Sample(Cells(labels, firsts, pass_at), groups, sizes)
    return PairedSample(joint, Cells(labels, seconds, pass_at))


def difference_of(estimator: Estimator, sample: PairedSample) -> Estimator:
    """The statistic of the first score minus that of the second, itself a statistic of the joint sample.

    Args:
        estimator: The statistic.
        sample: Both scores.

    Returns:
        An estimator that is no proportion, so that its interval is a paired one: Tango's of shares of
        the same rows (accuracy, true positive rate), a bootstrap of other statistics.
    """

    def formula(weights: FloatArray, cells: Cells) -> FloatArray:
        # Cells beyond those of the sample are what-if rows; there the second score says the opposite of the first.
        opposite = 1.0 - cells.score[len(sample.second.score) :]
        second = Cells(cells.label, np.concatenate([sample.second.score, opposite]), cells.pass_at)
        return estimator.formula(weights, cells) - estimator.formula(weights, second)

    return Estimator(
        estimator.name,
        formula,
        f"it is so for one of the two: {estimator.undefined}",
        own_interval=_interval_of_shares(estimator.proportion, sample.second),
        max_cells=estimator.max_cells,
    )


def _interval_of_shares(proportion: Proportion | None, second: Cells) -> OwnInterval | None:
    """Tango's, for shares of rows that the label alone chooses; those of other proportions differ between the scores."""
    if proportion is None or (proportion.trials[:, 0] != proportion.trials[:, 1]).any():
        return None
    successes, trials = proportion.successes.ravel(), proportion.trials.ravel()
    return lambda joint, level: paired_interval(
        (joint.cells.quadrant - second.quadrant) @ successes, joint.cells.quadrant @ trials, joint, level
    )
