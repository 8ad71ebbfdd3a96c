"""Alpha of many raters with gaps, with an interval."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration import Settings
from fiducial.calibration.agreement.baselines import reliability
from fiducial.calibration.statistics.krippendorff import Level

GAP = np.nan
FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)
"""Krippendorff 2011: four observers, twelve units, gaps."""


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_example(level: Level, published: float) -> None:
    found = reliability(FOUR, level)
    assert found.value == pytest.approx(published, abs=0.0006)
    assert found.n == 11  # the last unit has one value
    assert found.low is not None
    assert found.high is not None
    assert found.low < published < found.high


def test_intervals_cover_the_alpha_of_a_large_population() -> None:
    rng = np.random.default_rng(11)

    def sample(units: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        truth = rng.integers(3, size=units)
        ratings = np.where(rng.random((3, units)) < 0.7, truth, rng.integers(3, size=(3, units))).astype(
            float
        )
        ratings[rng.random((3, units)) < 0.2] = np.nan
        return ratings

    alpha = reliability(sample(200_000), settings=Settings(replicates=20)).value
    assert alpha is not None
    covered = 0
    for _ in range(200):
        found = reliability(sample(80), settings=Settings(replicates=500))
        covered += (found.low or -1.0) <= alpha <= (found.high or -1.0)
    assert covered / 200 >= 0.905  # three Monte Carlo errors below 95 %


def test_units_that_depend_on_each_other_make_the_interval_wider() -> None:
    rng = np.random.default_rng(2)
    unit = (rng.random((2, 40)) < 0.5).astype(float)
    unit[1] = np.where(rng.random(40) < 0.8, unit[0], unit[1])
    ratings = np.repeat(unit, 5, axis=1)
    alone, together = reliability(ratings), reliability(ratings, cluster=np.repeat(np.arange(40), 5))
    assert alone.value == together.value
    assert (together.high or 0) - (together.low or 0) > 1.5 * ((alone.high or 0) - (alone.low or 0))


def test_what_cannot_be_computed_says_why() -> None:
    assert reliability(np.array([[1.0, GAP], [GAP, 2.0]])).undefined == "no unit has two values"
    assert reliability(np.ones((2, 3))).undefined == "all values are one and the same"
    perfect = reliability(np.array([[1.0, 2.0, 3.0] * 10] * 2))
    assert (perfect.value, perfect.method) == (1.0, "no interval: nothing varies over the units")
    few = reliability(np.array([[1.0, 2.0]] * 2))
    assert (few.low, few.high) == (None, None)
    assert "of the replicates are undefined" in (few.method or "")
    with pytest.raises(ValueError, match="at least 0"):
        reliability(np.array([[-1.0], [1.0]]), "ratio")
