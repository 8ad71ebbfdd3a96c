"""Panel of one judge: every interval of `fiducial calibrate`, and missing verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from fiducial.calibration import AGREEMENT, ESTIMATORS, Sample, Settings, make_sample, measure
from fiducial.calibration.intervals.clustered_means import mean_of
from fiducial.calibration.intervals.clustered_rates import certified_rate, share_of

from .judges import FEW_CLUSTERS, SCENARIOS, Judge, calibrated_rows, graded_rows, population, usable, verdicts
from .tally import AT_LEAST, COVERAGE, Tally

REPLICATES = 1_000

GRADED = tuple(name for name in ESTIMATORS if name not in AGREEMENT)


def _truth(names: tuple[str, ...], everyone: Sample) -> dict[str, float]:
    return {name: float(ESTIMATORS[name].formula(everyone.counts, everyone.cells)) for name in names}


def _count(tally: Tally, sample: Sample, truth: dict[str, float], seed: int) -> None:
    settings = Settings(seed=seed, replicates=REPLICATES)
    for name, found in measure([ESTIMATORS[name] for name in truth], sample, settings).items():
        tally.covers(name, found, truth[name])


def binary(draws: int) -> Iterator[Tally]:
    """Statistics of the 2x2 table, and the share of missing verdicts."""
    yield from _panels(SCENARIOS, draws)


def few_clusters(draws: int) -> Iterator[Tally]:
    """Simulate the panel with fewer clusters than the commands accept without a warning."""
    yield from _panels(FEW_CLUSTERS, draws)


def _panels(scenarios: dict[str, Judge], draws: int) -> Iterator[Tally]:
    for title, plan in scenarios.items():
        rng, tally = np.random.default_rng(1), Tally(title, COVERAGE)
        truth = _truth(AGREEMENT, population(plan))
        for draw in range(draws):
            label, score, cluster = verdicts(rng, plan)
            _count(tally, usable(label, score, cluster), truth, draw)
            if plan.missing:
                tally.covers("missing", share_of(np.isnan(score).astype(np.float64), cluster), plan.missing)
        yield tally


def graded(draws: int) -> Iterator[Tally]:
    """Simulate graded and probability statistics: a lenient judge, and a calibrated one."""
    kinds = (("too kind", graded_rows), ("calibrated", calibrated_rows))
    for (kind, rows_of), (clusters, rows) in product(kinds, ((200, 1), (60, 5))):
        rng, tally = (
            np.random.default_rng(2),
            Tally(f"graded, {kind}, {clusters} clusters of {rows}", COVERAGE),
        )
        truth = _truth(GRADED, make_sample(*rows_of(rng, 400_000, 1)[:2]))
        for draw in range(draws // 2):
            _count(tally, make_sample(*rows_of(rng, clusters, rows)), truth, draw)
        yield tally


def means(draws: int) -> Iterator[Tally]:
    """Means and certified rates, as audits print them."""
    covered, certified = Tally("means over clusters", COVERAGE), Tally("certified rates, one-sided", AT_LEAST)
    rng = np.random.default_rng(3)
    for _ in range(draws):
        for clusters, rows in ((120, 1), (60, 5)):
            cluster = np.repeat(np.arange(clusters), rows)
            ease = rng.beta(8, 2, size=clusters)[cluster]
            right = (rng.random(len(cluster)) < ease).astype(np.float64)
            before = (rng.random(len(cluster)) < 0.9 * ease).astype(np.float64)
            name = f"{clusters} clusters of {rows}"
            covered.covers(f"share, {name}", share_of(right, cluster), 0.8)
            covered.covers(f"mean difference, {name}", mean_of(right - before, cluster), 0.08)
            certified.covers(name, certified_rate(right, cluster), 0.8)
    yield covered
    yield certified
