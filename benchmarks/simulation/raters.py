"""Several raters with gaps: Krippendorff's alpha at all levels, Gwet's AC1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Settings
from fiducial.calibration.agreement.reliability import reliability
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.intervals.closed_forms import wald_interval
from fiducial.calibration.statistics.krippendorff import Level, krippendorff_alpha, value_counts
from fiducial.calibration.statistics.many_raters import gwet_ac1_many

from .tally import COVERAGE, Tally

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


def ratings_of(rng: np.random.Generator, clusters: int, units: int) -> FloatArray:
    """Four raters on a scale of 1 to 4, a fifth missing; the rating is alike within clusters, and so is the noise."""
    noise = np.repeat(rng.choice([0.1, 0.5], size=clusters), units)
    truth = np.clip(
        np.repeat(rng.integers(1, 5, size=clusters), units) + rng.integers(-1, 2, size=clusters * units), 1, 4
    )
    near = np.clip(truth + rng.choice([-1, 1], size=(4, len(truth))), 1, 4)
    ratings = np.where(rng.random((4, len(truth))) < noise, near, truth).astype(np.float64)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    return ratings


def _ac1(ratings: FloatArray) -> tuple[float, float]:
    found = gwet_ac1_many(value_counts(ratings)[1])
    return found.value, found.standard_error


def reliabilities(draws: int) -> Iterator[Tally]:
    """100 units, each by itself, and 40 clusters of 5."""
    everyone = ratings_of(np.random.default_rng(0), 200_000, 1)
    truth = {level: krippendorff_alpha(everyone, level) for level in LEVELS}
    ac1 = _ac1(everyone)[0]
    for clusters, units in ((100, 1), (40, 5)):
        rng, tally = np.random.default_rng(9), Tally(f"four raters, {clusters} clusters of {units}", COVERAGE)
        for draw in range(draws // 2):
            ratings = ratings_of(rng, clusters, units)
            for level in LEVELS:
                found = reliability(
                    ratings,
                    level,
                    cluster=np.repeat(np.arange(clusters), units),
                    settings=Settings(replicates=1_000, seed=draw),
                )
                tally.covers(f"krippendorff_alpha, {level}", found, truth[level])
            if units == 1:
                low, high = wald_interval(*_ac1(ratings))
                tally.add("gwet_ac1 and 1.96 standard errors", low <= ac1 <= high)
        yield tally
