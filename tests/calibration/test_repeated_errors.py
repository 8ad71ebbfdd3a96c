"""Errors of a judge that repeat within a case are noticed with labels of several trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.calibration.repeated_errors import error_correlation
from fiducial.calibration.repeated_trials import Trials, judge_errors

CASES, TRIALS = 60, 4


def rows(*, repeats: bool, labelled: int = TRIALS) -> list[dict[str, Any]]:
    """Return trials of cases, judged with errors by trial or by case."""
    rng = np.random.default_rng(3)
    truth = rng.random((CASES, TRIALS)) < rng.beta(3, 2, (CASES, 1))
    misread = rng.random((CASES, 1 if repeats else TRIALS)) < 0.2
    verdict = np.where(misread, ~truth, truth)
    return [
        {
            "item_id": f"c{case}",
            "trial": trial,
            "judge": "j",
            "score": float(verdict[case, trial]),
            "label": float(truth[case, trial]) if trial < labelled else None,
        }
        for case in range(CASES)
        for trial in range(TRIALS)
    ]


def test_independent_errors_are_corrected_for_every_k():
    found = fd.trials(rows(repeats=False), (1, 4))["all"]
    assert found.uncorrectable is None
    assert found.error_correlation is not None
    assert found.error_correlation.n == CASES
    assert found.rates["pass^k"][4].value is not None
    assert "Errors of the judge on trials of one case correlate by" in str(fd.trials(rows(repeats=False)))


@pytest.mark.parametrize(("repeats", "labelled"), [(True, TRIALS), (False, 1)])
def test_errors_that_repeat_or_may_do_so_leave_only_single_trials_corrected(*, repeats: bool, labelled: int):
    found = fd.trials(rows(repeats=repeats, labelled=labelled), (1, 4))["all"]
    assert found.uncorrectable is not None
    assert found.rates["pass^k"][1].value is not None
    assert {found.rates[rate][4].value for rate in found.rates} == {None}
    assert found.uncorrected["pass^k"][4].value is not None
    text = str(fd.trials(rows(repeats=repeats, labelled=labelled), (1, 4)))
    assert text.startswith("all: 1 of 1 trial passes in ")
    assert f"  Only k of 1 is corrected: {found.uncorrectable}." in text


def test_the_correlation_is_the_mean_product_of_pairs():
    case, label = np.repeat(np.arange(20), 2), np.tile([1.0, 1.0, 0.0, 0.0], 10)
    passed = label.copy()
    passed[[0, 1, 4, 2, 3, 6]] = 1 - passed[[0, 1, 4, 2, 3, 6]]
    trials = Trials(case, case, passed, np.full(40, fill_value=True), label)
    errors = judge_errors(trials)
    assert errors is not None
    share = 3 / 20
    scaled = np.where(passed == label, -share, 1 - share) / np.sqrt(share * (1 - share))
    expected = np.mean([scaled[2 * index] * scaled[2 * index + 1] for index in range(20)])
    assert error_correlation(trials, errors).value == pytest.approx(expected)
