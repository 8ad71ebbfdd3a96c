"""The mean of just these items: exact when all are labelled, and covered when few are."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import half_width, reason_of
from table_rows import rows_of_columns

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, prediction_powered, tuned_lambda
from fiducial.calibration.corrected_rate.finite_set import (
    finite_labels_only,
    finite_post_stratified,
    finite_prediction_powered,
)

RNG = np.random.default_rng(3)
LABEL = (RNG.random(400) < 0.4).astype(float)
SCORE = np.where(RNG.random(400) < 0.85, LABEL, 1 - LABEL)


def drawn(seed: int, n: int, label: FloatArray = LABEL) -> LabelledAndJudged:
    order = np.random.default_rng(seed).permutation(len(label))
    chosen, rest = order[:n], order[n:]
    return LabelledAndJudged(label[chosen], SCORE[chosen], SCORE[rest], chosen, rest)


def test_a_set_that_is_labelled_whole_is_known_exactly() -> None:
    found = finite_labels_only(LABEL, len(LABEL))
    assert (found.value, found.low, found.high) == (LABEL.mean(), LABEL.mean(), LABEL.mean())


def test_the_value_is_that_of_the_population_and_the_interval_is_shorter() -> None:
    data = drawn(0, 200)
    weight = tuned_lambda(data)
    finite, population = finite_prediction_powered(data, weight), prediction_powered(data, weight)
    assert finite.value == pytest.approx(population.value)
    assert half_width(finite) < 0.8 * half_width(population)


@pytest.mark.parametrize("n", [60, 200])
def test_intervals_cover_the_mean_of_the_set(n: int) -> None:
    covered = np.zeros(3)
    for seed in range(600):
        data = drawn(seed, n)
        estimates = (
            finite_labels_only(data.label, len(LABEL)),
            finite_prediction_powered(data, tuned_lambda(data)),
            finite_post_stratified(data),
        )
        covered += [
            (statistic.low or 0.0) <= LABEL.mean() <= (statistic.high or 0.0) for statistic in estimates
        ]
    # Three Monte Carlo errors of 0.9 points around 95 %.
    assert (covered / 600 >= 0.923).all(), covered / 600
    assert (covered / 600 <= 0.977).all(), covered / 600


def test_labels_without_any_spread_are_not_certainty() -> None:
    found = finite_prediction_powered(drawn(0, 40, np.ones(400)), 0.0)
    assert found.value == 1.0
    assert found.low is not None
    assert 0.9 < found.low < 0.95


def test_a_stratum_with_one_label_has_no_variance() -> None:
    data = drawn(0, 40)
    lonely = LabelledAndJudged(
        data.label, np.eye(40)[0], data.unlabelled, data.label_cluster, data.unlabelled_cluster
    )
    assert finite_post_stratified(lonely).undefined is not None


def test_the_command_takes_the_target_and_says_it() -> None:
    rows = rows_of_columns([*LABEL[:100], *[None] * (len(LABEL) - 100)], SCORE)
    finite, population = (
        estimate(table_from_rows(rows), target=target)["all"] for target in ("finite", "population")
    )
    assert (finite.target, population.target) == ("finite", "population")
    assert finite.estimates["ppi_plus_plus"].method == "Wilson on the effective n, finite set"
    assert "rate of the population" in reason_of(finite.estimates["rogan_gladen"])
    assert finite.weight == population.weight
