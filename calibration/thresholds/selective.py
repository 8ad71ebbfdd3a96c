"""Selective judging: keep only confident verdicts, with a guarantee on the error among those kept - or say that there is none."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.closed_forms import clopper_pearson_interval
from .results import Certificate

GRID = tuple((19 - step) / 20 for step in range(20))
"""Confidence thresholds, strict to lax, fixed before the data are seen: each is one more chance to pass."""


def certify(
    confidence: FloatArray,
    wrong: BoolArray,
    *,
    max_error: float,
    failure: float = 0.1,
    cluster: IntArray | None = None,
    seed: int = 0,
) -> Certificate:
    """Fixed-sequence testing: go from strict to lax, stop at the first threshold whose error bound is too high.

    With probability ``1 - failure`` over calibration samples, the verdicts kept at the threshold are wrong at most
    ``max_error`` of the time. The exact bound needs independent rows, so one row of each cluster is drawn.

    Source: Angelopoulos et al. 2021 (Learn then Test); Jung et al. 2024 (arXiv 2407.18370).

    Args:
        confidence: In [0, 1], shape ``(n,)``.
        wrong: Whether the verdict is wrong, shape ``(n,)``.
        max_error: The error to be guaranteed.
        failure: How often the guarantee may fail.
        cluster: Cluster number of each row; None when every row is its own.
        seed: Decides which row of a cluster is drawn.

    Returns:
        The laxest certified threshold. Thresholds that keep too few rows to ever pass are skipped: a rule on how many
        are kept, not on how many are wrong.
    """
    if cluster is not None:
        order = np.random.default_rng(seed).permutation(len(cluster))
        chosen = order[np.unique(cluster[order], return_index=True)[1]]
        confidence, wrong = confidence[chosen], wrong[chosen]
    fewest = math.ceil(math.log(failure) / math.log(1 - max_error))
    best: Certificate | None = None
    for threshold in GRID:
        keep = confidence >= threshold
        kept, errors = int(keep.sum()), int((keep & wrong).sum())
        if kept < fewest:
            continue
        # A one-sided bound at `failure` is the upper end of a two-sided interval at twice that.
        bound = clopper_pearson_interval(errors, kept, 1 - 2 * failure)[1]
        if bound > max_error:
            break
        best = Certificate(threshold, kept, errors, bound, kept / len(confidence), None)
    if best is not None:
        return best
    reason = f"no threshold certified: it takes at least {fewest} kept verdicts with hardly an error"
    return Certificate(None, 0, 0, None, None, reason)
