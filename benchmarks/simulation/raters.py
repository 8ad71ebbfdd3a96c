"""Several raters with gaps: Krippendorff's alpha at all levels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from known_numbers import value_of

from fiducial.calibration import Settings
from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.statistics.krippendorff import Level

from .tally import COVERAGE, Tally

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


def ratings_of(rng: np.random.Generator, clusters: int, units: int) -> FloatArray:
    """Draw four raters' ratings from 1 to 4, a fifth missing; clusters share rating and noise."""
    noise = np.repeat(rng.choice([0.1, 0.5], size=clusters), units)
    truth = np.clip(
        np.repeat(rng.integers(1, 5, size=clusters), units) + rng.integers(-1, 2, size=clusters * units), 1, 4
    )
    near = np.clip(truth + rng.choice([-1, 1], size=(4, len(truth))), 1, 4)
    ratings = np.where(rng.random((4, len(truth))) < noise, near, truth).astype(np.float64)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    return ratings


def reliabilities(draws: int) -> Iterator[Tally]:
    """100 units, each by itself, and 40 clusters of 5."""
    everyone = ratings_of(np.random.default_rng(0), 200_000, 1)
    # Without clusters the value costs one pass, and its interval is not looked at.
    truth = {
        level: value_of(reliability(everyone, level, settings=Settings(replicates=2))) for level in LEVELS
    }
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
        yield tally
