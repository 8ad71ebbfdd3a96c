"""The cluster bootstrap: draws, memory, blocks, and the paths for few and for many groups."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import half_width
from lazily import Lazily

from fiducial.calibration import ESTIMATORS, Settings, make_sample, measure
from fiducial.calibration.intervals.bootstrap import (
    acceleration,
    bca_interval,
    bootstrap,
    in_blocks,
    replicate_weights,
)
from fiducial.calibration.intervals.variance import influence, standard_error

stats = Lazily("scipy.stats")


@pytest.mark.parametrize(
    "sizes", [[400, 200, 100], [1] * 50, [300, 2, 100, 1, 1]], ids=["common groups", "rare groups", "both"]
)
def test_every_replicate_draws_as_many_clusters_as_there_are(sizes: list[int]) -> None:
    blocks = list(replicate_weights(np.array(sizes), 300, np.random.default_rng(0)))
    weights = np.concatenate(blocks)
    assert weights.shape == (300, len(sizes))
    assert (weights.sum(axis=1) == sum(sizes)).all()
    assert weights.mean(axis=0) == pytest.approx(sizes, rel=0.25)
    share = np.array(sizes) / sum(sizes)
    spread = np.sqrt(sum(sizes) * share * (1 - share))
    assert weights.std(axis=0) == pytest.approx(spread, rel=0.25)


def test_memory_is_bounded_by_drawing_in_blocks() -> None:
    blocks = replicate_weights(np.ones(5_000, dtype=np.int64), 2_000, np.random.default_rng(0))
    assert max(block.size for block in blocks) <= 1 << 21


def test_the_interval_of_a_mean_agrees_with_scipys_bca() -> None:
    rng = np.random.default_rng(0)
    label, score = np.zeros(120), np.round(rng.beta(1, 4, size=120), 3)
    ours = measure([ESTIMATORS["mae"]], make_sample(label, score), Settings(replicates=20_000))["mae"]
    theirs = stats.bootstrap((score,), np.mean, n_resamples=20_000, random_state=0).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=2e-3)


def test_the_spread_of_replicates_is_the_analytic_standard_error() -> None:
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(80), 6)
    label = (rng.random(480) < rng.beta(2, 2, size=80)[cluster]).astype(float)
    score = np.where(rng.random(480) < 0.85, label, 1 - label)
    sample = make_sample(label, score, cluster)
    for name in ("cohen_kappa", "mcc", "f1_macro", "gwet_ac1", "auroc", "average_precision", "kendall_tau_b"):
        formula = ESTIMATORS[name].of(sample.cells)
        replicates = bootstrap([formula], sample, replicates=4_000, seed=0)[0]
        analytic = standard_error(influence(formula, sample), sample)
        assert float(replicates.std()) == pytest.approx(analytic, rel=0.08), name


def test_the_complex_step_is_the_derivative_for_graded_statistics_too() -> None:
    rng = np.random.default_rng(2)
    label = np.round(rng.random(300) * 4) / 4
    score = np.clip(np.round((label + rng.normal(scale=0.3, size=300)) * 4) / 4, 0, 1)
    sample = make_sample(label, score)
    for name in ("pearson", "spearman", "concordance", "icc_a1", "rmse", "ece", "krippendorff_alpha_ordinal"):
        formula = ESTIMATORS[name].of(sample.cells)
        values = influence(formula, sample)
        assert float(sample.counts @ values) == pytest.approx(0.0, abs=1e-8)
        assert float(bootstrap([formula], sample, replicates=4_000, seed=0)[0].std()) == pytest.approx(
            standard_error(values, sample, independent=True), rel=0.1
        ), name


def test_blocks_hold_the_same_rows_and_the_same_skewness() -> None:
    rng = np.random.default_rng(3)
    label, score = np.zeros(4_000), rng.beta(1, 8, size=4_000)
    sample = make_sample(label, score)
    blocks = in_blocks(sample, 500, seed=0)
    assert blocks.counts == pytest.approx(sample.counts)
    formula = ESTIMATORS["mae"].of(sample.cells)
    exact = float(stats.skew(score)) / (6 * np.sqrt(4_000))
    assert acceleration(formula, sample, seed=0) == pytest.approx(exact, rel=0.6)


def test_what_would_cost_too_much_is_jackknifed_in_blocks() -> None:
    rng = np.random.default_rng(4)
    label = rng.random(1_700)
    score = np.clip(label + rng.normal(scale=0.2, size=1_700), 0, 1)
    tau = measure([ESTIMATORS["kendall_tau_b"]], make_sample(label, score))["kendall_tau_b"]
    assert tau.method is not None
    assert "jackknife of 40 blocks" in tau.method
    assert 0.005 < half_width(tau) < 0.03


def test_too_many_undefined_replicates_leave_no_interval() -> None:
    label = np.array([1.0] + [0.0] * 5)
    kappa = measure([ESTIMATORS["mcc"]], make_sample(label, label))["mcc"]
    assert (kappa.value, kappa.low) == (1.0, None)
    assert kappa.method is not None
    assert "no interval" in kappa.method


@pytest.mark.parametrize("clusters", [2, 5, 40])
def test_bca_of_normal_replicates_is_students_interval_expanded_for_few_clusters(clusters: int) -> None:
    replicates = stats.norm.ppf((np.arange(400_000) + 0.5) / 400_000)
    found = bca_interval(0.0, replicates, 0.0, clusters, 0.8)
    end = stats.t.ppf(0.9, clusters - 1) * np.sqrt(clusters / (clusters - 1))
    assert found == pytest.approx((-end, end), rel=1e-2)
