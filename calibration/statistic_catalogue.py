"""Catalogue of statistics: the built-in ones by name, and those that plugins add."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ConfigurationError
from ..plugins import STATISTICS
from .arrays import FloatArray
from .intervals.special_intervals import balanced_accuracy_interval, bias_interval, ece_interval
from .sample import Cells, Estimator, IntervalFunction, StatisticFamily
from .statistic import TransformedScale
from .statistics import rates
from .statistics.graded import (
    MAX_PAIRWISE_CELLS,
    concordance,
    icc_a1,
    kendall_tau_b,
    mae,
    pearson,
    rmse,
    signed_bias,
    spearman,
    weighted_kappa,
)
from .statistics.krippendorff import alpha_interval, alpha_ordinal
from .statistics.probabilities import auroc, average_precision, brier, ece
from .statistics.rates import alpha_nominal, cohen_kappa, gwet_ac1, mcc, scott_pi


def _table_statistic(
    name: str,
    function: Callable[[FloatArray], FloatArray],
    undefined: str,
    special_interval: IntervalFunction | None = None,
    few_clusters: TransformedScale | None = None,
    *,
    weight_of_passes: Callable[[FloatArray], float] | None = None,
) -> Estimator:
    proportion = function if isinstance(function, rates.Proportion) else None
    return Estimator(
        name,
        "table",
        lambda weights, cells: function(cells.tables(weights)),
        undefined,
        proportion,
        special_interval,
        few_clusters,
        weight_of_passes=weight_of_passes,
    )


_NO_ROWS = "no row has both a label and a score"
_ONE_CATEGORY = "label and judge use one and the same class only, so agreement by chance is certain"
_ONE_CLASS = "all labels are of one class"
_CONSTANT = "all labels, or all scores, are equal"
_ALL_EQUAL = "all labels and scores are one and the same value"

_CATALOGUE = (
    _table_statistic("accuracy", rates.accuracy, _NO_ROWS),
    _table_statistic("true_positive_rate", rates.true_positive_rate, "no label passes"),
    _table_statistic("true_negative_rate", rates.true_negative_rate, "every label passes"),
    _table_statistic("precision", rates.precision, "the judge passes nothing"),
    _table_statistic(
        "f1_positive",
        rates.f1_positive,
        "neither a label nor the judge passes anything",
        few_clusters="logit",
    ),
    _table_statistic(
        "f1_macro", rates.f1_macro, "label and judge use one and the same class only", few_clusters="logit"
    ),
    _table_statistic(
        "balanced_accuracy",
        rates.balanced_accuracy,
        _ONE_CLASS,
        balanced_accuracy_interval,
        weight_of_passes=lambda _: 0.5,  # weight of the true positive rate, the same for every table
    ),
    _table_statistic("mcc", mcc, "all labels, or all verdicts, are of one class", few_clusters="fisher"),
    _table_statistic("cohen_kappa", cohen_kappa, _ONE_CATEGORY, few_clusters="fisher"),
    _table_statistic("scott_pi", scott_pi, _ONE_CATEGORY, few_clusters="fisher"),
    _table_statistic("gwet_ac1", gwet_ac1, _NO_ROWS, few_clusters="fisher"),
    _table_statistic("krippendorff_alpha", alpha_nominal, _ONE_CATEGORY, few_clusters="fisher"),
    _table_statistic("prevalence", rates.prevalence, _NO_ROWS),
    _table_statistic("judge_rate", rates.judge_rate, _NO_ROWS),
    _table_statistic("bias", rates.bias, _NO_ROWS, bias_interval),
    Estimator("pearson", "graded", pearson, _CONSTANT),
    Estimator("spearman", "graded", spearman, _CONSTANT),
    Estimator("kendall_tau_b", "graded", kendall_tau_b, _CONSTANT, max_cells=MAX_PAIRWISE_CELLS),
    Estimator("concordance", "graded", concordance, _ALL_EQUAL),
    Estimator("icc_a1", "graded", icc_a1, f"{_ALL_EQUAL}, or there is one row"),
    Estimator("weighted_kappa", "graded", weighted_kappa, _ALL_EQUAL),
    Estimator("krippendorff_alpha_interval", "graded", alpha_interval, _ALL_EQUAL),
    Estimator("krippendorff_alpha_ordinal", "graded", alpha_ordinal, _ALL_EQUAL),
    Estimator("mae", "graded", mae, _NO_ROWS),
    Estimator("rmse", "graded", rmse, _NO_ROWS),
    Estimator("signed_bias", "graded", signed_bias, _NO_ROWS),
    Estimator("auroc", "probability", auroc, _ONE_CLASS),
    Estimator("average_precision", "probability", average_precision, "no label passes"),
    Estimator("brier", "probability", brier, _NO_ROWS),
    Estimator("ece", "probability", ece, _NO_ROWS, special_interval=ece_interval),
)

ESTIMATORS: dict[str, Estimator] = {estimator.name: estimator for estimator in _CATALOGUE}
"""Built-in statistics by name, in the order in which they are printed."""

AGREEMENT = tuple(name for name, estimator in ESTIMATORS.items() if estimator.family == "table")
"""Names of the statistics of the 2x2 table: agreement, and the rates of labels and judge."""


def family_of(name: str) -> StatisticFamily:
    """Return the family of a statistic, by its name."""
    return ESTIMATORS[name].family if name in ESTIMATORS else "custom"


def custom_estimators() -> list[Estimator]:
    """Return every registered custom statistic, from decorators and entry points.

    Raises:
        ConfigurationError: A statistic cannot be loaded, or has the name of a built-in one.
    """
    usable, broken = STATISTICS.loaded()
    for plugin in broken:
        raise ConfigurationError(f"statistics: {plugin.name!r} cannot be used: {plugin.problem}")
    for name in usable.keys() & ESTIMATORS.keys():
        raise ConfigurationError(f"statistics: {name!r} is the name of a statistic that comes with fiducial")
    return [of_function(name, function) for name, function in usable.items()]


def of_function(name: str, function: Callable[..., Any]) -> Estimator:
    """Wrap a function as a statistic, with clustered intervals like any other.

    The function takes labels, scores and weights, each of shape ``(m,)``, and returns a number, or None or
    NaN if it is undefined. If it raises, or returns anything else, computing the statistic raises a
    ConfigurationError.
    """

    def formula(weights: FloatArray, cells: Cells) -> FloatArray:
        rows = weights.reshape(-1, weights.shape[-1])
        values = [_value(name, function, row, cells) for row in rows]
        return np.array(values, dtype=np.float64).reshape(weights.shape[:-1])

    return Estimator(name, "custom", formula, "the function gives no number here")


def _value(name: str, function: Callable[..., Any], weights: FloatArray, cells: Cells) -> float:
    has_weight = weights > 0
    if not has_weight.any():
        return math.nan
    try:
        value = function(cells.label[has_weight], cells.score[has_weight], weights[has_weight])
        return math.nan if value is None else float(value)
    except Exception as error:
        raise ConfigurationError(f"statistics: {name!r} failed: {type(error).__name__}: {error}") from error
