"""Statistics of the user's own: functions of labels, scores and weights, measured as ours are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ConfigurationError
from ...plugins import STATISTICS
from ..arrays import FloatArray
from ..sample import Cells
from .estimator import ESTIMATORS, Estimator


def own_estimators() -> list[Estimator]:
    """Every statistic that is registered, by decorator or entry point.

    Raises:
        ConfigurationError: One has the name of ours, or cannot be loaded.
    """
    usable, broken = STATISTICS.loaded()
    for plugin in broken:
        raise ConfigurationError(f"statistics: {plugin.name!r} cannot be used: {plugin.problem}")
    for name in usable.keys() & ESTIMATORS.keys():
        raise ConfigurationError(f"statistics: {name!r} is the name of a statistic that comes with fiducial")
    return [of_function(name, function) for name, function in usable.items()]


def of_function(name: str, function: Callable[..., Any]) -> Estimator:
    """A function as a statistic, with the clustered interval that any other has.

    Args:
        name: Its name.
        function: Takes labels, scores and weights, each of shape ``(m,)``; gives a number, or None or NaN where it is undefined.

    Returns:
        The statistic; it raises ConfigurationError for a function that raises or gives something else.
    """

    def formula(weights: FloatArray, cells: Cells) -> FloatArray:
        rows = weights.reshape(-1, weights.shape[-1])
        values = [_value(name, function, row, cells) for row in rows]
        return np.array(values, dtype=np.float64).reshape(weights.shape[:-1])

    return Estimator(name, formula, "the function gives no number here")


def _value(name: str, function: Callable[..., Any], weights: FloatArray, cells: Cells) -> float:
    there = weights > 0
    if not there.any():
        return math.nan
    try:
        value = function(cells.label[there], cells.score[there], weights[there])
        return math.nan if value is None else float(value)
    except Exception as error:
        raise ConfigurationError(f"statistics: {name!r} failed: {type(error).__name__}: {error}") from error
