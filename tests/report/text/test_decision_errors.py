"""Errors of the people who decide are said beside the numbers that take their decisions as right."""

from __future__ import annotations

from fiducial.calibration.agreement.adjudication_results import Adjudicators
from fiducial.calibration.statistic import Statistic
from fiducial.report.document import as_lines
from fiducial.report.text.adjudication_text import who_decided


def told(alike: float | None) -> str:
    found = None if alike is None else Statistic(value=alike, low=0.8, high=1.0, n=40, method="Wilson")
    by = Adjudicators(
        items=40,
        people={"ann": 40},
        models={},
        twice=40 if found else 0,
        contested=0,
        alike=found,
        krippendorff_alpha=None,
    )
    return "\n".join(as_lines(who_decided(by, {})))


def test_one_person_is_asked_for_a_second():
    assert "have a second person decide half of them again" in told(None)


def test_two_people_tell_how_often_each_errs():
    assert "differ on 10% errs on about 5%" in told(0.9)
    assert "errs on about 0%" in told(1.0)
