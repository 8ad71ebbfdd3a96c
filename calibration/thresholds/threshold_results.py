"""Types of threshold results; imports neither numpy nor scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from ..statistic import Statistic

if TYPE_CHECKING:
    from ..arrays import FloatArray

Recalibrator: TypeAlias = Literal["isotonic", "platt"]
"""Map from scores to rates: a monotone curve, or a logistic one."""

BoundOf: TypeAlias = Literal["outputs", "clusters"]
"""What an error bound is for: all outputs, or one output of each cluster."""


class CertifiedThreshold(msgspec.Struct, frozen=True):
    """A confidence threshold with a guarantee, or the reason why there is none.

    Attributes:
        threshold: Minimum confidence of the verdicts kept, or None if nothing is certified.
        kept: Number of verdicts kept.
        errors: Number of wrong verdicts among those kept.
        error_bound: Upper bound of the error rate of kept verdicts.
        coverage: Share of verdicts kept.
        undefined: Why nothing is certified, or None if something is.
        bound_of: Population of the error rate: all outputs, or one output of each cluster. They differ if clusters
            differ in size, since the largest may have most of the errors.
    """

    threshold: float | None = None
    kept: int = 0
    errors: int = 0
    error_bound: float | None = None
    coverage: float | None = None
    undefined: str | None = None
    bound_of: BoundOf = "outputs"


class Cascade(msgspec.Struct, frozen=True):
    """Judges asked one after another.

    Attributes:
        judges: Certified threshold of each judge, in order; counts are of the items that reach the judge.
        kept: Number of items decided by some judge.
        errors: Number of items decided wrongly.
        n: Number of items.
        coverage: Share of items decided, or None without items.
    """

    judges: dict[str, CertifiedThreshold]
    kept: int
    errors: int
    n: int
    coverage: float | None


class ChosenThreshold(msgspec.Struct, frozen=True):
    """A pass threshold chosen to maximise a statistic.

    Attributes:
        statistic: Statistic that was maximised.
        threshold: Scores at or above this pass; None if no threshold could be chosen.
        apparent: The statistic at the threshold, on the items that chose it.
        held_out: The statistic if each tenth of the clusters uses the threshold that is best on the others.
        optimism: ``apparent`` minus ``held_out``: the bias from choosing.
        undefined: Why there is no threshold, or None if there is one.
        n: Number of items that chose it. There are no intervals, since folds share the items that choose.
    """

    statistic: str
    threshold: float | None = None
    apparent: float | None = None
    held_out: float | None = None
    optimism: float | None = None
    undefined: str | None = None
    n: int = 0


class BetterThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """Another threshold, and its gain on held-out items.

    Attributes:
        pass_at: Threshold in use.
        better_at: Threshold with the largest balanced accuracy on all items; ``pass_at`` if no other has a larger
            one.
        gain: Gain in balanced accuracy over ``pass_at``, cross-fitted: each tenth of the clusters uses the threshold
            that is best on the others.
        clear: Whether the gain is at least 0.05, with a p-value of at most 0.02 by the test that the interval
            inverts.
    """

    pass_at: float
    better_at: float
    gain: Statistic
    clear: bool


class Curve(msgspec.Struct, frozen=True, tag_field="method", tag="isotonic"):
    """Monotone map from score to rate, linear between its knots and constant beyond them.

    Attributes:
        score: Scores of the knots, ascending.
        rate: Rates at the knots, ascending.
    """

    score: list[float]
    rate: list[float]

    def __call__(self, score: FloatArray) -> FloatArray:
        """Return the rates of scores, both of shape ``(n,)``."""
        import numpy as np  # noqa: PLC0415 - slow to import, and a report does without

        return np.interp(score, self.score, self.rate)


class Sigmoid(msgspec.Struct, frozen=True, tag_field="method", tag="platt"):
    """Logistic map from score to rate: ``1 / (1 + exp(-(slope * score + intercept)))``.

    Attributes:
        slope: Slope; above 0 for a judge whose scores are informative.
        intercept: Log-odds at score 0.
    """

    slope: float
    intercept: float

    def __call__(self, score: FloatArray) -> FloatArray:
        """Return the rates of scores, both of shape ``(n,)``."""
        from scipy.special import expit  # noqa: PLC0415 - slow to import, and a report does without

        rate: FloatArray = expit(self.slope * score + self.intercept)
        return rate


class Recalibration(msgspec.Struct, frozen=True):
    """Effect of recalibration on the Brier score.

    Attributes:
        method: Method of the map.
        before: Brier score of the original scores.
        after: Brier score of mapped scores, each by a map fitted without its cluster.
        change: ``after`` minus ``before``; recalibration helps if it is below 0.
        curve: Map fitted to all items, for new scores, or None if undefined.
    """

    method: Recalibrator
    before: Statistic
    after: Statistic
    change: Statistic
    curve: Curve | Sigmoid | None
