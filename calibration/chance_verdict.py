"""Verdict on a judge that is not clearly better than chance."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .statistic import Statistic

ChanceVerdict: TypeAlias = Literal["too few labels", "no better than chance", "not shown to be better"]
"""Verdict on a judge that may guess, by the rules of docs/report.md."""

_CHANCE_ACCURACY = 0.5
"""Balanced accuracy of a judge that guesses."""

_NEAR_CHANCE = 0.6
"""Upper limit of balanced accuracy below which a judge that may guess is no better than chance."""

_GOOD_ACCURACY = 0.8
"""Balanced accuracy of a good judge; an interval from chance to here proves nothing."""


def chance_verdict(balanced_accuracy: Statistic | None) -> ChanceVerdict | None:
    """Return the verdict on a judge that may guess, or None if it is better than chance.

    Without a balanced accuracy, or an interval of it, there are too few labels.
    """
    if balanced_accuracy is None or balanced_accuracy.low is None or balanced_accuracy.high is None:
        return "too few labels"
    if balanced_accuracy.low > _CHANCE_ACCURACY:
        return None
    if balanced_accuracy.high >= _GOOD_ACCURACY:
        return "too few labels"
    return "no better than chance" if balanced_accuracy.high < _NEAR_CHANCE else "not shown to be better"


def verdict_at_once(alone: Statistic | None, at_once: Statistic | None) -> ChanceVerdict | None:
    """Return the verdict on one of several judges, or None if it is better than chance.

    A judge is better than chance only if the interval that is valid for all judges at once shows it. If that does
    not, the verdict is by the interval of this judge alone.

    Args:
        alone: Balanced accuracy with an interval for this judge alone.
        at_once: Balanced accuracy with an interval that is valid for all judges at once.
    """
    verdict = chance_verdict(at_once)
    if verdict is None:
        return None
    return chance_verdict(alone) or (
        "too few labels" if verdict == "too few labels" else "not shown to be better"
    )
