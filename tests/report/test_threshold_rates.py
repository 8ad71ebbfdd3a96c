"""Rates of a fractional judge by pass threshold."""

from __future__ import annotations

import pytest

from fiducial.report.threshold_rates import rates_by_threshold


def test_each_score_that_can_be_a_threshold_has_both_rates_with_intervals():
    rows = [(0.2, 0.0, "a", True), (0.6, 0.0, "b", True), (0.6, 1.0, "c", True), (1.0, 1.0, "d", True)]
    found = {each.at: each for each in rates_by_threshold(rows, 0.5)}
    assert list(found) == [0.5, 0.6, 1.0]
    assert (found[1.0].passes_good.value, found[1.0].fails_bad.value) == (0.5, 1.0)
    assert (found[0.6].passes_good.value, found[0.6].fails_bad.value) == (1.0, 0.5)
    assert found[1.0].passes_good.low is not None


def test_labels_of_checked_outputs_correct_no_rate():
    checked = [
        (score, label, f"{score}{label}{n}", False)
        for n in range(9)
        for score, label in ((0.9, 1.0), (0.1, 0.0))
    ]
    (found,) = rates_by_threshold([*checked, (0.9, None, "x", True), (0.1, None, "y", True)], 0.9)
    assert found.passes_good.value == pytest.approx(1.0)
    assert found.corrected.value is None


def test_of_many_scores_some_are_shown():
    rows = [(score / 100, float(score > 50), str(score), True) for score in range(101)]
    assert len(rates_by_threshold(rows, 0.5)) <= 11
