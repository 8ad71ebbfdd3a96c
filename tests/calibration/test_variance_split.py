"""Variance of repeated trials by case and sampling: by hand, by ANOVA, and as planted."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import value_of
from lazily import Lazily

import fiducial as fd
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.variance_split import variance_split

f_oneway = Lazily("scipy.stats").f_oneway


def trials(cases: int, times: int, seed: int = 1) -> tuple[FloatArray, IntArray]:
    """Return results of cases with evenly spread chances.

    A third of the variance is between cases.
    """
    rng = np.random.default_rng(seed)
    case = np.repeat(np.arange(cases), times)
    return (rng.random(len(case)) < rng.random(cases)[case]).astype(np.float64), case


def test_the_share_is_that_of_the_analysis_of_variance():
    values, case = trials(40, 5)
    found = variance_split(values, case, case)
    assert found is not None
    ratio = float(f_oneway(*values.reshape(40, 5)).statistic)
    assert value_of(found.by_case) == pytest.approx((ratio - 1) / (ratio + 4), abs=1e-6)


def test_uneven_trials_equal_a_calculation_by_hand():
    values, case = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0]), np.array([0, 0, 0, 1, 1, 2])
    found = variance_split(values, case, case)
    assert found is not None
    within = (2 / 3) / 3
    between_square = (3 * (2 / 3 - 0.5) ** 2 + 2 * 0.5**2 + 1 * 0.5**2) / 2
    size = (6 - 14 / 6) / 2
    between = (between_square - within) / size
    assert value_of(found.by_case) == pytest.approx(between / (between + within), abs=1e-9)


def test_widths_say_what_more_trials_and_cases_buy():
    values, case = trials(60, 4)
    found = variance_split(values, case, case)
    assert found is not None
    means = values.reshape(60, 4).mean(axis=1)
    error2 = float(means.var(ddof=1)) / 60
    within = float(values.reshape(60, 4).var(axis=1, ddof=1).mean()) / 240
    expected = (error2, error2 - within / 2, error2 - within, error2 / 2)
    given = found.half_width, found.twice_the_trials, found.endless_trials, found.twice_the_cases
    assert given == pytest.approx(1.959964 * np.sqrt(expected), abs=1e-6)


def test_the_interval_covers_what_was_planted():
    covered: list[bool] = []
    for seed in range(200):
        values, case = trials(80, 3, seed)
        found = variance_split(values, case, case)
        assert found is not None
        low, high = found.by_case.low, found.by_case.high
        covered.append(low is not None and high is not None and low <= 1 / 3 <= high)
    assert 0.9 <= np.mean(covered) <= 0.99


def test_single_trials_are_not_split_and_equal_ones_have_no_variance():
    case = np.arange(5)
    assert variance_split(np.ones(5), case, case) is None
    alike = variance_split(np.ones(6), np.repeat(np.arange(3), 2), np.repeat(np.arange(3), 2))
    assert alike is not None
    assert alike.by_case.undefined == "all results are alike"


def test_trials_and_estimates_have_it_and_say_it():
    values, case = trials(30, 4)
    rows = [
        {"item_id": f"c{n}", "judge": "j", "trial": str(place % 4), "score": float(value), "label": None}
        for place, (n, value) in enumerate(zip(case.tolist(), values.tolist(), strict=True))
    ]
    found = fd.trials(rows, (1, 4))
    pass_rate = found["all"].rates["pass^k"][1]
    assert found["all"].variance == variance_split(values, case, case, mean=pass_rate)
    assert "of the variance of a result is between cases, the rest between trials of one." in str(found)
    repeats = [{**row, "repeat": int(str(row["trial"]))} for row in rows]
    for row in repeats:
        del row["trial"]
    estimated = fd.estimate(repeats)
    assert estimated["all"].variance == variance_split(values, case, case, mean=estimated["all"].uncorrected)
    assert "  Half-width of the judge's uncorrected rate: " in str(estimated)


def test_the_interval_of_a_share_of_all_variance_ends_at_it():
    case = np.repeat(np.arange(8), 2)
    split = variance_split((case % 2).astype(np.float64), case, case)
    assert split is not None
    assert (split.by_case.value, split.by_case.high) == (1.0, 1.0)
    assert not split.tells
