"""Few errors, few clusters, and clusters of which one holds half of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from fiducial.calibration import AGREEMENT, ESTIMATORS, Settings, make_sample, measure
from fiducial.calibration.arrays import IntArray
from fiducial.calibration.intervals.clustered_rates import certified_rate, share_of

from .judges import Judge, chances, population
from .tally import FALSE_CERTIFICATES, UNEVEN_COVERAGE, Means, Tally, width_of

SIZES: dict[str, IntArray] = {
    "12 of 5": np.full(12, 5),
    "20 of 5": np.full(20, 5),
    "100 of 5": np.full(100, 5),
    "40 of 10": np.full(40, 10),
    "8 of 15": np.full(8, 15),
    "one of 95, 19 of 5": np.append(np.full(19, 5), 95),
    "one of 110, 11 of 10": np.append(np.full(11, 10), 110),
    "15, each a third larger": np.round(3 * 1.3 ** np.arange(15)).astype(np.int64),
}
"""Rows of each cluster."""

BEYOND_CHANCE = ("cohen_kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha", "mcc")


def rates(draws: int) -> Iterator[Tally | Means]:
    """Simulate shares near 1, and certificates of them, in clusters of varied dependence."""
    for name, sizes in SIZES.items():
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        covered, broken = (
            Tally(f"shares, {name}", UNEVEN_COVERAGE),
            Tally(f"certificates, {name}", FALSE_CERTIFICATES),
        )
        widths, rng = Means(f"widths of intervals of shares, {name}"), np.random.default_rng(11)
        for (icc, rate), _ in product(product((0.0, 0.2, 0.5), (0.8, 0.9, 0.95, 0.98)), range(draws)):
            passed = (rng.random(len(cluster)) < chances(rng, rate, icc, cluster)).astype(np.float64)
            share, key = share_of(passed, cluster), f"rate {rate}, ICC {icc}"
            covered.covers(key, share, rate)
            widths.add(key, width_of(share))
            bound = certified_rate(passed, cluster).low
            broken.add(key, None if bound is None else bound > rate)
        yield from (covered, widths, broken)


def agreement(draws: int) -> Iterator[Tally]:
    """Simulate statistics of the 2x2 table in clusters, for two judges.

    They are right on 90 and 80 %, and 40 % of the population is right. Labels and errors are alike within
    clusters.
    """
    for name, icc in product(
        ("one of 95, 19 of 5", "one of 110, 11 of 10", "15, each a third larger", "8 of 15", "12 of 5"),
        (0.2, 0.5),
    ):
        cluster = np.repeat(np.arange(len(SIZES[name])), SIZES[name])
        rng, tally = np.random.default_rng(12), Tally(f"agreement, {name}, ICC {icc}", UNEVEN_COVERAGE)
        everyone = population(Judge(1, 1, 0.9, 0.8, 0.4, 0.0))
        truth = {each: float(ESTIMATORS[each].formula(everyone.counts, everyone.cells)) for each in AGREEMENT}
        for draw in range(draws // 4):
            right = rng.random(len(cluster)) < chances(rng, 0.4, icc, cluster)
            agrees = rng.random(len(cluster)) < np.where(
                right, chances(rng, 0.9, icc, cluster), chances(rng, 0.8, icc, cluster)
            )
            sample = make_sample(right.astype(np.float64), (agrees == right).astype(np.float64), cluster)
            settings = Settings(seed=draw, replicates=1_000)
            for each, found in measure([ESTIMATORS[each] for each in AGREEMENT], sample, settings).items():
                tally.covers(each, found, truth[each])
        yield tally
