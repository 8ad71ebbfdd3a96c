"""Errors of people who decide are printed beside numbers that rely on their decisions."""

from __future__ import annotations

from fiducial.calibration.agreement.adjudication_results import Adjudicators
from fiducial.calibration.statistic import Statistic
from fiducial.report.document import as_lines
from fiducial.report.text.agreement_text import who_decided


def told(alike: float | None, error: float | None = None) -> str:
    found = None if alike is None else Statistic(value=alike, low=0.8, high=1.0, n=40, method="Wilson")
    wrong = None if error is None else Statistic(value=error, low=0.0, high=0.1, n=40, method="Wilson")
    by = Adjudicators(
        items=40,
        people={"ann": 40},
        models={},
        twice=40 if found else 0,
        contested=0,
        alike=found,
        error=wrong,
        krippendorff_alpha=None,
    )
    return "\n".join(as_lines(who_decided(by, {})))


def test_one_person_is_asked_for_a_second():
    assert "have a second person decide half of them again" in told(None)


def test_two_people_tell_how_often_each_errs():
    assert "differ on 10 % errs on about 5 %" in told(0.9)
    assert "errs on about 0 %" in told(1.0)


def test_an_estimated_error_rate_is_said_with_the_numbers_that_allow_for_it():
    text = told(0.9, 0.05)
    assert "decisions are wrong at a rate of 0.050 [0.000, 0.100] (n 40) by items that two decided" in text
    assert "only corrected numbers allow for it" in text
