"""The catalogue of statistics: each says what it is computed from."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from fiducial.calibration import AGREEMENT, ESTIMATORS
from fiducial.calibration.agreement.calibration_results import JudgeCalibration
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.intervals.measurement import IntervalOption, Settings, measure
from fiducial.calibration.sample import make_sample
from fiducial.calibration.statistic import undefined
from fiducial.calibration.statistic_catalogue import family_of, of_function
from fiducial.report.text.calibration_text import statistics_of


def test_agreement_is_what_is_computed_from_the_2x2_table():
    assert AGREEMENT[0] == "accuracy"
    assert {ESTIMATORS[name].family for name in AGREEMENT} == {"table"}
    assert ESTIMATORS["pearson"].family == "graded"
    assert ESTIMATORS["ece"].family == "probability"


def test_a_statistic_of_a_user_is_custom():
    assert of_function("halves", lambda *_: 0.5).family == "custom"
    assert family_of("halves") == "custom"


@pytest.mark.parametrize("interval", get_args(IntervalOption))
def test_a_custom_statistic_has_the_interval_of_the_same_formula(interval: IntervalOption) -> None:
    def mean_distance(label: FloatArray, score: FloatArray, weights: FloatArray) -> float:
        return float((weights * np.abs(label - score)).sum() / weights.sum())

    rng = np.random.default_rng(0)
    label, score = rng.integers(0, 2, 300).astype(float), rng.random(300)
    sample = make_sample(label, score, np.arange(300) // 3)
    estimators = [of_function("mean_distance", mean_distance), ESTIMATORS["mae"]]
    custom, built_in = measure(estimators, sample, Settings(interval=interval)).values()
    assert (custom.low, custom.high) == pytest.approx((built_in.low, built_in.high), abs=0.01)


def test_a_statistic_that_is_added_last_is_not_reported_as_a_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ESTIMATORS, "newest", replace(ESTIMATORS["ece"], name="newest"))
    names = ["accuracy", "ece", "newest", "halves"]
    panel = JudgeCalibration(statistics={name: undefined("no rows", n=0) for name in names})
    assert list(statistics_of(panel, "custom")) == ["halves"]
