"""The best of many, and what it owes to luck."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.comparison.best_of_many import best_of_many
from fiducial.calibration.intervals.closed_forms import wilson_interval


def test_the_winner_of_equals_owes_its_lead_to_luck() -> None:
    rng = np.random.default_rng(3)
    choices = [best_of_many(rng.random((20, 200)) < 0.7, np.arange(200)) for _ in range(60)]
    assert np.mean([each.apparent.value or 0.0 for each in choices]) > 0.74
    assert np.mean([each.held_out.value or 0.0 for each in choices]) == pytest.approx(0.7, abs=0.015)
    ends = [(choice.apparent.low or 0.0, choice.apparent.high or 0.0) for choice in choices]
    assert sum(low <= 0.7 <= high for low, high in ends) >= 57


def test_the_interval_of_the_best_is_as_wide_as_its_competitors_are_many() -> None:
    right = np.random.default_rng(4).random((8, 200)) < 0.7
    right[0] = np.arange(200) < 160
    few, many = (best_of_many(right[:count], np.arange(200)).apparent for count in (1, 8))
    assert (few.low, few.high) == pytest.approx(wilson_interval(0.8, 200))
    assert (many.low, many.high) == pytest.approx(wilson_interval(0.8, 200, 1 - 0.05 / 8))
    assert (many.level, many.method) == (0.95, "Wilson, for the best of 8 contenders")
