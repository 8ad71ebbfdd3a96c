"""The interval of an estimated rate: on the log-odds scale where there is one, else symmetric."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..intervals.closed_forms import Interval, logit_interval, wald_interval

RateInterval: TypeAlias = Literal["logit", "wald"]


def rate_interval(value: float, error: float, scale: RateInterval, level: float) -> tuple[Interval, str]:
    """An interval of a rate and what it is called.

    Args:
        value: The rate; estimates may lie outside [0, 1].
        error: Its standard error.
        scale: ``logit`` where the value is inside (0, 1), else ``wald``.
        level: Nominal coverage.

    Returns:
        Its ends, and ``logit`` or ``Wald``.
    """
    if scale == "logit":
        ends = logit_interval(value, error, level)
        if ends is not None:
            return ends, "logit"
    return wald_interval(value, error, level), "Wald"
