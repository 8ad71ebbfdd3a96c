from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.calibration import Statistic
from fiducial.errors import UsageError


class Rate(Statistic, frozen=True, kw_only=True):
    """A rate that knows its failures, as those of a run do."""

    name: str = "checker decided"
    failures: list[fd.Verdict] = []


def failed(number: int, **fields: Any) -> fd.Verdict:
    said: dict[str, Any] = {"by": "ast/strict", "source": "checker", "outcome": "graded", "score": 0.0}
    return fd.Verdict(case_id=f"trip-{number}", system="me", **said | fields)


def test_a_rate_that_is_surely_high_enough_passes():
    fd.assert_rate(Statistic(value=0.9, low=0.8, high=0.95, n=200), at_least=0.8)


def test_the_lower_bound_counts_and_the_message_names_what_failed_and_why():
    rate = Rate(
        value=0.9,
        low=0.79,
        high=0.95,
        n=20,
        failures=[
            failed(1, error_type="value_error:string", reason="city:\ngot 'Romme'"),
            failed(2, trial=3),
        ],
    )
    with pytest.raises(AssertionError) as told:
        fd.assert_rate(rate, at_least=0.8)
    assert str(told.value).splitlines() == [
        "pass rate of checked outputs is 0.900 [0.790, 0.950] (n 20); at 95 % confidence it may be as low as 0.790, below 0.8",
        "2 outputs failed:",
        "  trip-1 (me): 0 by ast/strict: value_error:string: city: got 'Romme'",
        "  trip-2 (me, trial 3): 0 by ast/strict",
    ]


def test_of_many_failures_the_first_are_named_and_long_reasons_cut():
    rate = Rate(value=0.1, low=0.0, high=0.2, n=99, failures=[failed(n, reason="x" * 500) for n in range(30)])
    with pytest.raises(AssertionError) as told:
        fd.assert_rate(rate)
    lines = str(told.value).splitlines()
    assert (len(lines), lines[1], lines[-1]) == (13, "30 outputs failed:", "  ... and 20 more")
    assert max(map(len, lines)) < 300


@pytest.mark.parametrize(
    ("statistic", "why"),
    [
        (Statistic(n=0, undefined="no row has a label"), "the rate is undefined: no row has a label"),
        (Statistic(value=1.0, n=1), r"the rate is 1\.000 \(n 1\), without an interval to go by"),
    ],
)
def test_what_has_no_interval_does_not_pass(statistic: Statistic, why: str):
    with pytest.raises(AssertionError, match=why):
        fd.assert_rate(statistic)


@each_row(
    ("statistic", "at_least"),
    [(0.9, 0.8), (None, 0.8), (Statistic(n=1), float("nan")), (Statistic(n=1), 80), (Statistic(n=1), "0.8")],
)
def test_what_cannot_be_compared_is_refused(statistic: Any, at_least: float):
    with pytest.raises(UsageError, match=r"assert_rate: expected|at_least= expects a number"):
        fd.assert_rate(statistic, at_least)


def test_pytest_shows_the_line_of_the_test_and_nothing_of_fiducial():
    with pytest.raises(AssertionError) as refused:
        fd.assert_rate(Statistic(value=0.5, low=0.4, high=0.6, n=90), at_least=0.8)
    assert {str(entry.path) for entry in refused.traceback.filter(refused)} == {__file__}
