"""Means of rows with weights, and the influence of each row."""

from __future__ import annotations

from .arrays import FloatArray


def scaled(weight: FloatArray) -> FloatArray:
    """Return the weights, scaled so that their sum is the effective number of rows.

    That number is ``(sum w)^2 / sum w^2`` (Kish 1965).
    """
    return weight * (weight.sum() / (weight**2).sum())


def weighted_mean(values: FloatArray, weight: FloatArray | None) -> float:
    """Return the mean of at least one value, weighted if there are weights."""
    return float(values.mean() if weight is None else weight @ values / weight.sum())


def mean_influence(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Return the influence of each value on `weighted_mean`."""
    if weight is None:
        return (values - values.mean()) / len(values)
    return weight * (values - weighted_mean(values, weight)) / weight.sum()


def total_weight(rows: int, weight: FloatArray | None) -> float:
    """Return the sum of the rows' weights; without weights every row has weight 1."""
    return float(rows if weight is None else weight.sum())
