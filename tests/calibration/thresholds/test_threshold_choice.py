"""The threshold on a score: found where it is, and not flattered by having been chosen."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import printed

from fiducial.calibration import Requests, calibrate, table_from_rows
from fiducial.calibration.thresholds.cut_choice import MAX_CANDIDATES, choose_threshold

RNG = np.random.default_rng(4)
LABEL = (RNG.random(2_000) < 0.5).astype(float)


def test_the_threshold_between_two_classes_is_found() -> None:
    score = np.where(LABEL == 1, 0.8, 0.3)
    found = choose_threshold(LABEL, score, np.arange(2_000))
    assert (found.threshold, found.apparent, found.held_out) == (0.8, 1.0, 1.0)


def test_a_judge_that_is_shifted_gets_its_own_threshold() -> None:
    score = np.clip(RNG.normal(0.6 + 0.3 * LABEL, 0.1), 0, 1)
    found = choose_threshold(LABEL, score, np.arange(2_000))
    assert found.threshold == pytest.approx(0.75, abs=0.05)
    assert found.held_out == pytest.approx(0.93, abs=0.02)


def test_choosing_among_noise_flatters_and_the_held_out_value_does_not() -> None:
    gaps = np.empty((200, 2))
    for seed in range(200):
        rng = np.random.default_rng(seed)
        label = (rng.random(60) < 0.5).astype(float)
        found = choose_threshold(label, rng.random(60), np.arange(60))
        gaps[seed] = (found.apparent or 0.0) - 0.5, (found.held_out or 0.0) - 0.5
    assert gaps[:, 0].mean() > 0.05
    assert gaps[:, 1].mean() < 0.01


def test_the_number_of_thresholds_is_bounded() -> None:
    found = choose_threshold(LABEL, RNG.random(2_000), np.arange(2_000))
    assert MAX_CANDIDATES == 100
    assert found.threshold is not None


@pytest.mark.parametrize(
    ("label", "score", "why"),
    [
        ([1.0, 1.0], [0.2, 0.8], "both classes"),
        ([1.0, 0.0], [0.5, 0.5], "all scores are equal"),
        ([], [], "both classes"),
    ],
)
def test_where_nothing_can_be_chosen_it_says_why(label: list[float], score: list[float], why: str) -> None:
    found = choose_threshold(np.array(label), np.array(score), np.arange(len(label)))
    assert found.threshold is None
    assert why in (found.undefined or "")


def test_one_cluster_has_nothing_to_hold_out() -> None:
    found = choose_threshold(np.array([1.0, 0.0]), np.array([0.9, 0.1]), np.zeros(2, dtype=np.int64))
    assert (found.threshold, found.held_out, found.optimism) == (0.9, None, None)


def test_the_panel_says_it_in_words() -> None:
    rows = [
        {"item_id": str(number), "judge": "j", "score": 0.6 + 0.3 * label, "label": label}
        for number, label in enumerate([0, 1] * 20)
    ]
    result = calibrate(table_from_rows(rows), requests=Requests(threshold_for="mcc"))
    assert result.thresholds["j"].threshold == pytest.approx(0.9)
    assert any(
        "mcc is largest (1.000 on 40) when scores pass from 0.9 on" in line
        for line in printed(result).splitlines()
    )
