"""The catalogue of statistics: each says what it is computed from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from source_tree import import_graph

from fiducial.calibration import AGREEMENT, ESTIMATORS
from fiducial.calibration.agreement.calibration_results import JudgeCalibration
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


def test_a_statistic_that_is_added_last_is_not_reported_as_a_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ESTIMATORS, "newest", replace(ESTIMATORS["ece"], name="newest"))
    names = ["accuracy", "ece", "newest", "halves"]
    panel = JudgeCalibration(statistics={name: undefined("no rows", n=0) for name in names})
    assert list(statistics_of(panel, "custom")) == ["halves"]


def test_formulas_do_not_import_intervals():
    formulas = {name for name in import_graph() if name.startswith("fiducial.calibration.statistics.")}
    used = {target for name in formulas for target in import_graph()[name]}
    assert formulas
    assert not [name for name in used if name.startswith("fiducial.calibration.intervals")]
