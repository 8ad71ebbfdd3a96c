"""Closed-form intervals: Wilson, Wald, t, Fisher's z, Clopper-Pearson."""

from __future__ import annotations

import math
from statistics import NormalDist

from ..statistic import Interval, TransformedScale


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + level) / 2)


def t_quantile(level: float, degrees: float) -> float:
    """Return the two-sided quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import; rates over independent cases do not need it

    return float(stdtrit(degrees, (1 + level) / 2))


def wilson_interval(share: float, trials: float, level: float = 0.95, *, z: float | None = None) -> Interval:
    """Compute Wilson's score interval of a proportion, within [0, 1].

    Source: Wilson 1927.

    Args:
        share: Successes / trials.
        trials: Number of trials, at least 1; may be an effective number.
        level: Nominal coverage.
        z: Quantile, or None for the normal one.
    """
    z = normal_quantile(level) if z is None else z
    denominator = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / denominator
    half_width = z / denominator * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At 0 and 1 the exact end is the share, without rounding.
    low = 0.0 if share == 0 else max(0.0, centre - half_width)
    high = 1.0 if share == 1 else min(1.0, centre + half_width)
    return low, high


def clopper_pearson_interval(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Compute the exact interval of a proportion, which covers at least at its level.

    Source: Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import; rates over independent cases do not need it

    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high


def wald_interval(value: float, standard_error: float, level: float = 0.95) -> Interval:
    """Return the value plus and minus the normal quantile times the standard error."""
    half_width = normal_quantile(level) * standard_error
    return value - half_width, value + half_width


def t_interval(value: float, standard_error: float, clusters: int, level: float = 0.95) -> Interval:
    """Return the value plus and minus the error times Student's quantile.

    The quantile has ``clusters - 1`` degrees of freedom.
    """
    half_width = t_quantile(level, clusters - 1) * standard_error
    return value - half_width, value + half_width


def within_unit(interval: Interval) -> Interval:
    """Return the part of an interval within [0, 1]."""
    low, high = interval
    return max(0.0, low), min(1.0, high)


def logit_interval(share: float, standard_error: float, level: float = 0.95) -> Interval | None:
    """Compute a rate's interval, symmetric in log-odds (delta method); None outside (0, 1)."""
    return _on_log_odds(share, normal_quantile(level) * standard_error)


def jackknife_interval(
    value: float, standard_error: float, degrees: float, scale: TransformedScale, level: float = 0.95
) -> tuple[Interval, str] | None:
    """Compute Student's interval over clusters of a bounded statistic, and its method's name.

    It is symmetric on an unbounded scale: ``fisher`` for statistics in [-1, 1], ``logit`` for [0, 1]. The error and
    its degrees of freedom come from leaving out one cluster at a time. None without a spread, or at a bound.
    """
    if not 0.0 < standard_error < math.inf:
        return None
    half_width = t_quantile(level, degrees) * standard_error
    ends = (
        _on_log_odds((1 + value) / 2, half_width / 2)
        if scale == "fisher"
        else _on_log_odds(value, half_width)
    )
    if ends is None:
        return None
    if scale == "logit":
        return ends, "logit of a jackknife over clusters"
    # Fisher's z is half the log-odds of (1 + value) / 2.
    return (2 * ends[0] - 1, 2 * ends[1] - 1), "Fisher's z of a jackknife over clusters"


def _on_log_odds(share: float, half_width: float) -> Interval | None:
    """Return an interval of a share, symmetric in log-odds; ``half_width`` is in shares."""
    if not 0.0 < share < 1.0:
        return None
    # The derivative of the log-odds is 1 / (share (1 - share)): the delta method.
    centre, half_width = math.log(share / (1 - share)), half_width / (share * (1 - share))
    return _rate_at(centre - half_width), _rate_at(centre + half_width)


def _rate_at(log_odds: float) -> float:
    odds_against = math.exp(-abs(log_odds))  # cannot overflow
    return 1 / (1 + odds_against) if log_odds >= 0 else odds_against / (1 + odds_against)


def fisher_interval(correlation: float, n: float, level: float = 0.95) -> Interval | None:
    """Compute Fisher's z interval of a correlation; None below 4 rows or at a correlation of 1.

    Source: Fisher 1921.
    """
    if n <= 3 or abs(correlation) >= 1.0:  # noqa: PLR2004 - the variance is 1 / (n - 3)
        return None
    low, high = wald_interval(math.atanh(correlation), 1 / math.sqrt(n - 3), level)
    return math.tanh(low), math.tanh(high)
