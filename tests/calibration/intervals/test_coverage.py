"""Coverage of intervals on simulated judges with planted rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from known_numbers import covers

from fiducial.calibration import ESTIMATORS, Sample, Settings, make_sample, measure
from fiducial.calibration.agreement.agreement_by_group import equal_rates
from fiducial.calibration.agreement.label_audit import corrected_rates
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.sample import Cells
from fiducial.calibration.thresholds.certified_thresholds import certify_threshold, coverage_thresholds

DRAWS = 500
NAMES = (
    "accuracy",
    "true_positive_rate",
    "true_negative_rate",
    "cohen_kappa",
    "mcc",
    "gwet_ac1",
    "bias",
    "balanced_accuracy",
)


class Scenario(NamedTuple):
    """Planted sizes and rates, and the dependence within clusters."""

    clusters: int
    rows: int
    tpr: float
    tnr: float
    prevalence: float
    icc: float


def simulate(rng: np.random.Generator, plan: Scenario) -> Sample:
    """A judge whose label and error rates vary between clusters."""
    cluster = np.repeat(np.arange(plan.clusters), plan.rows)

    def chance(mean: float) -> FloatArray:
        if plan.icc == 0:
            return np.full(len(cluster), mean)
        scale = 1 / plan.icc - 1
        return rng.beta(mean * scale, (1 - mean) * scale, size=plan.clusters)[cluster]

    right = rng.random(len(cluster)) < chance(plan.prevalence)
    agrees = rng.random(len(cluster)) < np.where(right, chance(plan.tpr), chance(plan.tnr))
    return make_sample(right.astype(float), np.where(agrees, right, ~right).astype(float), cluster)


def planted(name: str, plan: Scenario) -> float:
    """The statistic of the population."""
    wrong, right = 1 - plan.prevalence, plan.prevalence
    shares = np.array([wrong * plan.tnr, wrong * (1 - plan.tnr), right * (1 - plan.tpr), right * plan.tpr])
    cells = Cells(np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 0, 1]), 0.5)
    return float(ESTIMATORS[name].formula(shares * 1e6, cells))


@pytest.mark.slow
# Nominal 0.95, Monte Carlo standard error 0.01; benchmarks/calibration_coverage.py measures with more draws.
@pytest.mark.parametrize(
    ("plan", "least"),
    [
        (Scenario(300, 1, 0.9, 0.8, 0.3, 0.0), 0.925),
        (Scenario(100, 5, 0.95, 0.85, 0.3, 0.1), 0.925),
        (Scenario(40, 10, 0.9, 0.8, 0.4, 0.2), 0.92),
        (Scenario(20, 15, 0.9, 0.8, 0.4, 0.2), 0.90),
    ],
    ids=["independent", "100 clusters", "40 clusters", "20 clusters"],
)
def test_default_intervals_cover(plan: Scenario, least: float) -> None:
    rng = np.random.default_rng(1)
    hits = dict.fromkeys(NAMES, 0)
    for draw in range(DRAWS):
        sample = simulate(rng, plan)
        found = measure([ESTIMATORS[name] for name in NAMES], sample, Settings(replicates=600, seed=draw))
        for name in NAMES:
            hits[name] += covers(found[name], planted(name, plan))
    shares = {name: hit / DRAWS for name, hit in hits.items()}
    assert all(least <= share <= 0.98 for share in shares.values()), shares


def test_intervals_that_ignore_clusters_do_not_cover() -> None:
    rng, plan = np.random.default_rng(2), Scenario(40, 10, 0.9, 0.8, 0.4, 0.3)
    hits = 0
    for _ in range(300):
        sample = simulate(rng, plan)
        accuracy = measure([ESTIMATORS["accuracy"]], sample, Settings(interval="wilson"))["accuracy"]
        hits += covers(accuracy, planted("accuracy", plan))
    assert hits / 300 < 0.9


@pytest.mark.parametrize("groups", [2, 8, 25])
def test_the_test_of_equal_slices_holds_its_level(groups: int) -> None:
    rng = np.random.default_rng(groups)
    alarms = 0
    for _ in range(400):
        cluster = np.repeat(np.arange(groups * 8), 5)
        success = rng.random(len(cluster)) < rng.beta(8, 2, size=groups * 8)[cluster]
        p = equal_rates(success, cluster % groups, cluster).p
        alarms += p is not None and p <= 0.05
    assert alarms / 400 <= 0.08


def test_the_test_of_equal_slices_finds_a_bad_slice() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(120), 5)
    success = rng.random(600) < np.where(cluster % 3 == 0, 0.6, 0.9)
    p = equal_rates(success, cluster % 3, cluster).p
    assert p is not None
    assert p < 1e-4


def test_a_label_audit_recovers_the_judges_true_rates() -> None:
    rng = np.random.default_rng(5)
    hits, draws = 0, 150
    for draw in range(draws):
        truth = rng.random(1_500) < 0.6
        label = np.where(truth, rng.random(1_500) < 0.75, rng.random(1_500) >= 0.97)
        score = np.where(truth, rng.random(1_500) < 0.95, rng.random(1_500) >= 0.85)
        sample = make_sample(label.astype(float), score.astype(float))
        audit = np.zeros((2, 2))
        np.add.at(audit, (truth[:300].astype(int), label[:300].astype(int)), 1.0)
        rate = corrected_rates(sample, audit, Settings(seed=draw, replicates=400)).true_negative_rate
        hits += covers(rate, 0.85)
    assert hits / draws >= 0.9
    assert planted_apparent_tnr() < 0.65  # what the same judge looks like against the labels alone


def planted_apparent_tnr() -> float:
    """P(judge fails | label fails) when the label misses a quarter of the right ones."""
    failed_right, failed_wrong = 0.6 * 0.25, 0.4 * 0.97
    return (failed_right * 0.05 + failed_wrong * 0.85) / (failed_right + failed_wrong)


def test_a_certified_threshold_keeps_its_promise() -> None:
    rng = np.random.default_rng(6)
    broken, certified = 0, 0
    for _ in range(300):
        confidence = rng.random(400)
        wrong = rng.random(400) < 0.3 * (1 - confidence)
        found = certify_threshold(confidence, wrong, max_error=0.1)
        if found.threshold is not None:
            certified += 1
            broken += 0.3 * (1 - (1 + found.threshold) / 2) > 0.1
    assert certified > 200
    assert broken / 300 <= 0.1


def test_no_threshold_is_certified_for_a_coin() -> None:
    rng = np.random.default_rng(7)
    found = certify_threshold(rng.random(500), rng.random(500) < 0.5, max_error=0.1)
    assert found.threshold is None
    assert found.undefined is not None


def test_thresholds_go_from_strict_to_lax() -> None:
    thresholds = coverage_thresholds(np.random.default_rng(8).random(95))
    assert len(thresholds) == 10
    assert thresholds == sorted(thresholds, reverse=True)
