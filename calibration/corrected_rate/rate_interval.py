"""Intervals of an estimated rate: Wilson's on the effective n, logit, or Wald."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..intervals.closed_forms import logit_interval, t_quantile, wald_interval, wilson_interval
from ..statistic import Interval

RateInterval: TypeAlias = Literal["score", "logit", "wald"]
"""Kind of interval; estimates without a form of ``score`` use ``logit`` in its place."""

ROUNDING = 1e-12
"""A standard error below this is rounding."""


def rate_interval(value: float, error: float, scale: RateInterval, level: float) -> tuple[Interval, str]:
    """Return an interval of a rate, which may lie outside [0, 1], and the name of its method.

    The method is ``logit`` if the scale is not ``wald`` and the value is inside (0, 1), else ``Wald``.
    """
    if scale != "wald":
        ends = logit_interval(value, error, level)
        if ends is not None:
            return ends, "logit"
    return wald_interval(value, error, level), "Wald"


def effective_n_interval(
    share: float, error: float, units: float, level: float, *, degrees: float | None = None
) -> Interval:
    """Return Wilson's interval on the effective n, ``share (1 - share) / error^2``.

    Args:
        share: The rate, in [0, 1].
        error: Its standard error.
        units: Number of independent units, used as n if they do not vary: a few equal ones do not prove a rate
            of 0 or 1.
        level: Nominal coverage.
        degrees: Degrees of freedom of the error, for Student's quantile, or None for the normal one.
    """
    if error <= ROUNDING or share in {0.0, 1.0} or (degrees is not None and degrees < 1):
        return wilson_interval(share, units, level)
    z = None if degrees is None else t_quantile(level, degrees)
    return wilson_interval(share, share * (1 - share) / error**2, level, z=z)
