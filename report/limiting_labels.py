"""Number of labels that a comparison lacks if labels, not cases, limit it."""

from __future__ import annotations

import math

from ..calibration.comparison.comparison_results import FEWEST_COMPARED, ComparedPair, ComparedStratum

_POWER_95 = 2.8
"""Standard errors in a difference that a test at 5 % finds four times in five: 1.96 + 0.84."""

_NORMAL_95 = 1.96


def labels_for_pair(pair: ComparedPair, undecided: ComparedStratum, difference: float) -> int | None:
    """Return how many more labels of undecided outputs would show a difference.

    The variance of a corrected difference is that of the outputs, which more cases reduce, plus that of the labels.
    None if the outputs have the larger part, or too few of them are left to label.
    """
    names = (pair.a, pair.b)
    labelled = sum(undecided.labelled.get(name, 0) for name in names)
    unlabelled = sum(undecided.graded.get(name, 0) for name in names) - labelled
    if pair.difference.low is None or pair.difference.high is None:
        lacking = sum(max(0, FEWEST_COMPARED - undecided.labelled.get(name, 0)) for name in names)
        return min(lacking, unlabelled) or None
    variance = ((pair.difference.high - pair.difference.low) / 2 / _NORMAL_95) ** 2
    differing, value = (pair.a_only_right + pair.b_only_right) / pair.n, pair.difference.value or 0.0
    cluster_size = pair.n / pair.effective_clusters
    output_variance = max(0.0, differing - value**2) / pair.n * (1 + (cluster_size - 1) * pair.icc)
    label_variance = (difference / _POWER_95) ** 2 - output_variance  # at most, to show the difference
    if 2 * output_variance > variance or label_variance <= 0 or not labelled:
        return None
    lacking = math.ceil(labelled * ((variance - output_variance) / label_variance - 1))
    return lacking if 0 < lacking <= unlabelled else None
