"""Types of threshold results; they import nothing slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from ..statistic import Statistic

if TYPE_CHECKING:
    from ..arrays import FloatArray

Recalibrator: TypeAlias = Literal["isotonic", "platt"]


class CertifiedThreshold(msgspec.Struct, frozen=True):
    """A threshold of confidence with a guarantee, or the reason why there is none.

    Attributes:
        threshold: Keep verdicts of at least this confidence; None when nothing is certified.
        kept: Verdicts kept, of those looked at.
        errors: Wrong ones among them.
        error_bound: Upper bound of the error among kept verdicts.
        coverage: Share kept.
        undefined: Why nothing is certified.
    """

    threshold: float | None = None
    kept: int = 0
    errors: int = 0
    error_bound: float | None = None
    coverage: float | None = None
    undefined: str | None = None


class Cascade(msgspec.Struct, frozen=True):
    """Judges asked one after another.

    Attributes:
        judges: The certificate of each, in their order; its counts are of the items that came to it.
        kept: Items that some judge decides.
        errors: Those of them that are decided wrongly.
        n: Items.
        coverage: Share decided; None without items.
    """

    judges: dict[str, CertifiedThreshold]
    kept: int
    errors: int
    n: int
    coverage: float | None


class ChosenThreshold(msgspec.Struct, frozen=True):
    """A threshold on the score.

    Attributes:
        statistic: What was made largest.
        threshold: A score passes when it is at least this; None when nothing could be chosen.
        apparent: The statistic at the threshold, on the items that chose it.
        held_out: The statistic, each tenth of the clusters judged by the threshold that the others chose.
        optimism: Apparent less held-out: what choosing flatters.
        undefined: Why there is no threshold; None when there is one.
        n: Items that chose it. Neither value has an interval: the same items chose and are judged, if fold by
            fold.
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
        pass_at: The threshold in use.
        better_at: The threshold with the largest balanced accuracy on all items; ``pass_at`` if none has a
            larger one.
        gain: Balanced accuracy by the threshold that the other tenths of the clusters chose, minus that by
            ``pass_at``.
        clear: Whether the gain is at least 0.05 and its p, by the test that the interval inverts, at most
            0.02.
    """

    pass_at: float
    better_at: float
    gain: Statistic
    clear: bool


class Curve(msgspec.Struct, frozen=True, tag_field="method", tag="isotonic"):
    """A monotone map from score to rate: straight between its knots, level beyond them.

    Attributes:
        score: Knots, ascending.
        rate: Rates there, ascending.
    """

    score: list[float]
    rate: list[float]

    def __call__(self, score: FloatArray) -> FloatArray:
        """Rates of scores, shape ``(n,)``."""
        import numpy as np  # noqa: PLC0415 - slow to import, and a report does without

        return np.interp(score, self.score, self.rate)


class Sigmoid(msgspec.Struct, frozen=True, tag_field="method", tag="platt"):
    """The map ``1 / (1 + exp(-(slope * score + intercept)))``.

    Attributes:
        slope: Above 0 for a judge whose scores mean something.
        intercept: Log-odds at score 0.
    """

    slope: float
    intercept: float

    def __call__(self, score: FloatArray) -> FloatArray:
        """Rates of scores, shape ``(n,)``."""
        from scipy.special import expit  # noqa: PLC0415 - slow to import, and a report does without

        rate: FloatArray = expit(self.slope * score + self.intercept)
        return rate


class Recalibration(msgspec.Struct, frozen=True):
    """Effect of recalibration on the Brier score.

    Attributes:
        method: How the map was made.
        before: Brier score of the scores as they are.
        after: Of the scores mapped by a map that knew nothing of their clusters.
        change: After less before, pair by pair: below 0, recalibration helps.
        curve: The map made of all items, for new scores; None if undefined.
    """

    method: Recalibrator
    before: Statistic
    after: Statistic
    change: Statistic
    curve: Curve | Sigmoid | None
