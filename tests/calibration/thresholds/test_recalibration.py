"""Maps from scores to rates: against scikit-learn, and by what they promise on other items."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from known_numbers import covers, printed
from lazily import Lazily
from table_rows import rows_of_columns

from fiducial.calibration import Requests, calibrate, table_from_rows
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.thresholds.recalibration import isotonic, platt, recalibrate
from fiducial.calibration.thresholds.threshold_results import Curve, Recalibrator, Sigmoid

# The oracles have no types.
IsotonicRegression = Lazily("sklearn.isotonic").IsotonicRegression
optimize = Lazily("scipy.optimize")


def judged(seed: int, n: int, *, kind: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Outcomes, and scores of which ``kind`` is the part that is made up."""
    rng = np.random.default_rng(seed)
    chance = rng.random(n)
    return (rng.random(n) < chance).astype(float), np.round(chance + kind * (1 - chance), 2)


def test_isotonic_is_scikit_learns() -> None:
    outcome, score = judged(0, 300)
    model = IsotonicRegression(out_of_bounds="clip").fit(score, outcome)
    grid = np.linspace(-0.2, 1.2, 401)
    assert isotonic(score, outcome)(grid) == pytest.approx(model.predict(grid), abs=1e-12)


def test_platt_makes_its_own_loss_least() -> None:
    outcome, score = judged(1, 200, kind=0.3)
    right = float(outcome.sum())
    target: FloatArray = np.where(outcome == 1, (right + 1) / (right + 2), 1 / (200 - right + 2))

    def loss(found: FloatArray) -> float:
        linear = found[0] * score + found[1]
        return float((np.logaddexp(0, linear) - target * linear).sum())

    best = optimize.minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-10}).x
    assert msgspec.structs.astuple(platt(score, outcome)) == pytest.approx(tuple(best), abs=1e-4)


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_one_class_or_equal_scores_have_finite_maps(outcome: float) -> None:
    score, outcomes = np.array([0.2, 0.2, 0.9]), np.full(3, outcome)
    for fit in (isotonic, platt):
        assert np.isfinite(fit(score, outcomes)(np.array([0.0, 1.0]))).all()
        assert np.isfinite(fit(np.full(3, 0.5), outcomes)(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_a_judge_that_is_too_kind_is_mended(method: Recalibrator) -> None:
    outcome, score = judged(2, 600, kind=0.5)
    found = recalibrate(outcome, score, np.arange(600), method=method)
    assert found.before.value == pytest.approx(float(((score - outcome) ** 2).mean()))
    assert found.change.high is not None
    assert found.change.high < 0
    assert (found.after.value or 0) - (found.before.value or 0) == pytest.approx(found.change.value)


def test_a_judge_without_a_clue_gains_nothing_by_a_map_of_its_own_rows() -> None:
    """Fitted to its own rows, isotonic regression finds order in noise; cross-fitted, none."""
    rng = np.random.default_rng(3)
    outcome, score = (rng.random(120) < 0.5).astype(float), rng.random(120)
    flattered = float(((isotonic(score, outcome)(score) - outcome) ** 2).mean())
    found = recalibrate(outcome, score, np.arange(120), method="isotonic")
    assert flattered < 0.24
    assert (found.after.value or 0) > 0.25


def test_a_cluster_never_sees_a_map_of_its_own_rows() -> None:
    """Rows of a cluster are one and the same; a map that knew them would foretell them."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(40), 10)
    score, outcome = rng.random(40)[cluster], (rng.random(40) < 0.5).astype(float)[cluster]
    found = recalibrate(outcome, score, cluster, method="isotonic")
    assert (found.after.value or 0) > 0.25


def test_right_and_wrong_in_turn_do_not_end_up_in_folds_of_their_own() -> None:
    outcome = np.arange(100.0) % 2
    found = recalibrate(outcome, np.full(100, 0.5), np.arange(100), method="platt")
    # A constant knows nothing: 1/4, and a little for the chance of a fold; 0.309 by folds that hold one class.
    assert found.after.value == pytest.approx(0.25, abs=0.01)
    assert found.after.low != found.after.high


def test_one_cluster_is_refused() -> None:
    found = recalibrate(np.array([0.0, 1.0]), np.array([0.1, 0.9]), np.zeros(2, np.int64), method="platt")
    assert found.change.undefined is not None
    assert found.curve is None


def test_the_interval_of_the_change_covers() -> None:
    truth = -((0.5 * (1 - np.linspace(0, 1, 100_001))) ** 2).mean()  # a perfect map takes the whole bias away
    hits = 0
    for seed in range(300):
        outcome, score = judged(seed, 1_000, kind=0.5)
        change = recalibrate(outcome, score, np.arange(1_000), method="isotonic").change
        hits += covers(change, truth)
    assert hits / 300 >= 0.9


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_calibrate_does_it_on_request(method: Recalibrator) -> None:
    outcome, score = judged(5, 80, kind=0.5)
    rows = rows_of_columns(outcome, score)
    result = calibrate(table_from_rows(rows), requests=Requests(recalibrate=method))
    found = result.recalibration["j"]
    assert isinstance(found.curve, Curve if method == "isotonic" else Sigmoid)
    if method == "platt":
        assert isinstance(found.curve, Sigmoid)
        assert found.curve.slope > 0
    assert f"j, scores mapped to rates ({method}" in printed(result)
