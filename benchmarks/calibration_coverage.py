"""We test the tester: coverage of every default interval and size of every test, on simulated judges.

Takes the number of draws as its argument; 2,000 take some minutes. Targets: 93.5 to 96.5 % for a nominal 95 % at 100
labels and 30 of each class; no more than 5.5 % rejections where the hypothesis holds.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from fiducial.calibration import ESTIMATORS, Sample, Settings, make_sample, measure
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.delong import delong
from fiducial.calibration.homogeneity import equal_rates
from fiducial.calibration.mcnemar import mcnemar
from fiducial.calibration.paired import difference_of, paired_sample
from fiducial.calibration.rogan_gladen import rogan_gladen
from fiducial.calibration.statistic import Statistic
from fiducial.calibration.true_rate import (
    LabelledAndJudged,
    labels_only,
    post_stratified,
    prediction_powered,
    tuned_lambda,
)

BINARY = tuple(ESTIMATORS)[: tuple(ESTIMATORS).index("pearson")]
GRADED = tuple(ESTIMATORS)[tuple(ESTIMATORS).index("pearson") :]


class Judge(NamedTuple):
    """What is planted."""

    clusters: int
    rows: int
    tpr: float
    tnr: float
    prevalence: float
    icc: float
    missing: float = 0.0


SCENARIOS = {
    "100 items": Judge(100, 1, 0.9, 0.85, 0.5, 0.0),
    "300 items, a fifth right": Judge(300, 1, 0.9, 0.8, 0.2, 0.0),
    "300 items, a tenth missing": Judge(300, 1, 0.85, 0.85, 0.4, 0.0, 0.1),
    "100 clusters of 5": Judge(100, 5, 0.95, 0.85, 0.3, 0.2),
    "40 clusters of 10": Judge(40, 10, 0.9, 0.8, 0.4, 0.2),
    "20 clusters of 15": Judge(20, 15, 0.9, 0.8, 0.4, 0.2),
    "200 clusters of 5, strict": Judge(200, 5, 0.98, 0.9, 0.1, 0.1),
}


def chances(rng: np.random.Generator, mean: float, plan: Judge) -> FloatArray:
    """A chance for each row, alike within clusters."""
    if plan.icc == 0:
        return np.full(plan.clusters * plan.rows, mean)
    scale = 1 / plan.icc - 1
    return np.repeat(rng.beta(mean * scale, (1 - mean) * scale, size=plan.clusters), plan.rows)


def verdicts(rng: np.random.Generator, plan: Judge) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Labels, scores and clusters of the verdicts that are there."""
    right = rng.random(plan.clusters * plan.rows) < chances(rng, plan.prevalence, plan)
    agrees = rng.random(len(right)) < np.where(
        right, chances(rng, plan.tpr, plan), chances(rng, plan.tnr, plan)
    )
    there = rng.random(len(right)) >= plan.missing
    score = np.where(agrees, right, ~right).astype(float)
    return right[there].astype(float), score[there], np.repeat(np.arange(plan.clusters), plan.rows)[there]


def population(plan: Judge) -> Sample:
    """The planted shares as a very large table."""
    wrong, right = 1 - plan.prevalence, plan.prevalence
    shares = [wrong * plan.tnr, wrong * (1 - plan.tnr), right * (1 - plan.tpr), right * plan.tpr]
    times = np.rint(np.array(shares) * 1e6).astype(int)
    return make_sample(np.repeat([0.0, 0, 1, 1], times), np.repeat([0.0, 1, 0, 1], times))


def covers(statistic: Statistic, truth: float) -> bool | None:
    """Whether the interval holds the truth; None where there is no interval."""
    if statistic.low is None or statistic.high is None:
        return None
    return statistic.low <= truth <= statistic.high


class Tally:
    """Counts of hits, and how they are printed."""

    def __init__(self) -> None:
        self.hits: dict[str, list[bool]] = {}

    def add(self, name: str, hit: bool | None) -> None:  # noqa: FBT001 - the value is what is counted
        """Count one draw; None is an interval or p-value that was refused."""
        if hit is not None:
            self.hits.setdefault(name, []).append(hit)

    def print(self, low: float, high: float) -> None:
        """One line a name: share, Monte Carlo error, and whether it is within the target."""
        for name, hits in self.hits.items():
            share = float(np.mean(hits))
            error = float(np.sqrt(max(share * (1 - share), 1e-4) / len(hits)))
            mark = "" if low - 2 * error <= share <= high + 2 * error else "   <- outside the target"
            print(f"  {name:<28} {share:6.1%} +- {error:.1%} of {len(hits):,}{mark}")


def panel_coverage(draws: int) -> None:
    """Default intervals of the 2x2 statistics."""
    for title, plan in SCENARIOS.items():
        rng, tally, everyone = np.random.default_rng(1), Tally(), population(plan)
        truth = {name: float(ESTIMATORS[name].formula(everyone.counts, everyone.cells)) for name in BINARY}
        for draw in range(draws):
            label, score, cluster = verdicts(rng, plan)
            found = measure(
                [ESTIMATORS[name] for name in BINARY],
                make_sample(label, score, cluster),
                Settings(seed=draw, replicates=1_000),
            )
            for name in BINARY:
                tally.add(name, covers(found[name], truth[name]))
        print(f"\ncoverage, {title}")
        tally.print(0.935, 0.965)


def graded_rows(
    rng: np.random.Generator, clusters: int, rows: int
) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Labels in fifths, scores noisy and too kind, both with a share of the cluster."""
    cluster = np.repeat(np.arange(clusters), rows)
    level = 0.6 * rng.random(len(cluster)) + 0.4 * rng.random(clusters)[cluster]
    kind = 0.05 + 0.1 * rng.normal(size=clusters)[cluster]
    score = np.clip(level + kind + rng.normal(scale=0.15, size=len(cluster)), 0, 1)
    return np.round(level * 5) / 5, np.round(score * 10) / 10, cluster


def graded_coverage(draws: int) -> None:
    """Default intervals of the graded and probability statistics."""
    for clusters, rows in ((200, 1), (60, 5)):
        rng, tally = np.random.default_rng(2), Tally()
        everyone = make_sample(*graded_rows(rng, 200_000, 1)[:2])
        truth = {name: float(ESTIMATORS[name].formula(everyone.counts, everyone.cells)) for name in GRADED}
        for draw in range(draws):
            sample = make_sample(*graded_rows(rng, clusters, rows))
            found = measure(
                [ESTIMATORS[name] for name in GRADED], sample, Settings(seed=draw, replicates=1_000)
            )
            for name in GRADED:
                tally.add(name, covers(found[name], truth[name]))
        print(f"\ncoverage, graded scores, {clusters} clusters of {rows}")
        tally.print(0.935, 0.965)


def rate_coverage(draws: int) -> None:
    """Estimates of the true rate, 1,000 items judged and not labelled."""
    for labels in (50, 100, 300):
        rng, tally = np.random.default_rng(3), Tally()
        plan = Judge(labels + 1_000, 1, 0.9, 0.8, 0.6, 0.0)
        for _ in range(draws):
            label, score, item = verdicts(rng, plan)
            data = LabelledAndJudged(
                label[:labels], score[:labels], score[labels:], item[:labels], item[labels:]
            )
            right, passed = data.label == 1, data.score == 1
            found = {
                "labels_only": labels_only(data.label, data.label_cluster),
                "ppi": prediction_powered(data, 1.0, scale="wald"),
                "ppi_plus_plus": prediction_powered(data, tuned_lambda(data)),
                "post_stratified": post_stratified(data),
                "rogan_gladen": rogan_gladen(
                    float(data.unlabelled.mean()),
                    1_000,
                    true_positives=int((right & passed).sum()),
                    positives=int(right.sum()),
                    true_negatives=int((~right & ~passed).sum()),
                    negatives=int((~right).sum()),
                ),
            }
            for name, statistic in found.items():
                tally.add(name, covers(statistic, plan.prevalence))
        print(f"\ncoverage, true rate from {labels} labels")
        tally.print(0.935, 0.965)


def test_sizes(draws: int) -> None:
    """How often each test rejects when there is nothing to find."""
    rng, tally = np.random.default_rng(4), Tally()
    for draw in range(draws):
        first, second = rng.random(200) < 0.8, rng.random(200) < 0.8
        test = mcnemar(int((first & ~second).sum()), int((second & ~first).sum()))
        tally.add("McNemar exact", test.exact_p <= 0.05)
        tally.add("McNemar mid-p", test.midp <= 0.05)
        right = rng.random(150) < 0.5
        areas = delong(right, rng.normal(size=150) + right, rng.normal(size=150) + right)
        tally.add("DeLong", None if areas is None or areas.p is None else areas.p <= 0.05)
        cluster = np.repeat(np.arange(60), 5)
        ease = rng.beta(8, 2, size=60)[cluster]
        for groups in (3, 10):
            p = equal_rates(rng.random(300) < ease, cluster % groups, cluster).p
            tally.add(f"equal rates in {groups} slices", None if p is None else p <= 0.05)
        judges = [(rng.random(300) < ease).astype(float) for _ in range(2)]
        sample = paired_sample(np.ones(300), judges[0], judges[1], cluster)
        accuracy = difference_of(ESTIMATORS["accuracy"], sample)
        found = measure([accuracy], sample.joint, Settings(seed=draw, replicates=1_000))["accuracy"]
        held = covers(found, 0.0)
        tally.add("paired BCa of a difference", None if held is None else not held)
    print("\nsize at 5 %")
    tally.print(0.0, 0.055)


def main() -> None:
    """Print all of it."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    panel_coverage(draws)
    graded_coverage(draws // 2)
    rate_coverage(draws)
    test_sizes(draws)


if __name__ == "__main__":
    main()
