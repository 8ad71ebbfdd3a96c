"""Simulated judges with planted rates, prevalence, cluster effect and missing verdicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fiducial.calibration import Sample, make_sample
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged


class Judge(NamedTuple):
    """Planted values.

    Attributes:
        clusters: How many.
        rows: In a cluster; of uneven clusters on average.
        tpr: True positive rate.
        tnr: True negative rate.
        prevalence: Share of right items.
        icc: Correlation within clusters, of labels and of errors.
        missing: Share of verdicts that are not there.
        uneven: Whether sizes of clusters differ as a geometric variable does.
    """

    clusters: int
    rows: int
    tpr: float
    tnr: float
    prevalence: float
    icc: float
    missing: float = 0.0
    uneven: bool = False


SCENARIOS = {
    "100 items": Judge(100, 1, 0.9, 0.85, 0.5, 0.0),
    "300 items, a fifth right": Judge(300, 1, 0.9, 0.8, 0.2, 0.0),
    "300 items, a tenth missing": Judge(300, 1, 0.85, 0.85, 0.4, 0.0, 0.1),
    "300 items, a very good judge": Judge(300, 1, 0.985, 0.98, 0.5, 0.0),
    "100 clusters of 5": Judge(100, 5, 0.95, 0.85, 0.3, 0.2),
    "100 uneven clusters of about 5": Judge(100, 5, 0.9, 0.8, 0.4, 0.2, 0.05, uneven=True),
    "40 clusters of 10": Judge(40, 10, 0.9, 0.8, 0.4, 0.2),
    "20 clusters of 15": Judge(20, 15, 0.9, 0.8, 0.4, 0.2),
    "200 clusters of 5, strict": Judge(200, 5, 0.98, 0.9, 0.1, 0.1),
    "60 clusters of 5, few errors": Judge(60, 5, 0.95, 0.97, 0.15, 0.1),
}

FEW_CLUSTERS = {
    f"{clusters} clusters of 15": Judge(clusters, 15, 0.9, 0.8, 0.4, 0.2) for clusters in (12, 8, 4)
}


def members(rng: np.random.Generator, plan: Judge) -> IntArray:
    """Cluster number of each row."""
    if not plan.uneven:
        return np.repeat(np.arange(plan.clusters), plan.rows)
    return np.repeat(np.arange(plan.clusters), rng.geometric(1 / plan.rows, size=plan.clusters))


def chances(rng: np.random.Generator, mean: float, icc: float, cluster: IntArray) -> FloatArray:
    """A chance for each row, alike within clusters."""
    if icc == 0:
        return np.full(len(cluster), mean)
    scale = 1 / icc - 1
    return rng.beta(mean * scale, (1 - mean) * scale, size=int(cluster.max()) + 1)[cluster]


def verdicts(rng: np.random.Generator, plan: Judge) -> tuple[FloatArray, FloatArray, IntArray]:
    """Labels, scores (NaN where missing) and clusters."""
    cluster = members(rng, plan)
    right = rng.random(len(cluster)) < chances(rng, plan.prevalence, plan.icc, cluster)
    rate = np.where(right, *(chances(rng, each, plan.icc, cluster) for each in (plan.tpr, plan.tnr)))
    agrees = rng.random(len(cluster)) < rate
    score = np.where(agrees, right, ~right).astype(np.float64)
    score[rng.random(len(cluster)) < chances(rng, plan.missing, plan.icc if plan.missing else 0, cluster)] = (
        np.nan
    )
    return right.astype(np.float64), score, cluster


def split(label: FloatArray, score: FloatArray, cluster: IntArray, known: np.ndarray) -> LabelledAndJudged:
    """Rows whose labels are known, and the others."""
    return LabelledAndJudged(label[known], score[known], score[~known], cluster[known], cluster[~known])


def usable(label: FloatArray, score: FloatArray, cluster: IntArray) -> Sample:
    """The rows that have a score, as a sample."""
    there = np.isfinite(score)
    return make_sample(label[there], score[there], cluster[there])


def population(plan: Judge) -> Sample:
    """The planted shares as a very large table."""
    wrong, right = 1 - plan.prevalence, plan.prevalence
    shares = [wrong * plan.tnr, wrong * (1 - plan.tnr), right * (1 - plan.tpr), right * plan.tpr]
    times = np.rint(np.array(shares) * 1e6).astype(int)
    return make_sample(np.repeat([0.0, 0, 1, 1], times), np.repeat([0.0, 1, 0, 1], times))


def graded_rows(
    rng: np.random.Generator, clusters: int, rows: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Labels in fifths, scores noisy and too kind, both with a share of the cluster."""
    cluster = np.repeat(np.arange(clusters), rows)
    level = 0.6 * rng.random(len(cluster)) + 0.4 * rng.random(clusters)[cluster]
    kind = 0.05 + 0.1 * rng.normal(size=clusters)[cluster]
    score = np.clip(level + kind + rng.normal(scale=0.15, size=len(cluster)), 0, 1)
    return np.round(level * 5) / 5, np.round(score * 10) / 10, cluster


def calibrated_rows(
    rng: np.random.Generator, clusters: int, rows: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw scores in twentieths that are the true chances, and labels that follow them.

    Rows of a cluster are alike.
    """
    cluster = np.repeat(np.arange(clusters), rows)
    score = np.clip(
        0.5 * rng.beta(2, 1.5, size=len(cluster)) + 0.5 * rng.beta(2, 1.5, size=clusters)[cluster], 0, 1
    )
    score = np.round(score * 20) / 20
    return (rng.random(len(cluster)) < score).astype(np.float64), score, cluster
