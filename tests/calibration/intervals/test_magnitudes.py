"""Sums of absolute values: an interval that allows for the bias which a bootstrap doubles."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration import ESTIMATORS, make_sample, measure
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.intervals.magnitudes import magnitude_interval


@pytest.mark.parametrize(
    "true",
    [np.zeros(8), np.full(8, 0.02), np.r_[0.15, 0.1, np.zeros(6)]],
    ids=["nothing", "everywhere", "two parts"],
)
def test_it_covers_whether_the_sum_is_nothing_or_much(true: FloatArray) -> None:
    rng, wanted, hits = np.random.default_rng(0), float(np.abs(true).sum()), 0
    covariance = np.diag(np.linspace(0.01, 0.04, 8) ** 2)
    for _ in range(300):
        seen = rng.multivariate_normal(true, covariance)
        low, high = magnitude_interval(seen, covariance, 10_000, 0.95)
        assert low <= np.abs(seen).sum() <= high
        hits += low <= wanted <= high
    assert hits / 300 >= 0.925


def test_without_errors_there_is_a_point() -> None:
    assert magnitude_interval(np.array([0.1, -0.2]), np.zeros((2, 2)), 50, 0.95) == pytest.approx((0.3, 0.3))


def test_one_part_far_from_nothing_has_its_normal_interval() -> None:
    low, high = magnitude_interval(np.array([-0.5]), np.array([[0.0004]]), 1_000_000, 0.95)
    assert (low, high) == pytest.approx((0.5 - 1.96 * 0.02, 0.5 + 1.96 * 0.02), abs=2e-3)


def test_a_calibrated_judge_may_have_no_calibration_error() -> None:
    rng, hits = np.random.default_rng(1), 0
    for _ in range(150):
        score = np.round(rng.beta(2, 1.5, size=200), 2)
        found = measure([ESTIMATORS["ece"]], make_sample((rng.random(200) < score).astype(float), score))[
            "ece"
        ]
        assert found.method == "delta, inverted for bias"
        assert (found.value or 0) > 0.02
        hits += found.low == 0.0
    assert hits / 150 >= 0.92


def test_clusters_widen_it() -> None:
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(40), 10)
    rate = rng.beta(2, 2, size=40)[cluster]
    label = (rng.random(400) < rate).astype(float)
    score = np.round(np.clip(rng.normal(0.6, 0.2, size=400), 0, 1), 2)
    alone, together = (
        measure([ESTIMATORS["ece"]], make_sample(label, score, each))["ece"] for each in (None, cluster)
    )
    assert together.method == "delta over clusters, inverted for bias"
    assert (together.high or 0) > (alone.high or 0)


def test_what_is_nothing_by_luck_does_not_prove_that_it_is_nothing() -> None:
    label = np.arange(30.0) % 2
    found = measure([ESTIMATORS["ece"]], make_sample(label, np.full(30, 0.5)))["ece"]
    assert (found.value, found.low) == (0.0, 0.0)
    # A rate of a half on 30 rows is known to about 0.18.
    assert found.high == pytest.approx(0.2, abs=0.03)
