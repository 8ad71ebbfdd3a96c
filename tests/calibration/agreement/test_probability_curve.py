"""Probabilities against labels: beside independent libraries, and in planted worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from table_rows import rows_of_columns

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.probability_curve import (
    calibration_slope,
    losses,
    reliability_bins,
    risk_by_coverage,
)
from fiducial.calibration.thresholds.certified_thresholds import certify_threshold, confidence_of

Floats = NDArray[np.float64]


def world(seed: int, n: int, stretch: float = 1.0) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """Return probabilities with ``stretch`` times the true log-odds, labels and clusters."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.8, 1.6, n)
    right = rng.random(n) < 1 / (1 + np.exp(-odds))
    return 1 / (1 + np.exp(-stretch * odds)), right, np.arange(n)


def test_losses_slope_and_bins_equal_those_of_other_libraries():
    metrics: Any = pytest.importorskip("sklearn.metrics")
    api: Any = pytest.importorskip("statsmodels.api")
    p, right, cluster = world(1, 400, 1.7)
    found = losses(p, right, cluster)
    assert found["brier"].value == pytest.approx(metrics.brier_score_loss(right, p), abs=1e-6)
    assert found["log_loss"].value == pytest.approx(metrics.log_loss(right, p), abs=1e-6)
    constant = np.full(400, right.mean())
    assert found["log_loss_of_base_rate"].value == pytest.approx(metrics.log_loss(right, constant), abs=1e-6)
    assert found["brier_of_base_rate"].value == pytest.approx(
        metrics.brier_score_loss(right, constant), abs=1e-6
    )
    fit = api.Logit(right.astype(float), api.add_constant(np.log(p / (1 - p)))).fit(
        disp=0, tol=1e-12, cov_type="HC1", use_t=True
    )
    slope = calibration_slope(p, right, cluster)
    assert [slope[name].value for name in ("intercept", "slope")] == pytest.approx(list(fit.params), abs=1e-6)
    ours = [(slope["slope"].high or 0) - (slope["slope"].low or 0)]
    low, high = fit.conf_int()[1]
    assert ours == pytest.approx([high - low], rel=0.01)
    curve: Any = pytest.importorskip("sklearn.calibration").calibration_curve
    rates, means = curve(right, p, n_bins=10, strategy="quantile")
    bins = reliability_bins(p, right, cluster)
    assert [bin_.n for bin_ in bins] == [40] * 10
    assert [bin_.mean for bin_ in bins] == pytest.approx(list(means), abs=1e-6)
    assert [bin_.rate.value for bin_ in bins] == pytest.approx(list(rates), abs=1e-6)


@pytest.mark.parametrize("stretch", [1.0, 2.5, 0.5])
def test_intervals_cover_in_planted_worlds(stretch: float):
    draws, slope_covered, large_covered = 200, 0, 0
    for seed in range(draws):
        p, right, cluster = world(seed, 200, stretch)
        slope = calibration_slope(p, right, cluster)["slope"]
        assert slope.low is not None
        assert slope.high is not None
        slope_covered += slope.low <= 1 / stretch <= slope.high
        if stretch == 1.0:
            large = losses(p, right, cluster)["calibration_in_the_large"]
            assert large.low is not None
            assert large.high is not None
            large_covered += large.low <= 0 <= large.high
    assert slope_covered / draws >= 0.91
    assert stretch != 1.0 or large_covered / draws >= 0.91


@pytest.mark.parametrize(("wrong", "told"), [(1, "1 row has"), (2, "2 rows have")])
def test_rows_with_an_infinite_loss_are_counted_with_their_verb(wrong: int, told: str):
    p = np.where(np.arange(40) < wrong, 0.0, 0.5)
    undefined = losses(p, np.arange(40) % 2 < 2, np.arange(40))["log_loss"].undefined
    assert undefined == f"infinite: {told} a probability of 0 or 1 and the opposite label"


def test_probabilities_of_0_and_1_make_losses_infinite_and_leave_the_slope():
    p, right, cluster = world(2, 100)
    p[0], right[0] = 0.0, True
    found = losses(p, right, cluster)
    assert found["log_loss"].value is None
    assert "infinite" in str(found["log_loss"].undefined)
    assert calibration_slope(p, right, cluster)["slope"].n == 99
    p[0], right[0] = 1.0, True
    assert losses(p, right, cluster)["log_loss"].value is not None


@pytest.mark.parametrize(
    ("p", "right"),
    [([0.2, 0.3, 0.4], [1, 1, 1]), ([0.5, 0.5, 0.5], [0, 1, 1]), ([0.1, 0.2, 0.8], [0, 0, 1]), ([], [])],
)
def test_a_slope_that_the_data_do_not_give_is_undefined_with_a_reason(p: list[float], right: list[int]):
    slope = calibration_slope(np.array(p), np.array(right, dtype=np.bool_), np.arange(len(p)))["slope"]
    assert slope.value is None
    assert slope.undefined


def test_risk_by_coverage_depends_on_the_ranking_alone():
    p, right, cluster = world(3, 400)
    q = 1 / (1 + np.exp(-2.5 * np.log(p / (1 - p))))

    def kept(scores: Floats) -> list[tuple[int, int]]:
        confidence = confidence_of(scores, 0.5)
        return [
            (step.n, step.errors) for step in risk_by_coverage(confidence, (scores >= 0.5) != right, cluster)
        ]

    # Confidence mirrors at one half, where both rank alike.
    assert kept(p) == kept(q)
    assert [n for n, _ in kept(p)] == list(range(40, 401, 40))


def test_a_certificate_depends_on_the_ranking_alone():
    p, right, _ = world(3, 400)
    q = 1 / (1 + np.exp(-2.5 * np.log(p / (1 - p))))
    found = [
        certify_threshold(confidence_of(floats, 0.5), (floats >= 0.5) != right, max_error=0.15)
        for floats in (p, q)
    ]
    assert found[0].kept > 0
    assert (found[0].kept, found[0].errors, found[0].coverage) == (
        found[1].kept,
        found[1].errors,
        found[1].coverage,
    )


@pytest.mark.parametrize("rounding", [None, 2])
def test_a_certified_error_is_exceeded_no_more_often_than_promised(rounding: int | None):
    everyone, labels, _ = world(9, 200_000)
    everyone = everyone if rounding is None else np.round(everyone, rounding)
    confidence, wrong = confidence_of(everyone, 0.5), (everyone >= 0.5) != labels
    broken = certified = 0
    for seed in range(300):
        p, right, _ = world(10 + seed, 300)
        p = p if rounding is None else np.round(p, rounding)
        found = certify_threshold(confidence_of(p, 0.5), (p >= 0.5) != right, max_error=0.1)
        if found.threshold is not None:
            certified += 1
            broken += float(wrong[confidence >= found.threshold].mean()) > 0.1
    assert certified > 100
    assert broken / 300 <= 0.1


def test_a_calibrated_judge_gets_no_advice_on_its_threshold_and_suspects_are_ranked_by_probability():
    p, right, _ = world(3, 400)
    table = table_from_rows(rows_of_columns(right.astype(float), p)).with_score_kinds({"": "probabilities"})
    found = calibrate(table, replicates=20)
    assert "another_threshold" not in [caution.code for caution in found.cautions]
    first = found.suspected_label_errors[0].item_id
    of_label = np.where(right, p, 1 - p)
    assert first == str(int(of_label.argmin()))


MISTAKEN: dict[str, Callable[[Floats], Floats]] = {
    "honest": lambda p: p,
    "two decimals": lambda p: p.round(2),
}


@pytest.mark.parametrize("name", MISTAKEN)
def test_a_calibrated_judge_is_seldom_found_biased(name: str):
    found = 0
    for seed in range(100):
        p, right, cluster = world(seed, 300)
        large = losses(MISTAKEN[name](p), right, cluster)["calibration_in_the_large"]
        found += not (large.low or 0) <= 0 <= (large.high or 0)
    assert found <= 10
