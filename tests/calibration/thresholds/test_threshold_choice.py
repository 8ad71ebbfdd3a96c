"""Other thresholds: the best for a statistic, and whether another would do clearly better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from known_numbers import printed
from lazily import Lazily

from fiducial.calibration import Requests, calibrate, read_table, table_from_rows
from fiducial.calibration.arrays import BoolArray, FloatArray
from fiducial.calibration.thresholds.threshold_choice import (
    MAX_CANDIDATES,
    better_threshold,
    choose_threshold,
)

stats = Lazily("scipy.stats")

RNG = np.random.default_rng(4)

LABEL = (RNG.random(2_000) < 0.5).astype(float)


def test_the_threshold_between_two_classes_is_found() -> None:
    score = np.where(LABEL == 1, 0.8, 0.3)
    found = choose_threshold(LABEL >= 0.5, score, np.arange(2_000))
    assert (found.threshold, found.apparent, found.held_out) == (0.8, 1.0, 1.0)


def test_a_judge_that_is_shifted_gets_its_own_threshold() -> None:
    score = np.clip(RNG.normal(0.6 + 0.3 * LABEL, 0.1), 0, 1)
    found = choose_threshold(LABEL >= 0.5, score, np.arange(2_000))
    assert found.threshold == pytest.approx(0.75, abs=0.05)
    assert found.held_out == pytest.approx(0.93, abs=0.02)


def test_choosing_among_noise_flatters_and_the_held_out_value_does_not() -> None:
    gaps = np.empty((200, 2))
    for seed in range(200):
        rng = np.random.default_rng(seed)
        label = (rng.random(60) < 0.5).astype(float)
        found = choose_threshold(label >= 0.5, rng.random(60), np.arange(60))
        gaps[seed] = (found.apparent or 0.0) - 0.5, (found.held_out or 0.0) - 0.5
    assert gaps[:, 0].mean() > 0.05
    assert gaps[:, 1].mean() < 0.01


def test_the_number_of_thresholds_is_bounded() -> None:
    found = choose_threshold(LABEL >= 0.5, RNG.random(2_000), np.arange(2_000))
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
    found = choose_threshold(np.array(label) >= 0.5, np.array(score), np.arange(len(label)))
    assert found.threshold is None
    assert why in (found.undefined or "")


@pytest.mark.parametrize("statistic", ["accuracy", "f1_positive", "judge_rate"])
def test_a_chosen_threshold_can_be_used(statistic: str) -> None:
    right, score = (
        np.array([True] * 9 + [False]),
        np.array([0.0, 0.0, 0.4, 0.4, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0]),
    )
    chosen = choose_threshold(right, score, np.arange(10), statistic=statistic)
    assert chosen.threshold == 0.4


def test_a_judge_of_0_and_1_has_no_threshold_to_choose() -> None:
    chosen = choose_threshold(np.array([True, False, False]), np.array([0.0, 1.0, 1.0]), np.arange(3))
    assert (chosen.threshold, chosen.undefined) == (None, "all scores are 0 or 1")


def test_of_equal_thresholds_one_that_fails_something_is_chosen() -> None:
    right, score = np.array([True, False, True, False]), np.array([0.2, 0.2, 0.9, 0.9])
    assert choose_threshold(right, score, np.arange(4)).threshold == 0.9


def test_one_cluster_has_nothing_to_hold_out() -> None:
    found = choose_threshold(np.array([True, False]), np.array([0.9, 0.1]), np.zeros(2, dtype=np.int64))
    assert (found.threshold, found.held_out, found.optimism) == (0.9, None, None)


def test_the_panel_says_it_in_words() -> None:
    rows = [
        {"item_id": str(number), "judge": "j", "score": 0.6 + 0.3 * label, "label": label}
        for number, label in enumerate([0, 1] * 20)
    ]
    result = calibrate(table_from_rows(rows), requests=Requests(threshold_for="mcc"))
    assert result.thresholds["j"].threshold == pytest.approx(0.9)
    assert any(
        "threshold 0.9 has the highest mcc: 1.000, n 40" in line for line in printed(result).splitlines()
    )


def graded(
    rng: np.random.Generator, right: BoolArray, clue: float, levels: int, shift: float = 0.0
) -> FloatArray:
    """Scores of a judge with some clue, in steps where ``levels`` is not 0."""
    score: FloatArray = stats.norm.cdf(clue * (right - 0.5) + shift + rng.normal(size=len(right)))
    return np.round(score * levels) / levels if levels else score


def test_a_judge_that_is_far_too_kind_is_told_a_higher_threshold() -> None:
    rng = np.random.default_rng(0)
    right = rng.random(300) < 0.5
    score = graded(rng, right, clue=2.0, levels=10, shift=1.5)
    found = better_threshold(right, score, np.arange(300), 0.5)
    assert found is not None
    assert found.clear
    assert found.better_at > 0.7
    assert found.gain.value is not None
    assert found.gain.low is not None
    apparent = [
        (np.mean(score[right] >= threshold) + np.mean(score[~right] < threshold)) / 2
        for threshold in (found.better_at, 0.5)
    ]
    # What other tenths chose is worth no more than what was chosen and judged on the same items.
    assert 0.0 < found.gain.low < found.gain.value <= apparent[0] - apparent[1] + 1e-9


def test_a_judge_of_0_and_1_has_nothing_to_choose() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(200) < 0.5
    assert better_threshold(right, (rng.random(200) < 0.5).astype(np.float64), np.arange(200), 0.5) is None


def test_the_threshold_there_is_stays_where_none_is_better() -> None:
    score = np.array([0.1, 0.2, 0.8, 0.9] * 10)
    found = better_threshold(score > 0.5, score, np.arange(40), 0.6)
    assert found is not None
    assert (found.better_at, found.gain.value, found.clear) == (0.6, 0.0, False)


@pytest.mark.parametrize(
    ("right", "cluster", "why"),
    [
        (np.ones(6, dtype=np.bool_), np.arange(6), "labels of both classes"),
        (np.arange(6) % 2 == 0, np.zeros(6, dtype=np.int64), "only one cluster"),
    ],
)
def test_where_nothing_can_be_said_it_is_said_why(right: BoolArray, cluster: np.ndarray, why: str) -> None:  # type: ignore[type-arg]
    found = better_threshold(right, np.linspace(0.1, 0.9, 6), cluster, 0.5)
    assert found is not None
    assert why in (found.gain.undefined or "")
    assert not found.clear


@pytest.mark.parametrize(
    ("clue", "levels", "threshold"), [(0.0, 0, 0.5), (0.0, 10, 0.7), (1.0, 4, 0.5), (2.0, 0, 0.5)]
)
@pytest.mark.parametrize(("size", "rows"), [(60, 1), (150, 3)])
def test_it_is_seldom_clear_where_no_other_threshold_is_better(
    clue: float, levels: int, threshold: float, size: int, rows: int
) -> None:
    rng, clear, draws = np.random.default_rng(2), 0, 300
    for _ in range(draws):
        right = rng.random(size) < 0.4
        found = better_threshold(right, graded(rng, right, clue, levels), np.arange(size) // rows, threshold)
        clear += found is not None and found.clear
    assert clear / draws <= 0.05


@pytest.mark.reference
def test_half_a_summary_supported_is_no_faithful_summary(reference: Path) -> None:
    table = read_table([reference / "recorded" / "summaries.jsonl"])
    judges = list(table.judge.present())
    assert {judge.partition("/")[0] for judge, _ in judges} >= {"groundedness"}
    for judge, rows in judges:
        part = table.take(rows)
        half, whole = (
            better_threshold(part.label >= 0.5, part.score, part.cluster, threshold)
            for threshold in (0.5, 1.0)
        )
        if "groundedness" in judge:
            assert half is not None
            assert whole is not None
            assert (half.clear, whole.clear) == (True, False)
            assert half.better_at > 0.95
        elif judge.startswith("gpt"):
            assert half is None
