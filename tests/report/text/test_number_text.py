from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.calibration import Statistic
from fiducial.evaluation.conclusion.run_results import StratumRate
from fiducial.report.text import number_text


def test_a_rate_is_printed_with_interval_denominator_and_what_is_not_graded():
    stratum = StratumRate(
        name="all",
        value=0.7099,
        low=0.6801,
        high=0.7399,
        n=1974,
        of=2000,
        outcomes={"unparsable": 18, "failed": 8},
    )
    assert number_text.rate(stratum) == "0.71 [0.68, 0.74], n 1,974 of 2,000 (18 unparsable, 8 failed)"


def test_a_rate_of_which_everything_is_graded_says_so_briefly():
    stratum = StratumRate(name="all", value=1.0, low=0.72, high=1.0, n=10, of=10, outcomes={"failed": 0})
    assert number_text.rate(stratum) == "1.00 [0.72, 1.00], n 10 of 10"


def test_an_undefined_rate_says_why_and_is_no_number():
    stratum = StratumRate(
        name="open", n=0, of=12, undefined="no output was judged", outcomes={"not_applicable": 12}
    )
    assert number_text.rate(stratum) == "undefined (no output was judged), n 0 of 12 (12 not applicable)"


def test_bounds_are_a_sentence_or_nothing():
    assert number_text.bounds(StratumRate(name="open", n=1, of=2, bounds=(0.25, 0.75))).startswith(
        "0.25 to 0.75 if all ungraded"
    )
    assert number_text.bounds(StratumRate(name="open", n=2, of=2)) == ""


@each_row(
    ("value", "text"), [(-0.001, "0.00"), (-0.04, "-0.04"), (0.005, "0.01"), (1.0, "1.00"), (-1.0, "-1.00")]
)
def test_decimals_have_no_negative_zero(value: Any, text: str):
    assert number_text.decimal(value) == text


def test_half_an_interval_is_no_interval():
    assert number_text.interval(0.1, None) == ""
    assert number_text.interval(-0.1, 0.25) == "[-0.10, 0.25]"


@pytest.mark.parametrize(
    ("statistic", "text"),
    [
        (Statistic(n=9, value=0.66, low=0.56, high=0.75), "0.66 [0.56, 0.75]"),
        (Statistic(n=9, value=0.66), "0.66"),
        (Statistic(n=9, undefined="every label is the same"), "undefined (every label is the same)"),
    ],
)
def test_statistics_are_printed_with_their_interval_or_the_reason_why_not(statistic: Statistic, text: str):
    assert number_text.statistic(statistic) == text


@each_row(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"),
        (185, "3 min 05 s"), (3599.7, "1 h 00 min"), (7620, "2 h 07 min"),
    ],
)  # fmt: skip
def test_durations_are_rounded_to_what_matters(seconds: float, text: str):
    assert number_text.duration(seconds) == text


@pytest.mark.parametrize(
    ("iso", "text"),
    [
        ("2026-03-20T10:41:07Z", "2026-03-20 10:41 UTC"),
        ("2026-03-20T01:41:07+03:00", "2026-03-19 22:41 UTC"),
        ("0001-01-01T00:00:00+03:00", "0001-01-01T00:00:00+03:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_a_moment_is_said_to_the_minute_in_utc_and_anything_else_is_left(iso: str, text: str):
    assert number_text.moment(iso) == text


def test_tokens_are_counted_in_and_out():
    assert number_text.tokens(12400, 830) == "12,400 in, 830 out"
    assert number_text.tokens(12400, 830, 9800) == "12,400 in (9,800 cached), 830 out"


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [
        (1, "reply", "1 reply"),
        (2, "reply", "2 replies"),
        (0, "day", "0 days"),
        (1_000, "cluster", "1,000 clusters"),
    ],
)
def test_a_count_agrees_with_its_noun(count: int, noun: str, told: str):
    assert number_text.counted(count, noun) == told
