"""Rates with few errors in clusters: monotone in the errors, and covering in uneven ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from known_numbers import covers, half_width
from lazily import Lazily

from fiducial.calibration import ESTIMATORS, make_sample, measure
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.calibration.intervals.clustered_means import mean_over_clusters
from fiducial.calibration.intervals.clustered_rates import (
    GUARANTEE_PRIOR,
    certified_rate,
    clustered_wilson_interval,
    default_effect,
    effective_trials,
    share_of,
)
from fiducial.calibration.intervals.variance import spread_of_rows, spread_of_sums

stats = Lazily("scipy.stats")

ELEVEN: IntArray = np.arange(60) % 11


def ends(errors: IntArray, size: int) -> tuple[float, float, float]:
    """Return the interval's ends and the certificate's bound for errors in equal clusters."""
    counts = np.full(len(errors), float(size))
    right: FloatArray = counts - errors.astype(np.float64)
    spread = spread_of_sums(right, counts)
    low, high = clustered_wilson_interval(1 - float(errors.sum()) / float(counts.sum()), spread)[0]
    passed = np.concatenate([np.repeat([1.0, 0.0], [size - int(wrong), int(wrong)]) for wrong in errors])
    bound = certified_rate(passed, np.repeat(np.arange(len(errors)), size)).low
    assert bound is not None
    return low, high, bound


def evenly(clusters: int, size: int) -> Iterator[IntArray]:
    """An error more each time, in turn."""
    for errors in range(clusters * size + 1):
        yield errors // clusters + (np.arange(clusters) < errors % clusters)


def cluster_by_cluster(clusters: int, size: int) -> Iterator[IntArray]:
    """An error more each time, a cluster filled before the next."""
    for errors in range(clusters * size + 1):
        yield np.clip(errors - size * np.arange(clusters), 0, size)


SMALL = [(clusters, size) for clusters in range(2, 13) for size in range(2, 8)]


@each_row(("clusters", "size"), SMALL)
def test_every_end_falls_with_every_error_that_is_added_evenly(clusters: int, size: int) -> None:
    steps = np.diff(np.array([ends(errors, size) for errors in evenly(clusters, size)]), axis=0)
    assert steps.max() <= 1e-12


@each_row(("clusters", "size"), SMALL)
def test_every_end_falls_with_every_error_that_is_added_cluster_by_cluster(clusters: int, size: int) -> None:
    """Ends fall with every error, but for a hair's breadth.

    Where one cluster is all wrong and the next begins to be, the dependence seen is smaller.
    """
    steps = np.diff(np.array([ends(errors, size) for errors in cluster_by_cluster(clusters, size)]), axis=0)
    assert steps[:, :2].max() <= 0.002
    assert steps[:, 2].max() <= 1e-7


def test_sixty_of_sixty_is_better_than_fifty_nine() -> None:
    def low(errors: int) -> tuple[float, float]:
        passed: FloatArray = (np.arange(60) >= errors).astype(np.float64)
        found, certified = share_of(passed, ELEVEN).low, certified_rate(passed, ELEVEN).low
        assert found is not None
        assert certified is not None
        return found, certified

    assert low(0) == pytest.approx((0.892, 0.889), abs=1e-3)
    assert low(0) > low(1) > low(2)


def test_independent_rows_have_wilsons_interval_and_many_errors_leave_the_prior_no_say() -> None:
    passed: FloatArray = (np.arange(50) >= 4).astype(np.float64)
    found = share_of(passed, np.arange(50))
    assert (found.low, found.high) == pytest.approx(wilson_interval(0.92, 50), abs=1e-12)
    rng = np.random.default_rng(0)
    cluster: IntArray = np.repeat(np.arange(2_000), 5)
    many = (rng.random(10_000) < rng.beta(2, 2, size=2_000)[cluster]).astype(np.float64)
    spread = measure([ESTIMATORS["judge_rate"]], make_sample(np.ones(10_000), many, cluster))["judge_rate"]
    sums = np.bincount(cluster, weights=many - many.mean())
    error = float(np.sqrt((sums**2).sum())) / 10_000
    assert half_width(spread) / (1.96 * error) == pytest.approx(1.0, abs=5e-3)


def test_one_cluster_is_worth_one_trial() -> None:
    found = share_of(np.ones(40), np.zeros(40, dtype=np.int64))
    assert (found.low, found.high) == pytest.approx(wilson_interval(1.0, 1), abs=1e-12)


@pytest.mark.parametrize(("clusters", "size", "rate"), [(8, 15, 0.8), (25, 20, 0.95), (40, 10, 0.95)])
def test_rows_that_are_very_alike_are_not_certified_as_more_than_they_are(
    clusters: int, size: int, rate: float
) -> None:
    """Counting errors as they stand, certificates were wrong in 8 to 11 % of the draws.

    The correlation within clusters is 0.5.
    """
    rng, cluster = np.random.default_rng(7), np.repeat(np.arange(clusters), size)
    wrong = 0
    for _ in range(800):
        passed = (rng.random(len(cluster)) < rng.beta(rate, 1 - rate, size=clusters)[cluster]).astype(float)
        bound = certified_rate(passed, cluster).low
        assert bound is not None
        wrong += bound > rate
    assert wrong / 800 <= 0.075


def test_half_of_the_rows_in_one_cluster_certify_less_than_as_many_even_ones() -> None:
    """A bound by the spread seen was above the truth in a fifth of the draws.

    The dependence within clusters is 0.5.
    """
    rng, sizes = np.random.default_rng(5), np.append(np.full(19, 5), 95)
    cluster = np.repeat(np.arange(20), sizes)
    wrong = 0
    for _ in range(400):
        passed = (rng.random(190) < rng.beta(0.9, 0.1, size=20)[cluster]).astype(np.float64)
        bound = certified_rate(passed, cluster).low
        assert bound is not None
        wrong += bound > 0.9
    assert wrong / 400 <= 0.07


def test_few_clusters_that_count_give_kappa_students_interval_of_its_jackknife() -> None:
    rng, sizes = np.random.default_rng(6), np.append(np.full(19, 5), 95)
    cluster = np.repeat(np.arange(20), sizes)
    right = (rng.random(190) < 0.5).astype(np.float64)
    score = np.where(rng.random(190) < 0.85, right, 1 - right)
    sample = make_sample(right, score, cluster)
    assert sample.effective_clusters < 4
    found = measure([ESTIMATORS["cohen_kappa"], ESTIMATORS["f1_macro"]], sample)
    assert found["cohen_kappa"].method == "Fisher's z of a jackknife over clusters"
    assert found["f1_macro"].method == "logit of a jackknife over clusters"
    even = measure([ESTIMATORS["cohen_kappa"]], make_sample(right, score, np.arange(190) // 5))
    assert even["cohen_kappa"].method == "BCa bootstrap over clusters"
    kappa = ESTIMATORS["cohen_kappa"]
    value = float(kappa.formula(sample.counts, sample.cells))
    left_out: list[float] = []
    for number in range(20):
        part = make_sample(right[number != cluster], score[number != cluster])
        left_out.append(float(kappa.formula(part.counts, part.cells)))
    error = np.sqrt(19 / 20 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    # The degrees of freedom are those of the mean of a value over the same clusters.
    degrees = mean_over_clusters(score, cluster).degrees
    half = float(stats.t.ppf(0.975, degrees)) * error / (1 - value**2)
    expected = np.tanh(np.arctanh(value) + np.array([-half, half]))
    assert (found["cohen_kappa"].low, found["cohen_kappa"].high) == pytest.approx(expected.tolist(), abs=1e-9)


@pytest.mark.parametrize(("score", "label"), [(1.0, 1.0), (0.7, 1.0), (1.0, 0.0)])
def test_a_calibration_error_that_no_row_differs_in_is_not_certain(score: float, label: float) -> None:
    """With one row in fifty different, more than half of the samples are alike.

    Of thirty equal rows the interval was a point.
    """
    rows = make_sample(np.full(30, label), np.full(30, score))
    found = measure([ESTIMATORS["ece"]], rows)["ece"]
    unseen = wilson_interval(0.0, 30)[1]
    error = abs(score - label)
    expected = (max(0.0, error - unseen), error + unseen * (1 - error))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_uneven_clusters_that_are_alike_inside_are_covered() -> None:
    """Plain counts with clusters less one covered 84 %.

    Where large clusters happen to be right, few show the dependence.
    """
    rng, sizes = np.random.default_rng(8), np.round(3 * 1.3 ** np.arange(15)).astype(np.int64)
    cluster, covered = np.repeat(np.arange(15), sizes), 0
    for _ in range(500):
        passed = (rng.random(len(cluster)) < rng.beta(0.9, 0.1, size=15)[cluster]).astype(np.float64)
        found = share_of(passed, cluster)
        covered += covers(found, 0.9)
    assert covered / 500 >= 0.9


def test_a_certificate_pays_for_few_clusters_by_students_one_sided_quantile() -> None:
    passed = np.array([1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1], dtype=np.float64)
    cluster: IntArray = np.arange(18) // 3
    spread = spread_of_rows(passed, cluster)
    share, level = float(passed.mean()), 0.95
    errors = 18 * (1 - share) / default_effect(spread.cluster_size, GUARANTEE_PRIOR)
    student = float(stats.t.ppf(level, 6 - 1) / stats.norm.ppf(level))
    worth = effective_trials(spread, errors, share * (1 - share), prior=GUARANTEE_PRIOR, student=student)
    right = share * worth
    expected = stats.beta.ppf(1 - level, right, worth - right + 1)
    assert certified_rate(passed, cluster).low == pytest.approx(float(expected), rel=1e-9)
    assert worth < effective_trials(spread, errors, share * (1 - share), prior=GUARANTEE_PRIOR)


FEW_CLUSTERS: IntArray = np.arange(30) // 5


@given(
    scores=st.lists(st.floats(0.0, 1.0), min_size=30, max_size=30),
    clustered=st.booleans(),
)
def test_a_mean_of_fractions_lies_in_its_interval_and_mirrors(
    scores: list[float], *, clustered: bool
) -> None:
    cluster = FEW_CLUSTERS if clustered else np.arange(30)
    found, mirrored = share_of(np.array(scores), cluster), share_of(1 - np.array(scores), cluster)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= (found.value or 0.0) + 1e-12
    assert (found.value or 0.0) - 1e-12 <= found.high <= 1.0
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    if not clustered:
        low, high = wilson_interval(float(np.mean(scores)), 30)
        assert low - 1e-12 <= found.low
        assert found.high <= high + 1e-12


@each_row("n", [10, 30, 100])
@each_row("ones", [0.95, 0.98])
def test_a_mean_of_fractions_that_are_nearly_all_1_is_covered(n: int, ones: float) -> None:
    rng, mean = np.random.default_rng(n), (1 + ones) / 2
    covered = 0
    for _ in range(800):
        scores = np.where(rng.random(n) < ones, 1.0, rng.random(n))
        covered += covers(share_of(scores, np.arange(n)), mean)
    # Three Monte Carlo errors of 0.8 points below 94 %; Student's interval covers 18 to 88 %.
    assert covered / 800 >= 0.916


def test_a_mean_of_fractions_that_vary_little_is_known_better_than_a_rate() -> None:
    scores = np.random.default_rng(0).beta(8, 2, 100)
    found, error = share_of(scores, np.arange(100)), float(scores.std()) / 10
    rate = wilson_interval(float(scores.mean()), 100)
    assert half_width(found) < 0.45 * (rate[1] - rate[0]) / 2
    assert 1.0 < half_width(found) / (1.96 * error) < 1.4
    assert found.method == "Wilson on the effective n"


def test_equal_fractions_are_not_certainty() -> None:
    for cluster in (np.arange(30), FEW_CLUSTERS):
        found = share_of(np.full(30, 0.8), cluster)
        assert 0.03 < half_width(found) < 0.11


def test_clusters_of_fractions_that_are_alike_are_worth_less() -> None:
    scores = np.repeat(np.random.default_rng(1).beta(8, 2, 20), 5)
    alike = share_of(scores, np.arange(100) // 5)
    assert half_width(alike) > 1.8 * half_width(share_of(scores, np.arange(100)))
