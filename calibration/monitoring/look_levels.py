"""Significance levels for repeated looks, which bound the chance of any false alarm.

Each of the first looks has its level; the levels of later looks lie on a common line.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from ..arrays import FloatArray, bisected

_FIRST_LOOKS = 5
"""Number of first looks that share most of the chance of a false alarm equally."""

_LATER_PART = 0.6
"""Part of the chance that later looks get, as a multiple of their share of information.

That is a tenth of the chance if the certified run has one reply per anchor.
"""

_FAR = 9.0
"""Number of standard deviations beyond which chances are negligible."""

_POINTS = 257
"""Number of points of the numerical integral."""


def look_levels(looks: int, alpha: float = 0.05, replies: float = 1.0) -> FloatArray:
    """Return the largest p-value with which each look signals a drop.

    Over all looks, a judge that does not change is flagged with chance ``alpha``.

    The difficulty of an anchor cancels in its differences. So for a judge that does not change, the
    statistics of looks ``s < t`` correlate as ``sqrt((1/R + 1/t) / (1/R + 1/s))``, however much it repeats
    itself: they are a Brownian motion observed at the shares ``t / (t + R)`` of its time. The first five
    looks spend equal parts of ``alpha``, nine tenths in all if ``R`` is 1; the rest is the chance that the
    motion ever crosses a straight line from there on, by the reflection principle.

    Source: Lan and DeMets 1983 (spending); Armitage, McPherson and Rowe 1969 (the integral over looks);
    Jennison and Turnbull 1997 (statistics of this form).

    Args:
        looks: Number of levels, from the first look on.
        alpha: Chance of a false alarm over all looks, however many there will be.
        replies: ``R``, the mean number of replies per anchor of the certified run.

    Returns:
        Levels, shape ``(looks,)``; the first ones do not depend on the number of looks.
    """
    shares = np.arange(1, _FIRST_LOOKS + 1) / (np.arange(1, _FIRST_LOOKS + 1) + replies)
    reserve = alpha * _LATER_PART * (1 - float(shares[-1]))
    levels, points, chance = list[float](), np.zeros(1), np.ones(1)
    for start, end in zip((0.0, *shares[:-1].tolist()), shares.tolist(), strict=True):
        step = math.sqrt(end - start)
        line = _line_crossed((alpha - reserve) / _FIRST_LOOKS, points, chance, step, 1.0)
        levels.append(float(ndtr(-line / math.sqrt(end))))
        points, chance = _not_crossed(line, math.sqrt(end), step, points, chance)
    line = _line_crossed(reserve, points, chance, math.sqrt(1 - shares[-1]), 2.0)
    later = np.arange(_FIRST_LOOKS + 1, max(_FIRST_LOOKS, looks) + 1)
    return np.append(levels, ndtr(-line / np.sqrt(later / (later + replies))))[:looks]


def _line_crossed(target: float, points: FloatArray, chance: FloatArray, step: float, sides: float) -> float:
    """Return the line that the motion crosses with the target chance.

    With ``sides`` 1 the motion is above the line at the end of the step. With 2 it is above the line at any time
    during the step, which is twice as likely (reflection principle).
    """

    def is_rare(line: float) -> bool:
        return float(chance @ np.minimum(1.0, sides * ndtr((points - line) / step))) <= target

    return bisected(0.0, _FAR, is_rare)[1]


def _not_crossed(
    line: float, spread: float, step: float, points: FloatArray, chance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return points below the line after a step, and the chance of each (trapezoid rule)."""
    below = np.linspace(-_FAR * spread, line, _POINTS)
    weight = np.full(_POINTS, below[1] - below[0])
    weight[[0, -1]] /= 2
    density = np.exp(-(((below[None, :] - points[:, None]) / step) ** 2) / 2) / (
        step * math.sqrt(2 * math.pi)
    )
    return below, (chance @ density) * weight
