"""Two shares: Tango's interval of a paired difference, and the mean of two Wilson intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lazily import Lazily

from fiducial.calibration import ESTIMATORS, Settings, make_sample, measure
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.intervals.closed_forms import normal_quantile, wilson_interval
from fiducial.calibration.intervals.special_intervals import magnitude_interval, tango_interval

optimize = Lazily("scipy.optimize")


def likeliest(only_first: int, only_second: int, n: int, difference: float) -> float:
    """Return the most likely share of the second kind, found by search.

    A closed form could share the implementation's errors.
    """

    def unlikely(share: float) -> float:
        first, rest = share + difference, 1 - 2 * share - difference
        terms = ((only_first, first), (only_second, share), (n - only_first - only_second, rest))
        return -sum(count * math.log(max(each, 1e-300)) for count, each in terms if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    found = optimize.minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-13})
    return float(found.x)


@pytest.mark.parametrize(("b", "c", "n"), [(7, 1, 21), (16, 6, 161), (3, 12, 80), (40, 35, 100)])
def test_at_both_ends_the_score_statistic_is_the_quantile(b: int, c: int, n: int) -> None:
    z = normal_quantile(0.95)
    low, high = tango_interval(b / n, c / n, n, z)
    for end, wanted in ((low, z), (high, -z)):
        share = likeliest(b, c, n, end)
        variance = n * (2 * share + end * (1 - end))
        assert (b - c - n * end) / math.sqrt(variance) == pytest.approx(wanted, abs=1e-5)


def test_swapping_the_two_turns_the_interval_round() -> None:
    low, high = tango_interval(0.12, 0.03, 90, 1.96)
    assert tango_interval(0.03, 0.12, 90, 1.96) == pytest.approx((-high, -low))


def test_where_no_pair_differs_the_ends_are_wilsons() -> None:
    z = normal_quantile(0.95)
    low, high = tango_interval(0.0, 0.0, 40, z)
    assert high == pytest.approx(wilson_interval(0.0, 40)[1])
    assert low == pytest.approx(-high)


def test_where_every_pair_differs_the_end_is_reached() -> None:
    low, high = tango_interval(1.0, 0.0, 12, 1.96)
    assert high == pytest.approx(1.0)
    assert 0.4 < low < 1.0


def test_bias_is_measured_by_pairs_and_widens_with_clusters() -> None:
    label = np.repeat([1.0, 1.0, 0.0, 0.0], [40, 10, 5, 45])
    score = np.repeat([1.0, 0.0, 1.0, 0.0], [40, 10, 5, 45])
    alone = measure([ESTIMATORS["bias"]], make_sample(label, score))["bias"]
    assert (alone.low, alone.high) == pytest.approx(tango_interval(0.05, 0.1, 100, normal_quantile(0.95)))
    assert alone.method == "Tango, Wilson's score for pairs"
    together = measure([ESTIMATORS["bias"]], make_sample(label, score, np.arange(100) // 5))["bias"]
    assert together.method == "Tango, Wilson's score for pairs on the cluster-effective n"
    assert None not in {alone.low, alone.high, together.low, together.high}
    assert (together.high or 0) - (together.low or 0) > (alone.high or 0) - (alone.low or 0)


def test_balanced_accuracy_of_independent_rows_combines_two_wilson_intervals() -> None:
    label = np.repeat([1.0, 1.0, 0.0, 0.0], [19, 1, 60, 20])
    score = np.repeat([1.0, 0.0, 0.0, 1.0], [19, 1, 60, 20])
    found = measure([ESTIMATORS["balanced_accuracy"]], make_sample(label, score))["balanced_accuracy"]
    (low_a, high_a), (low_b, high_b) = wilson_interval(0.95, 20), wilson_interval(0.75, 80)
    assert found.low == pytest.approx(0.85 - math.hypot(0.95 - low_a, 0.75 - low_b) / 2)
    assert found.high == pytest.approx(0.85 + math.hypot(high_a - 0.95, high_b - 0.75) / 2)
    assert found.method == "MOVER of Wilson intervals"


def test_a_perfect_judge_of_few_rows_is_not_certain() -> None:
    label = np.repeat([1.0, 0.0], 5)
    found = measure([ESTIMATORS["balanced_accuracy"], ESTIMATORS["bias"]], make_sample(label, label))
    assert found["balanced_accuracy"].high == 1.0
    assert (found["balanced_accuracy"].low or 1) < 0.8
    assert (found["bias"].low, found["bias"].high) == pytest.approx((-0.2775, 0.2775), abs=1e-3)


def test_the_percentile_bootstrap_is_still_to_be_had() -> None:
    rng = np.random.default_rng(0)
    label, score = rng.integers(2, size=200).astype(float), rng.integers(2, size=200).astype(float)
    found = measure(
        [ESTIMATORS["bias"], ESTIMATORS["balanced_accuracy"], ESTIMATORS["ece"]],
        make_sample(label, score),
        Settings(interval="bootstrap"),
    )
    assert {statistic.method for statistic in found.values()} == {"percentile bootstrap"}


@pytest.mark.slow
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


@pytest.mark.slow
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
