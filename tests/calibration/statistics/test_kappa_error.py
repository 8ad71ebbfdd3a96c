"""Standard errors of kappa against statsmodels, and against the delta method that the commands use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from fiducial.calibration import ESTIMATORS, Settings, make_sample, measure
from fiducial.calibration.intervals.closed_forms import normal_quantile
from fiducial.calibration.statistics.kappa_error import kappa_null_standard_error, kappa_standard_error

cohens_kappa: Any = import_module("statsmodels.stats.inter_rater").cohens_kappa

TABLES = [
    [[40, 9], [6, 45]],
    [[88, 10, 2], [14, 40, 6], [18, 10, 12]],
    [[53, 5, 2], [11, 14, 5], [1, 6, 3]],
    [[1, 0], [0, 1]],
    [[118, 5], [2, 0]],
]


@pytest.mark.parametrize("table", TABLES)
def test_both_forms_are_those_of_statsmodels(table: list[list[int]]) -> None:
    expected = cohens_kappa(np.array(table))
    counts = np.array(table, dtype=float)
    assert kappa_standard_error(counts).value == pytest.approx(expected.std_kappa, abs=1e-12)
    assert kappa_null_standard_error(counts).value == pytest.approx(expected.std_kappa0, abs=1e-12)


@pytest.mark.parametrize("table", [table for table in TABLES if len(table) == 2])
def test_wald_intervals_are_made_of_the_first(table: list[list[int]]) -> None:
    (tn, fp), (fn, tp) = table
    label = np.repeat([0.0, 0, 1, 1], [tn, fp, fn, tp])
    score = np.repeat([0.0, 1, 0, 1], [tn, fp, fn, tp])
    found = measure([ESTIMATORS["cohen_kappa"]], make_sample(label, score), Settings(interval="wald"))
    kappa = found["cohen_kappa"]
    error = kappa_standard_error(np.array(table, dtype=float)).value
    assert kappa.high is not None
    assert error is not None
    assert kappa.high - (kappa.value or 0.0) == pytest.approx(normal_quantile(0.95) * error, abs=1e-10)


@pytest.mark.parametrize("table", [[[5, 0], [0, 0]], [[0, 0], [0, 0]]])
def test_where_kappa_is_undefined_so_is_its_error(table: list[list[int]]) -> None:
    counts = np.array(table, dtype=float)
    for found in (kappa_standard_error(counts), kappa_null_standard_error(counts)):
        assert found.value is None
        assert found.undefined is not None
