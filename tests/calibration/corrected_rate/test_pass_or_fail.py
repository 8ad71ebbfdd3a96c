"""A threshold that the user gives turns scores and labels into passes and fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from known_numbers import ends_of
from table_rows import rows_of_columns

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimation import FurtherEstimates
from fiducial.calibration.corrected_rate.estimation_results import RateEstimate

RNG = np.random.default_rng(3)
TRUTH = RNG.random(400) < 0.6
SCORE = np.clip(np.where(TRUTH, 0.7, 0.4) + RNG.normal(0, 0.2, 400), 0, 1)
LABEL = np.where(np.arange(400) < 120, TRUTH, np.nan)


def of(score: Any = SCORE, label: Any = LABEL, **options: Any) -> RateEstimate:
    return estimate(table_from_rows(rows_of_columns(label, score)), **options).all


@pytest.mark.parametrize("target", ["population", "finite"])
def test_every_estimate_is_that_of_scores_which_already_are_0_and_1(target: Any) -> None:
    given = of(pass_at=0.6, target=target)
    written = of(SCORE >= 0.6, target=target)
    assert given.fractions == 0
    assert given.uncorrected == written.uncorrected
    assert given.estimates == written.estimates
    assert of(pass_at={"j": 0.6}, target=target).estimates == written.estimates


def test_labels_that_are_fractions_pass_at_the_same_threshold() -> None:
    soft = np.where(TRUTH, 0.75, 0.5)
    rate = of(label=np.where(np.arange(400) < 120, soft, np.nan), pass_at=0.6)
    assert rate.estimates == of(pass_at=0.6).estimates


def test_without_a_given_threshold_fractions_are_kept() -> None:
    kept = of()
    assert kept.judge_mean == pytest.approx(SCORE.mean())
    assert kept.fractions > 300


def test_of_several_judges_labels_pass_at_the_threshold_of_the_first() -> None:
    rows = rows_of_columns(np.where(np.isnan(LABEL), np.nan, 0.2 + 0.5 * TRUTH), SCORE)
    rows += [row | {"judge": "k", "score": 1 - row["score"], "label": None} for row in rows]
    rate = estimate(
        table_from_rows(rows), pass_at={"j": 0.6, "k": 0.1}, further=FurtherEstimates(judges=("j", "k"))
    ).all
    low, high = ends_of(rate.estimates["several_judges"])
    assert low <= TRUTH.mean() <= high


def test_strata_of_the_score_and_the_test_of_random_labels_take_scores_as_they_were_given() -> None:
    assert len(of(pass_at=0.6, strata="score").strata or {}) == 5
    within_fails = np.where((SCORE < 0.3) | ((SCORE >= 0.6) & (np.arange(400) % 5 == 0)), TRUTH, np.nan)
    alarm = [caution.kind for caution in of(label=within_fails, pass_at=0.6).cautions]
    assert alarm == ["chosen_by_score"]
