"""Two scores of the same items, or two systems' outputs for them: the difference of any statistic, on the same resampled clusters."""

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
        joint: Counts over the distinct (first label and score, second label and score); its cells carry the first.
        second: The same cells with the second label and score.
    """

    joint: Sample
    second: Cells


def paired_sample(
    label: FloatArray,
    first: FloatArray,
    second: FloatArray,
    cluster: IntArray | None = None,
    *,
    second_label: FloatArray | None = None,
    pass_at: float = 0.5,
) -> PairedSample:
    """Reduce rows with two scores.

    Args:
        label: Trusted values, of what was scored first, shape ``(n,)``.
        first: One score, shape ``(n,)``.
        second: The other, shape ``(n,)``.
        cluster: Cluster number of each row, shape ``(n,)``; None when every row is its own.
        second_label: Of what was scored second, where that is something else; None where both scored the same.
        pass_at: A value passes when it is at least this.

    Returns:
        The sample.
    """
    columns = [label, first, second] + ([] if second_label is None else [second_label])
    (labels, firsts, seconds, *others), groups, sizes = reduce_rows(columns, cluster)
    joint = Sample(Cells(labels, firsts, pass_at), groups, sizes)
    return PairedSample(joint, Cells(others[0] if others else labels, seconds, pass_at))


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
        beyond = len(sample.second.score)
        label = np.concatenate([sample.second.label, cells.label[beyond:]])
        score = np.concatenate([sample.second.score, 1.0 - cells.score[beyond:]])
        second = Cells(label, score, cells.pass_at)
        return estimator.formula(weights, cells) - estimator.formula(weights, second)

    return Estimator(
        estimator.name,
        formula,
        f"it is so for one of the two: {estimator.undefined}",
        own_interval=_interval_of_shares(estimator.proportion, sample),
        max_cells=estimator.max_cells,
    )


def _interval_of_shares(proportion: Proportion | None, sample: PairedSample) -> OwnInterval | None:
    """Tango's, for shares of the same rows; None where the two have different rows in the denominator."""
    if proportion is None:
        return None
    second, successes, trials = sample.second, proportion.successes.ravel(), proportion.trials.ravel()
    if not _same_rows(proportion, sample):
        return None
    return lambda joint, level: paired_interval(
        (joint.cells.quadrant - second.quadrant) @ successes, joint.cells.quadrant @ trials, joint, level
    )


def _same_rows(proportion: Proportion, sample: PairedSample) -> bool:
    """Whether the denominator is all rows, or is chosen by a label that both have."""
    if proportion.trials.all():
        return True
    of_label = bool((proportion.trials[:, 0] == proportion.trials[:, 1]).all())
    first, second = (cells.label >= cells.pass_at for cells in (sample.joint.cells, sample.second))
    return of_label and bool((first == second).all())
