"""Bradley-Terry model: differences of strengths are log-odds of preference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.closed_forms import t_interval
from ..intervals.variance import MIN_CLUSTERS, cluster_error
from ..statistic import Statistic, defined, undefined

_MAX_STEPS = 100
"""Maximum number of steps of Newton's method."""

_CONVERGED = 1e-12
"""Size of a step below which Newton's method has converged."""

_ROUNDING = 1e-12
"""A standard error, or a relative change of the likelihood, below this is rounding."""

_MAX_NAMES = 3
"""Maximum number of systems that a message names; the others are counted."""


def strengths(
    systems: Sequence[str],
    a: IntArray,
    b: IntArray,
    preferred: FloatArray,
    cluster: IntArray,
    *,
    level: float = 0.95,
) -> list[Statistic]:
    """Return maximum likelihood strengths, one per system, with mean 0.

    Errors are sandwich errors over clusters. Strengths are undefined if the comparisons do not bound them.

    A comparison counts as one win, divided between the two systems by how far each was preferred: a tie, or a flip,
    is half a win for each. The likelihood is that of fractional responses; its maximum exists if that of wins and
    losses does.

    Source: Bradley and Terry 1952; Ford 1957 for when the maximum exists; Papke and Wooldridge 1996 for
    fractions; Liang and Zeger 1986.

    Args:
        systems: Names of the k systems.
        a: Number of one system of each comparison, shape ``(n,)``.
        b: Number of the other system, shape ``(n,)``.
        preferred: Degree to which ``a`` was preferred, in [0, 1].
        cluster: Cluster numbers.
        level: Confidence level of the intervals.
    """
    k = len(systems)
    counts = np.bincount(np.concatenate([a, b]), minlength=k)
    wins = np.zeros((k, k))
    np.add.at(wins, (a, b), preferred)
    np.add.at(wins, (b, a), 1.0 - preferred)
    why = _why_unbounded(systems, wins)
    if why is not None:
        return [undefined(why, n=int(n), level=level) for n in counts]
    beta, inverse = _fit(wins)
    residual = preferred - expit(beta[a] - beta[b])
    return [
        sandwich_statistic(
            float(beta[index]),
            residual * (inverse[index, a] - inverse[index, b]),
            cluster,
            n=int(counts[index]),
            level=level,
        )
        for index in range(k)
    ]


def sandwich_statistic(
    value: float, influence: FloatArray, cluster: IntArray, *, n: int, level: float
) -> Statistic:
    """Return an estimate with a t interval by its sandwich error over clusters.

    ``influence`` and ``cluster`` have a value for each comparison. There is no interval if the error cannot be
    estimated.
    """
    clusters = len(np.unique(cluster))
    if clusters < MIN_CLUSTERS:
        return defined(value, n=n, method="no interval from a single cluster", level=level)
    error = cluster_error(influence, cluster)
    if error <= _ROUNDING:
        return defined(value, n=n, method="no interval: all comparisons are alike", level=level)
    ends = t_interval(value, error, clusters, level)
    return defined(value, ends, n=n, method="sandwich over clusters, t", level=level)


def _fit(wins: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the strengths and the inverse of the information, by Newton's method.

    Each step is halved until it does not make the fit worse.
    """
    compared = wins + wins.T
    beta = np.zeros(len(wins))
    likelihood = _log_likelihood(beta, wins)
    inverse: FloatArray = np.zeros_like(wins)
    for _ in range(_MAX_STEPS):
        chance = expit(beta[:, None] - beta[None, :])
        gradient = (wins - compared * chance).sum(axis=1)
        weight = compared * chance * (1.0 - chance)
        information = np.diag(weight.sum(axis=1)) - weight
        inverse = _inverse(information)
        step = inverse @ gradient
        if float(np.abs(step).max(initial=0.0)) < _CONVERGED:
            break
        least_accepted = likelihood - _ROUNDING * abs(likelihood)
        while (new_likelihood := _log_likelihood(beta + step, wins)) < least_accepted:
            step = step / 2
        beta, likelihood = beta + step, new_likelihood
    return beta - beta.mean(), inverse


def _inverse(information: FloatArray) -> FloatArray:
    """Return the pseudo-inverse of the information of connected comparisons.

    Its null space is known: all strengths equal. So it is filled before inverting, and removed afterwards.
    `numpy.linalg.pinv` would have to distinguish its eigenvalue from rounding, which fails on some processors.
    """
    filling = float(np.trace(information)) / len(information) ** 2
    filled_inverse = np.linalg.inv(information + filling)
    return filled_inverse.astype(np.float64) - 1.0 / (filling * len(information) ** 2)


def _log_likelihood(beta: FloatArray, wins: FloatArray) -> float:
    return float(-(wins * np.logaddexp(0.0, beta[None, :] - beta[:, None])).sum())


def _why_unbounded(systems: Sequence[str], wins: FloatArray) -> str | None:
    """Return why the likelihood has no maximum, or None if it has one.

    It has a maximum if and only if, however systems are divided in two parts, each part has won against the other.
    """
    has_won = (wins > 0).astype(np.int64)
    parts, part = _components(has_won, strong=False)
    if parts > 1:
        groups = [_names_shown(_members(systems, part == number)) for number in range(parts)]
        return f"never compared with each other, not even through others: {' | '.join(groups)}"
    parts, part = _components(has_won, strong=True)
    if parts == 1:
        return None
    # Some part has never lost to the others; its members have no upper bound.
    beaten = [bool((wins[np.ix_(part != number, part == number)] > 0).any()) for number in range(parts)]
    top = _names_shown(_members(systems, part == beaten.index(False)))
    return f"no finite strength: {top} won every comparison with the others"


def _members(systems: Sequence[str], mask: BoolArray) -> list[str]:
    return [name for name, is_member in zip(systems, mask.tolist(), strict=True) if is_member]


def _components(edges: IntArray, *, strong: bool) -> tuple[int, IntArray]:
    connection = "strong" if strong else "weak"
    parts, part = connected_components(edges, directed=True, connection=connection)
    return int(parts), np.asarray(part, dtype=np.int64)


def _names_shown(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMES]) + (
        f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    )
