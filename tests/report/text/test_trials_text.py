"""Rates over trials in words: reasons instead of intervals of no width."""

from __future__ import annotations

import pytest

import fiducial as fd


def rows(cases: int, trials: int, *, by_case: bool = False) -> list[dict[str, object]]:
    """Return results that alternate: between cases if ``by_case``, else within each."""
    return [
        {"item_id": str(case), "trial": trial, "score": (case if by_case else case + trial) % 2}
        for trial in range(trials)
        for case in range(cases)
    ]


@pytest.mark.parametrize("cases", [3, 12])
def test_equal_cases_do_not_split_the_variance(cases: int):
    text = str(fd.trials(rows(cases, 4)))
    assert f"  Too few cases to split the variance between cases and trials (n {cases})." in text
    assert "Half-width" not in text


def test_agreeing_trials_leave_only_more_cases():
    text = str(fd.trials(rows(12, 4, by_case=True)))
    assert "  All trials of each case agree (n 12): only more cases narrow the interval." in text
    assert "of the variance" not in text


def test_a_single_case_has_no_interval_and_says_so():
    first = str(fd.trials(rows(1, 8))).splitlines()[0]
    assert first == (
        "all: 8 of 8 trials pass in 0.000 of 1 case (no interval from a single case), uncorrected: no labels."
    )


def test_the_half_width_is_that_of_the_printed_interval():
    uneven = [
        {**row, "score": int(case % 3 + trial % 2 > 1)} for row in rows(30, 4) for case, trial in [spot(row)]
    ]
    found = fd.trials(uneven)["all"]
    pass_rate = found.rates["pass^k"][1]
    assert found.variance is not None
    assert pass_rate.low is not None
    assert pass_rate.high is not None
    assert found.variance.half_width == pytest.approx((pass_rate.high - pass_rate.low) / 2)


def spot(row: dict[str, object]) -> tuple[int, int]:
    return int(str(row["item_id"])), int(str(row["trial"]))


def test_no_limit_is_given_if_sampling_explains_all_variance():
    wheel = [
        {**row, "score": int((7 * case + 3 * trial) % 5 > 1)}
        for row in rows(20, 4)
        for case, trial in [spot(row)]
    ]
    text = str(fd.trials(wheel))
    assert "with twice the trials 0.081, with twice the cases 0.081." in text
    assert "unlimited" not in text


def test_corrected_rates_name_what_they_assume():
    labelled = [
        row | {"label": row["score"] if number < 30 else None} for number, row in enumerate(rows(12, 4))
    ]
    assert "Corrected rates hold if" in str(fd.trials(labelled))
    assert "Corrected rates hold if" not in str(fd.trials(rows(12, 4)))
