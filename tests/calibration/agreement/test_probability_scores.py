"""Scores as probabilities: decompositions by definition and scikit-learn, and coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from known_numbers import ends_of, printed
from lazily import Lazily
from table_rows import rows_of_columns

from fiducial.calibration import Settings, calibrate, make_sample, table_from_rows
from fiducial.calibration.agreement.probability_scores import brier_statistics, probability_scores
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.statistics.probabilities import (
    brier_parts,
    corrected_brier_parts,
    equal_mass_groups,
)

# The oracles have no types.
calibration_curve = Lazily("sklearn.calibration").calibration_curve
metrics = Lazily("sklearn.metrics")


def judged(seed: int, n: int, *, kind: float = 0.0, grid: int = 10) -> tuple[FloatArray, FloatArray]:
    """Outcomes and scores on a grid; ``kind`` is by how much scores are too high."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(n) * grid) / grid
    return (rng.random(n) < np.clip(score - kind, 0, 1)).astype(float), score


def distinct(score: FloatArray) -> Any:
    return np.unique(score, return_inverse=True)[1]


def test_by_distinct_scores_the_parts_are_the_brier_score() -> None:
    outcome, score = judged(0, 400)
    parts = brier_parts(outcome, score, distinct(score), np.ones(400))
    assert parts.remainder == pytest.approx(0.0, abs=1e-12)
    assert parts.reliability - parts.resolution + parts.uncertainty == pytest.approx(
        metrics.brier_score_loss(outcome, score), abs=1e-12
    )
    rate, mean = calibration_curve(outcome, score, n_bins=11, strategy="uniform")
    size = np.bincount(distinct(score))
    assert parts.reliability == pytest.approx(float(size @ (rate - mean) ** 2) / 400, abs=1e-12)


def test_with_bins_the_remainder_makes_up_the_difference() -> None:
    outcome, score = judged(1, 400, grid=1_000)
    group = equal_mass_groups(score, np.ones(400))
    parts = brier_parts(outcome, score, group, np.ones(400))
    assert np.abs(np.bincount(group) - 40).max() <= 1
    assert parts.remainder != 0.0
    assert parts.reliability - parts.resolution + parts.uncertainty + parts.remainder == pytest.approx(
        metrics.brier_score_loss(outcome, score), abs=1e-12
    )
    rate, mean = calibration_curve(outcome, score, n_bins=10, strategy="quantile")
    assert parts.reliability == pytest.approx(float(((rate - mean) ** 2).mean()), abs=5e-3)


def test_counts_stand_for_rows() -> None:
    outcome, score = np.array([0.0, 1, 0, 1]), np.array([0.2, 0.2, 0.7, 0.7])
    count, group = np.array([8.0, 3, 2, 7]), np.array([0, 0, 1, 1])
    rows = np.repeat(np.arange(4), count.astype(int))
    assert brier_parts(outcome, score, group, count) == pytest.approx(
        brier_parts(outcome[rows], score[rows], group[rows], np.ones(20))
    )


def test_the_correction_is_ferros_and_frickers() -> None:
    """Worked by hand: two groups of 11 and 9 rows with 3 and 7 successes."""
    outcome, score = np.array([0.0, 1, 0, 1]), np.array([0.2, 0.2, 0.7, 0.7])
    count, group = np.array([8.0, 3, 2, 7]), np.array([0, 0, 1, 1])
    plain = brier_parts(outcome, score, group, count)
    corrected = corrected_brier_parts(outcome, score, group, count)
    assert corrected is not None
    chance = (11 * (3 / 11) * (8 / 11) / 10 + 9 * (7 / 9) * (2 / 9) / 8) / 20
    assert plain.reliability - corrected.reliability == pytest.approx(chance)
    assert plain.resolution - corrected.resolution == pytest.approx(chance - 0.25 / 19)
    assert corrected.uncertainty == pytest.approx(0.25 + 0.25 / 19)


def test_the_correction_takes_the_bias_away() -> None:
    plain: list[float] = []
    corrected: list[float] = []
    for seed in range(400):
        outcome, score = judged(seed, 100)
        plain.append(brier_parts(outcome, score, distinct(score), np.ones(100)).reliability)
        found = corrected_brier_parts(outcome, score, distinct(score), np.ones(100))
        corrected.append(np.nan if found is None else found.reliability)
    assert np.mean(plain) > 0.01
    assert abs(np.nanmean(corrected)) < 0.001


def test_a_group_of_one_row_cannot_be_corrected() -> None:
    assert (
        corrected_brier_parts(np.array([0.0, 1]), np.array([0.2, 0.9]), np.array([0, 1]), np.ones(2)) is None
    )


def test_equal_scores_stay_in_one_group() -> None:
    score = np.array([0.5] * 50 + [0.9] * 3 + [0.1] * 47)
    group = equal_mass_groups(score, np.ones(100))
    assert {tuple(set(group[score == value])) for value in (0.1, 0.5, 0.9)} == {(0,), (1,), (2,)}


def test_calibrate_has_the_parts_and_the_judges_confidence() -> None:
    outcome, score = judged(2, 500, kind=0.1)
    result = calibrate(table_from_rows(rows_of_columns(outcome, score)), replicates=200)
    found = result.probability["j"]
    assert (found.groups, found.grouping) == (10, "bins of equal mass")
    right = (score >= 0.5) == (outcome == 1)
    assert found.confidence["auroc"].value == pytest.approx(
        metrics.roc_auc_score(right, np.maximum(score, 1 - score))
    )
    text = printed(result)
    assert "j, scores read as probabilities (10 bins of equal mass" in text
    assert "confidence: ece" in text


def test_few_scores_are_their_own_groups() -> None:
    outcome, score = judged(3, 300, grid=4)
    found = calibrate(table_from_rows(rows_of_columns(outcome, score)), replicates=200).probability["j"]
    assert (found.groups, found.grouping) == (5, "distinct scores")
    assert found.statistics["remainder"].value == pytest.approx(0.0, abs=1e-12)


def test_a_judge_of_two_verdicts_gives_no_probabilities() -> None:
    outcome, score = judged(4, 60, grid=1)
    assert calibrate(table_from_rows(rows_of_columns(outcome, score))).probability == {}


@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_few_rows_give_values_or_reasons(n: int) -> None:
    score = np.linspace(0.05, 0.95, n)
    found = calibrate(table_from_rows(rows_of_columns((score > 0.4).astype(float), score))).probability["j"]
    assert found.statistics
    for statistic in found.statistics.values():
        assert (statistic.value is None) == (statistic.undefined is not None)


def test_one_cluster_has_values_and_no_intervals() -> None:
    outcome, score = judged(5, 100)
    rows = [row | {"cluster": "one"} for row in rows_of_columns(outcome, score)]
    found = calibrate(table_from_rows(rows)).probability["j"].statistics
    assert found["reliability_corrected"].value is not None
    assert found["reliability_corrected"].low is None
    assert found["ece_equal_mass"].low is None


@pytest.mark.slow
# Nominal 0.95, 200 draws, Monte Carlo error 1.5 points; docs/calibration-measured.md has more draws.
@pytest.mark.parametrize("kind", [0.0, 0.15])
def test_intervals_cover(kind: float) -> None:
    outcome, score = judged(100, 400_000, kind=kind, grid=8)
    parts = corrected_brier_parts(outcome, score, distinct(score), np.ones(400_000))
    assert parts is not None
    truth = {"reliability_corrected": parts.reliability, "resolution_corrected": parts.resolution}
    hits = dict.fromkeys(truth, 0)
    for seed in range(200):
        table = table_from_rows(rows_of_columns(*judged(seed, 200, kind=kind, grid=8)))
        found = probability_scores(table, settings=Settings(interval="wald"))
        assert found is not None
        for name, value in truth.items():
            low, high = ends_of(found.statistics[name])
            hits[name] += low <= value <= high
    assert all(hit / 200 >= 0.91 for hit in hits.values()), hits


def test_what_the_jackknife_cannot_see_has_no_interval_and_says_why() -> None:
    label = np.arange(30.0) % 2
    even = make_sample(label, np.full(30, 0.5))
    found = brier_statistics(even, np.zeros(len(even.cells.label), np.int64), Settings())
    assert found["reliability_corrected"].low is None
    assert "makes no difference" in (found["reliability_corrected"].method or "")
    pairs = make_sample(np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]), np.array([0.2, 0.2, 0.7, 0.7, 0.7, 0.7]))
    group = np.unique(pairs.cells.score, return_inverse=True)[1]
    found = brier_statistics(pairs, group, Settings())
    assert found["reliability_corrected"].low is None
    assert "single row" in (found["reliability_corrected"].method or "")
