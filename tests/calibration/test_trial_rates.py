"""Trials from a table: which of them a judge graded, and which numbers of trials are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.calibration import table_from_rows
from fiducial.calibration.repeated_trials import Trials, judge_errors
from fiducial.calibration.trial_rates import error_correlation, trial_rates


def row(case: int, trial: int, score: float, **more: Any) -> dict[str, Any]:
    return {"item_id": f"{case}|s|{trial}", "case_id": str(case), "trial": str(trial), "score": score, **more}


@pytest.mark.parametrize(
    ("sources", "judged"),
    [
        ({}, 8),
        ({0: "checker", 1: "judge"}, 4),
        ({0: "judge", 1: "judge"}, 8),
        ({0: "checker", 1: "checker"}, 0),
    ],
)
def test_only_trials_that_a_judge_graded_are_judged(sources: dict[int, str], judged: int):
    rows = [
        row(case, trial, float(case % 2), **({"source": sources[trial]} if sources else {}))
        for case in range(4)
        for trial in range(2)
    ]
    found = trial_rates(table_from_rows(rows))["all"]
    assert (found.trials, found.judged, found.corrected) == (8, judged, False)


def test_labels_of_checked_trials_tell_nothing_of_the_judge():
    rows = [
        row(case, trial, 1.0, source=source, label=1.0)
        for case in range(4)
        for trial, source in enumerate(("checker", "judge"))
    ]
    found = trial_rates(table_from_rows(rows))["all"]
    assert (found.judged, found.labels) == (4, 4)


@pytest.mark.parametrize(
    ("trials", "shown"), [(2, [1, 2]), (3, [1, 2, 3]), (4, [1, 2, 4]), (6, [1, 2, 4, 6])]
)
def test_powers_of_two_are_shown_up_to_the_smallest_number_of_trials(trials: int, shown: list[int]):
    rows = [
        row(case, trial, 1.0)
        for case in range(4)
        for trial in range(trials if case < 2 else trials + 3 * (case % 2))
    ]
    assert [*trial_rates(table_from_rows(rows))["all"].rates["pass^k"]] == shown


def tried(*cases: list[int]) -> list[dict[str, Any]]:
    """Return rows of cases with these results of their trials."""
    return [
        row(case, trial, result) for case, results in enumerate(cases) for trial, result in enumerate(results)
    ]


def test_a_larger_k_stands_with_the_first_rate_of_the_cases_that_have_it():
    found = trial_rates(table_from_rows(tried([1, 1], [1, 0], [0, 0, 1, 1], [1, 0, 0, 1])), [1, 2, 4])["all"]
    assert (found.smallest, [*found.of_larger]) == (2, [4])
    assert (found.of_larger[4].value, found.of_larger[4].n, found.of_larger[4].left_out) == (0.5, 2, 2)
    assert found.rates["pass^k"][1].value == pytest.approx((1 + 0.5 + 0.5 + 0.5) / 4)
    assert found.rates["pass@k"][4].value == 1.0


@pytest.mark.parametrize(
    ("cases", "is_retried"),
    [
        (([1], [0, 1], [0, 0, 0], [0, 0, 1]), True),
        (([1], [0, 1], [0, 0]), True),
        (([1], [1, 1], [0, 0, 0]), False),
        (([0], [0, 1], [0, 0, 0]), False),
        (([1], [0, 1], [1, 0, 1], [0, 0, 1]), True),
        (([0, 1], [0, 1], [1, 1]), False),
    ],
)
def test_trials_until_the_first_pass_have_no_rate(cases: tuple[list[int], ...], *, is_retried: bool):
    found = trial_rates(table_from_rows(tried(*cases)), [1, 2])["all"]
    assert (found.retried is not None) == is_retried
    assert all(
        (case_rate.value is None) == is_retried
        for rate in found.rates.values()
        for case_rate in rate.values()
    )
    assert (found.variance is None) == is_retried


def test_trials_are_ordered_by_their_numbers():
    rows = [row(0, 10, 1.0), row(0, 9, 0.0), row(1, 1, 1.0), row(2, 3, 0.0), row(2, 2, 0.0), row(2, 1, 0.0)]
    assert trial_rates(table_from_rows(rows))["all"].retried is not None


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
