"""Alternative annotator test: whether a judge can replace human annotators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from scipy.special import stdtr

from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.significance import benjamini_yekutieli
from ..intervals.clustered_means import mean_over_clusters

Likeness: TypeAlias = Literal["equal", "near"]
"""Similarity of an annotation to others: the share that is equal, or minus the root mean squared difference."""

_LikenessFunction: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Function from values ``(n,)`` and others' annotations ``(n, others)`` to the similarity of each, ``(n,)``."""

MIN_ITEMS = 30
"""Minimum number of items that an annotator shares with others, for the t-test."""

_PASSING_RATE = 0.5
"""Minimum winning rate of a judge that passes."""

_MAX_CLUSTERS_WITHOUT_SKEWNESS = 2
"""With no more clusters skewness cannot be estimated."""

_FALSE_DISCOVERY_RATE = 0.05
"""Maximum expected share of false rejections among the annotators' tests."""


class AnnotatorTest(msgspec.Struct, frozen=True, kw_only=True):
    """The judge against one annotator.

    Attributes:
        annotator: Number of the annotator: a column of the annotations.
        n: Number of items that the annotator and at least one other annotated and the judge scored.
        judge_ahead: Share of items on which the judge is at least as near to the others as the annotator.
        annotator_ahead: Share of items on which the annotator is at least as near to the others as the judge.
        n_clusters: Number of clusters of these items.
        p: One-sided p-value, over clusters, of the null hypothesis that the judge is not good enough; None if
            all items are in one cluster.
        rejected: Whether the null hypothesis is rejected, controlling false discoveries (Benjamini and
            Yekutieli).
    """

    annotator: int
    n: int
    n_clusters: int
    judge_ahead: float
    annotator_ahead: float
    p: float | None
    rejected: bool = False


class AltTest(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the alternative annotator test.

    Attributes:
        winning_rate: Share of annotators against whom the judge wins (omega in the paper), or None if none could be
            tested.
        advantage: Mean over annotators of ``judge_ahead`` (rho in the paper), or None if none could be tested.
        passes: Whether ``winning_rate`` is at least 1/2.
        epsilon: Amount by which annotators may be ahead of the judge, since they cost more.
        annotators: Test against each annotator.
        left_out: Annotators with too few items.
        left_out_items: Number of usable items of each annotator left out, fewer than `MIN_ITEMS`.
    """

    winning_rate: float | None
    advantage: float | None
    passes: bool
    epsilon: float
    annotators: list[AnnotatorTest]
    left_out: list[int]
    left_out_items: list[int] = []


def alt_test(
    annotations: FloatArray,
    judge: FloatArray,
    *,
    epsilon: float = 0.1,
    likeness: Likeness = "equal",
    cluster: IntArray | None = None,
) -> AltTest:
    """Test whether a judge can replace annotators.

    Annotations have shape ``(items, annotators)``, the judge's scores ``(items,)``, with NaN where missing.

    For each annotator and item the test asks who is nearer to the *other* annotators: the judge, or the
    annotator. A tie credits both. ``d = annotator_ahead - judge_ahead``; the null hypothesis is that its mean
    is at least ``epsilon``: 0.2 for experts, 0.15 for trained annotators, 0.1 for a crowd.

    The t-test is over clusters (`mean_over_clusters`), since items of one case, which are hard or easy
    together, are not independent. As it is one-sided, it is corrected for the skewness of the clusters' sums.

    Source: Calderon, Reichart and Dror 2025.
    """
    clusters = np.arange(len(judge)) if cluster is None else cluster
    usable_items = [_usable_items(annotator, annotations, judge) for annotator in range(annotations.shape[1])]
    n_left_out = {
        annotator: n for annotator, rows in enumerate(usable_items) if (n := int(rows.sum())) < MIN_ITEMS
    }
    tests = _with_rejections(
        [
            _annotator_test(
                annotator,
                annotations[rows],
                judge[rows],
                clusters[rows],
                likeness=_LIKENESS[likeness],
                epsilon=epsilon,
            )
            for annotator, rows in enumerate(usable_items)
            if annotator not in n_left_out
        ]
    )
    winning = sum(test.rejected for test in tests) / len(tests) if tests else None
    return AltTest(
        winning_rate=winning,
        advantage=sum(test.judge_ahead for test in tests) / len(tests) if tests else None,
        passes=winning is not None and winning >= _PASSING_RATE,
        epsilon=epsilon,
        annotators=tests,
        left_out=list(n_left_out),
        left_out_items=list(n_left_out.values()),
    )


def _usable_items(annotator: int, annotations: FloatArray, judge: FloatArray) -> BoolArray:
    others = np.delete(annotations, annotator, axis=1)
    return np.isfinite(annotations[:, annotator]) & np.isfinite(judge) & np.isfinite(others).any(axis=1)


def _annotator_test(
    annotator: int,
    annotations: FloatArray,
    judge: FloatArray,
    cluster: IntArray,
    *,
    likeness: _LikenessFunction,
    epsilon: float,
) -> AnnotatorTest:
    """Test the judge against one annotator, on usable items."""
    others, values = np.delete(annotations, annotator, axis=1), annotations[:, annotator]
    judge_likeness, annotator_likeness = likeness(judge, others), likeness(values, others)
    judge_ahead = (judge_likeness >= annotator_likeness).astype(np.float64)
    annotator_ahead = (annotator_likeness >= judge_likeness).astype(np.float64)
    return AnnotatorTest(
        annotator=annotator,
        n=len(judge_ahead),
        n_clusters=len(np.unique(cluster)),
        judge_ahead=float(judge_ahead.mean()),
        annotator_ahead=float(annotator_ahead.mean()),
        p=_p_value(annotator_ahead - judge_ahead, cluster, epsilon),
    )


def _with_rejections(tests: list[AnnotatorTest]) -> list[AnnotatorTest]:
    """Decide which null hypotheses are rejected, for all tests together."""
    if not tests:
        return []
    adjusted = benjamini_yekutieli(np.array([1.0 if test.p is None else test.p for test in tests]))
    return [
        msgspec.structs.replace(test, rejected=bool(p <= _FALSE_DISCOVERY_RATE))
        for test, p in zip(tests, adjusted, strict=True)
    ]


def _p_value(difference: FloatArray, cluster: IntArray, epsilon: float) -> float | None:
    """Return the one-sided p-value for a mean of at least epsilon, against less."""
    mean = mean_over_clusters(difference, cluster)
    if not mean.estimable:
        return None
    if not mean.flat:
        t = (mean.value - epsilon) / mean.error
        return float(stdtr(mean.degrees, _without_skewness(t, difference - mean.value, cluster)))
    # Without spread there is no t. For a mean of at least epsilon, clusters must differ by 1 with at least that
    # probability; the p-value is the chance to see none of them.
    return float((1 - epsilon) ** mean.clusters) if mean.value < epsilon else 1.0


def _without_skewness(t: float, residual: FloatArray, cluster: IntArray) -> float:
    """Correct a t value for skewness, so that it is equally likely to be too low and too high.

    Sums over clusters are skewed, since a judge is entirely wrong on a few of them.

    Source: Hall 1992, the cubic that removes the skewness of a mean, here of clusters' sums.
    """
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=residual)
    clusters, spread = len(sums), float((sums**2).mean())
    skewness = (
        float((sums**3).mean()) / spread**1.5 / math.sqrt(clusters)
        if clusters > _MAX_CLUSTERS_WITHOUT_SKEWNESS
        else 0.0
    )
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


def _share_equal(values: FloatArray, others: FloatArray) -> FloatArray:
    annotated = np.isfinite(others)
    return (annotated & (others == values[:, None])).sum(axis=1) / annotated.sum(axis=1)


def _nearness(values: FloatArray, others: FloatArray) -> FloatArray:
    squares = np.where(np.isfinite(others), (others - values[:, None]) ** 2, 0.0)
    return -np.sqrt(squares.sum(axis=1) / np.isfinite(others).sum(axis=1))


_LIKENESS: dict[Likeness, _LikenessFunction] = {
    "equal": _share_equal,
    "near": _nearness,
}
