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
def test_powers_of_two_are_shown_up_to_the_trials_that_half_of_the_cases_have(trials: int, shown: list[int]):
    rows = [
        row(case, trial, 1.0)
        for case in range(4)
        for trial in range(trials if case < 2 else trials + 3 * (case % 2))
    ]
    assert [*trial_rates(table_from_rows(rows))["all"].rates["pass^k"]] == shown
