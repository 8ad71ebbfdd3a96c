"""A judge's rates corrected by an audit of the labels: the correction, small audits, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration import Sample, make_sample
from fiducial.calibration.agreement.label_audit import corrected_rates
from fiducial.calibration.intervals.closed_forms import wilson_interval


def table(tn: int, fp: int, fn: int, tp: int) -> Sample:
    """Rows of a checker's label and a judge's score."""
    times = [tn, fp, fn, tp]
    return make_sample(np.repeat([0.0, 0, 1, 1], times), np.repeat([0.0, 1, 0, 1], times))


def test_the_correction_undoes_what_errors_of_the_labels_did() -> None:
    # 600 right, 400 wrong; labels miss a quarter of the right and pass a tenth of the wrong; the judge errs by a tenth.
    right_passed, right_failed, wrong_passed, wrong_failed = 540, 60, 40, 360
    tp = 0.75 * right_passed + 0.1 * wrong_passed
    fn = 0.75 * right_failed + 0.1 * wrong_failed
    sample = table(60 - 45 + 360 - 36, round(580 - tp), round(fn), round(tp))
    found = corrected_rates(sample, np.array([[90.0, 10.0], [25.0, 75.0]]))
    assert found.prevalence.value == pytest.approx(0.6, abs=2e-3)
    assert found.true_positive_rate.value == pytest.approx(0.9, abs=2e-3)
    assert found.true_negative_rate.value == pytest.approx(0.9, abs=5e-3)


def test_rates_of_the_labels_have_wilsons_interval() -> None:
    found = corrected_rates(table(400, 50, 50, 500), np.array([[30.0, 0.0], [4.0, 36.0]]))
    specificity, sensitivity = found.label_specificity, found.label_sensitivity
    assert (specificity.low, specificity.high) == pytest.approx(wilson_interval(1.0, 30))
    assert (sensitivity.low, sensitivity.high) == pytest.approx(wilson_interval(0.9, 40))


def test_an_audit_that_saw_no_error_does_not_prove_that_there_is_none() -> None:
    sample = table(400, 50, 50, 500)
    few, many = (corrected_rates(sample, np.array([[n, 0.0], [0.0, n]])) for n in (20.0, 2_000.0))
    width = [(each.true_positive_rate.high or 0) - (each.true_positive_rate.low or 0) for each in (few, many)]
    assert few.true_positive_rate.value == many.true_positive_rate.value
    assert width[0] > 1.5 * width[1]


@pytest.mark.parametrize(
    "audit", [[[5.0, 5.0], [6.0, 4.0]], [[10.0, 0.0], [0.0, 0.0]]], ids=["no better than chance", "one class"]
)
def test_labels_that_say_nothing_correct_nothing(audit: list[list[float]]) -> None:
    found = corrected_rates(table(40, 5, 5, 50), np.array(audit))
    assert found.true_positive_rate.value is None
    assert "no better than chance, or lacks a class" in (found.true_positive_rate.undefined or "")
    assert found.label_specificity.value is not None
