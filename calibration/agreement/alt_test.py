"""Alternative annotator test: may a judge stand in for the people who annotate?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from scipy.special import stdtr

from ..arrays import BoolArray, FloatArray
from ..comparison.multiple_tests import benjamini_yekutieli

Likeness: TypeAlias = Literal["equal", "near"]
"""How alike an annotation is to others: the share that is equal, or minus the root mean squared difference."""

_Alike: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

MIN_ITEMS = 30
"""Annotators with fewer items beside others are left out: the t-test needs as many."""

_PASSING = 0.5

_FALSE_DISCOVERIES = 0.05
"""Among annotators, as a share."""


class AnnotatorTest(msgspec.Struct, frozen=True, kw_only=True):
    """The judge against one annotator.

    Attributes:
        annotator: Their number, a column of the annotations.
        n: Items that they and at least one other annotated and the judge scored.
        judge_ahead: Share of items on which the judge is at least as near to the others as they are.
        annotator_ahead: Share on which they are at least as near as the judge.
        p: Of "the judge is not good enough", one-sided.
        rejected: Whether that is rejected, with false discoveries held by Benjamini and Yekutieli.
    """

    annotator: int
    n: int
    judge_ahead: float
    annotator_ahead: float
    p: float
    rejected: bool = False


class AltTest(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of the test.

    Attributes:
        winning_rate: Omega: share of annotators against whom the judge wins; None when none could be tested.
        advantage: Rho: mean over annotators of ``judge_ahead``; None likewise.
        passes: Whether omega is at least 1/2.
        epsilon: The handicap that people get for what they cost.
        annotators: The single tests.
        left_out: Annotators with too few items.
    """

    winning_rate: float | None
    advantage: float | None
    passes: bool
    epsilon: float
    annotators: list[AnnotatorTest]
    left_out: list[int]


def alt_test(
    annotations: FloatArray,
    judge: FloatArray,
    *,
    epsilon: float = 0.1,
    likeness: Likeness = "equal",
) -> AltTest:
    """Test whether a judge may stand in for annotators.

    For each annotator and item: who is nearer to the *other* annotators, the judge or they? A tie credits both.
    ``d = annotator_ahead - judge_ahead``; the null hypothesis is that its mean is at least epsilon.

    Source: Calderon, Reichart and Dror 2025.

    Args:
        annotations: Shape ``(items, annotators)``, NaN where there is none.
        judge: Shape ``(items,)``, NaN where there is none.
        epsilon: 0.2 for experts, 0.15 for trained annotators, 0.1 for a crowd.
        likeness: How two annotations are compared.

    Returns:
        The outcome.
    """
    found = {
        annotator: _against(annotator, _ahead(annotations, judge, annotator, _LIKENESS[likeness]), epsilon)
        for annotator in range(annotations.shape[1])
    }
    left_out = [annotator for annotator, test in found.items() if test is None]
    tests = _decided([test for test in found.values() if test is not None])
    winning = sum(test.rejected for test in tests) / len(tests) if tests else None
    return AltTest(
        winning_rate=winning,
        advantage=sum(test.judge_ahead for test in tests) / len(tests) if tests else None,
        passes=winning is not None and winning >= _PASSING,
        epsilon=epsilon,
        annotators=tests,
        left_out=left_out,
    )


def _against(annotator: int, ahead: tuple[FloatArray, FloatArray], epsilon: float) -> AnnotatorTest | None:
    """The judge against one annotator; None where they have too few items."""
    judge_ahead, annotator_ahead = ahead
    if len(judge_ahead) < MIN_ITEMS:
        return None
    return AnnotatorTest(
        annotator=annotator,
        n=len(judge_ahead),
        judge_ahead=float(judge_ahead.mean()),
        annotator_ahead=float(annotator_ahead.mean()),
        p=_p_value(annotator_ahead - judge_ahead, epsilon),
    )


def _decided(tests: list[AnnotatorTest]) -> list[AnnotatorTest]:
    """The tests with their decisions, which take all of them into account."""
    if not tests:
        return []
    adjusted = benjamini_yekutieli(np.array([test.p for test in tests]))
    return [
        msgspec.structs.replace(test, rejected=bool(p <= _FALSE_DISCOVERIES))
        for test, p in zip(tests, adjusted, strict=True)
    ]


def _ahead(
    annotations: FloatArray,
    judge: FloatArray,
    annotator: int,
    alike: _Alike,
) -> tuple[FloatArray, FloatArray]:
    """On each usable item, whether the judge, and whether the annotator, is at least as near to the others."""
    others = np.delete(annotations, annotator, axis=1)
    own = annotations[:, annotator]
    usable: BoolArray = np.isfinite(own) & np.isfinite(judge) & np.isfinite(others).any(axis=1)
    of_judge, of_own = alike(judge[usable], others[usable]), alike(own[usable], others[usable])
    return (of_judge >= of_own).astype(np.float64), (of_own >= of_judge).astype(np.float64)


def _p_value(difference: FloatArray, epsilon: float) -> float:
    """One-sided: the mean is at least epsilon, against less."""
    if np.ptp(difference) > 0.0:
        error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
        return float(stdtr(len(difference) - 1, (float(difference.mean()) - epsilon) / error))
    # Without spread there is no t: a mean of at least epsilon needs a difference of 1 with that probability at least.
    return float((1 - epsilon) ** len(difference)) if difference[0] < epsilon else 1.0


def _share_equal(values: FloatArray, others: FloatArray) -> FloatArray:
    known = np.isfinite(others)
    return (known & (others == values[:, None])).sum(axis=1) / known.sum(axis=1)


def _nearness(values: FloatArray, others: FloatArray) -> FloatArray:
    squares = np.where(np.isfinite(others), (others - values[:, None]) ** 2, 0.0)
    return -np.sqrt(squares.sum(axis=1) / np.isfinite(others).sum(axis=1))


_LIKENESS: dict[Likeness, _Alike] = {
    "equal": _share_equal,
    "near": _nearness,
}
