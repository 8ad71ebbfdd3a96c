"""Rates of a fractional judge by pass threshold."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.intervals.clustered_rates import share_of
from fiducial.report.score_thresholds import JudgedRow, bins_of, rates_by_threshold


def test_each_score_that_can_be_a_threshold_has_both_rates_with_intervals():
    scored = [(0.2, 0.0, "a"), (0.6, 0.0, "b"), (0.6, 1.0, "c"), (1.0, 1.0, "d")]
    rows = [JudgedRow(*row, undecided=True) for row in scored]
    found = {rate.at: rate for rate in rates_by_threshold(rows, 0.5)}
    assert list(found) == [0.5, 0.6, 1.0]
    assert (found[1.0].passed_bad.value, found[1.0].failed_good.value) == (0.0, 0.5)
    assert (found[0.6].passed_bad.value, found[0.6].failed_good.value) == (0.5, 0.0)
    assert found[1.0].failed_good.low is not None


def test_labels_of_checked_outputs_correct_no_rate():
    checked = [
        JudgedRow(score, label, f"{score}{label}{n}")
        for n in range(9)
        for score, label in ((0.9, 1.0), (0.1, 0.0))
    ]
    undecided = [JudgedRow(0.9, None, "x", undecided=True), JudgedRow(0.1, None, "y", undecided=True)]
    (found,) = rates_by_threshold([*checked, *undecided], 0.9)
    assert found.failed_good.value == pytest.approx(0.0)
    assert found.corrected.value is None


def test_of_many_scores_some_are_shown():
    rows = [JudgedRow(score / 100, float(score > 50), str(score), undecided=True) for score in range(101)]
    assert len(rates_by_threshold(rows, 0.5)) <= 11


def test_few_scores_have_a_group_each():
    scored = [(0.0, 0.0, "a"), (0.5, 1.0, "b"), (0.5, 0.0, "c"), (1.0, 1.0, "d")]
    rows = [JudgedRow(*row) for row in scored]
    found = bins_of(rows, 0.5)
    assert [(bin_.rate.name, bin_.passed, bin_.failed) for bin_ in found] == [
        ("0", 0, 1),
        ("0.5", 1, 1),
        ("1", 1, 0),
    ]


def test_many_scores_are_grouped_by_tenths_and_the_highest_belongs_to_the_last():
    found = bins_of([JudgedRow(n / 100, 1.0, str(n)) for n in range(101)], 0.5)
    assert [bin_.passed for bin_ in found] == [*[10] * 9, 11]
    assert found[-1].rate.name == "0.9 to 1"
    assert found[0].mean == pytest.approx(0.045)


def test_rows_without_a_label_are_in_no_group():
    assert bins_of([JudgedRow(0.5, None, "a")], 0.5) == []


def test_labels_pass_from_the_threshold_on():
    rows = [JudgedRow(1.0, label, str(label)) for label in (0.5, 0.9, 1.0)]
    assert [(bin_.passed, bin_.failed) for bin_ in bins_of(rows, 1.0)] == [(1, 2)]


def test_intervals_are_those_of_clustered_rates():
    rows = [JudgedRow(1.0, float(n % 3 > 0), str(n // 10)) for n in range(60)]
    (found,) = bins_of(rows, 0.5)
    passed = np.array([row.label for row in rows])
    expected = share_of(passed, np.arange(60) // 10)
    assert (found.rate.value, found.rate.low, found.rate.high) == (
        expected.value,
        expected.low,
        expected.high,
    )
