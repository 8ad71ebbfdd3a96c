"""Agreement on declared levels, exact or weighted by the distance between levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import InputError
from ..arrays import FloatArray, IntArray
from ..intervals.measurement import DEFAULT_SETTINGS, Settings, measure
from ..sample import Cells, Estimator, Sample
from ..statistic_catalogue import ESTIMATORS
from ..statistics.rates import (
    alpha_nominal,
    brennan_prediger,
    cohen_kappa,
    gwet_ac1,
    gwet_ac2,
    scott_pi,
    weighted_kappa_table,
)
from .diagnosis_results import CategoryAgreement

_ROUNDING = 1e-9
"""Maximum distance of a value from its level."""

_ONE_LEVEL = "label and score use one and the same level only, so agreement by chance is certain"


def category_agreement(
    sample: Sample, levels: Sequence[float], settings: Settings = DEFAULT_SETTINGS
) -> CategoryAgreement:
    """Return statistics of the table of labels and scores with one row and column per level.

    Args:
        sample: Labels and scores.
        levels: All possible values, used or not, ascending, at least two.
        settings: Interval settings.

    Raises:
        InputError: A label or score is not one of the levels.
    """
    scale = np.asarray(levels, dtype=np.float64)
    _require_levels(sample.cells, scale)
    statistics = measure([ESTIMATORS["accuracy"]], _matches(sample, scale), settings)
    statistics |= measure(_estimators(scale), sample, settings)
    table = _tables(sample.counts, sample.cells, scale)
    return CategoryAgreement(scale.tolist(), table.astype(int).tolist(), statistics)


def linear_weights(levels: FloatArray) -> FloatArray:
    """Return 1 minus the distance of two levels over the largest distance, shape ``(q, q)``."""
    return 1 - np.abs(levels[:, None] - levels) / (levels[-1] - levels[0])


def ordinal_weights(levels: FloatArray) -> FloatArray:
    """Return Gwet's ordinal weights, which use only the order of the levels, shape ``(q, q)``."""
    # The number of pairs among the levels from one to the other, over that of all levels.
    span = np.abs(np.arange(len(levels))[:, None] - np.arange(len(levels))) + 1
    return 1 - span * (span - 1) / (len(levels) * (len(levels) - 1))


def _estimators(levels: FloatArray) -> list[Estimator]:
    linear = linear_weights(levels)
    quadratic = 1 - (1 - linear) ** 2
    # Kappa takes weights of disagreement, AC2 those of agreement.
    catalogue: dict[str, Callable[[FloatArray], FloatArray]] = {
        "cohen_kappa": cohen_kappa,
        "weighted_kappa_linear": lambda table: weighted_kappa_table(table, 1 - linear),
        "weighted_kappa_quadratic": lambda table: weighted_kappa_table(table, 1 - quadratic),
        "scott_pi": scott_pi,
        "krippendorff_alpha": alpha_nominal,
        "gwet_ac1": gwet_ac1,
        "gwet_ac2_linear": lambda table: gwet_ac2(table, linear),
        "gwet_ac2_quadratic": lambda table: gwet_ac2(table, quadratic),
        "gwet_ac2_ordinal": lambda table: gwet_ac2(table, ordinal_weights(levels)),
        "brennan_prediger": brennan_prediger,
    }
    return [_estimator(name, function, levels) for name, function in catalogue.items()]


def _estimator(name: str, function: Callable[[FloatArray], FloatArray], levels: FloatArray) -> Estimator:
    return Estimator(
        name, "graded", lambda weights, cells: function(_tables(weights, cells, levels)), _ONE_LEVEL
    )


def _matches(sample: Sample, levels: FloatArray) -> Sample:
    """Return the sample with score 1 where it matches the label's level, else 0.

    Agreement is then a share, with the interval of a share.
    """
    label, score = (_nearest_level(values, levels) for values in (sample.cells.label, sample.cells.score))
    cells = Cells(np.ones(len(label)), (label == score).astype(np.float64), 0.5)
    return Sample(cells, sample.groups, sample.sizes)


def _tables(weights: FloatArray, cells: Cells, levels: FloatArray) -> FloatArray:
    """Return tables of weights ``(..., q, q)``: rows are the label's level, columns the score's."""
    q = len(levels)
    table_cell = _nearest_level(cells.label, levels) * q + _nearest_level(cells.score, levels)
    return (weights @ np.eye(q * q)[table_cell]).reshape(*weights.shape[:-1], q, q)


def _nearest_level(values: FloatArray, levels: FloatArray) -> IntArray:
    return np.abs(values[:, None] - levels).argmin(axis=1)


def _require_levels(cells: Cells, levels: FloatArray) -> None:
    for name, values in (("label", cells.label), ("score", cells.score)):
        off_level = np.abs(values - levels[_nearest_level(values, levels)]) > _ROUNDING
        if off_level.any():
            shown_levels = ", ".join(f"{level:g}" for level in levels)
            raise InputError(f"the {name} {values[off_level][0]:g} is not one of the levels {shown_levels}")
