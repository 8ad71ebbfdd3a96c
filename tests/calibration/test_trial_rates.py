"""Trials from a table: which of them a judge graded, and which numbers of trials are shown."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.calibration import table_from_rows
from fiducial.calibration.trial_rates import trial_rates


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
