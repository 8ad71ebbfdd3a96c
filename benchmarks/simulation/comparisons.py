"""Comparisons: coverage of paired differences, and size of every test under the null."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from fiducial.calibration import ESTIMATORS, Settings
from fiducial.calibration.agreement.agreement_by_group import equal_rates
from fiducial.calibration.agreement.alt_test import alt_test
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.comparison.difference import PairedRows, difference, difference_of, share_difference
from fiducial.calibration.comparison.significance import delong, holm, mcnemar
from fiducial.calibration.intervals.clustered_means import paired_shift
from fiducial.calibration.monitoring.drift import drift_evidence, first_alarm

from .judges import chances
from .tally import COVERAGE, SIZE, Tally

DIFFERENCES = (
    "accuracy",
    "true_positive_rate",
    "cohen_kappa",
    "mcc",
    "f1_positive",
    "balanced_accuracy",
    "bias",
)


def _rejects(p: float | None) -> bool | None:
    return None if p is None else p <= 0.05


def _two_judges(
    rng: np.random.Generator, cluster: IntArray, icc: float, rates: tuple[float, float]
) -> tuple[FloatArray, list[FloatArray]]:
    """Labels, and two judges that share what is hard."""
    label = (rng.random(len(cluster)) < chances(rng, 0.4, icc, cluster)).astype(np.float64)
    hard = rng.normal(size=len(cluster)) * 0.7
    if icc:
        hard += rng.normal(size=int(cluster.max()) + 1)[cluster] * 0.5
    scale = np.sqrt(1 + 0.49 + (0.25 if icc else 0.0))
    agrees = (stats.norm.ppf(rate) * scale > rng.normal(size=len(cluster)) + hard for rate in rates)
    return label, [np.where(agree, label, 1 - label) for agree in agrees]


def differences(draws: int) -> Iterator[Tally]:
    """Paired differences of statistics, two judges of 0.90 and 0.85, and of 0.985 and 0.975."""
    for clusters, rows, rates in ((200, 1, (0.9, 0.85)), (60, 5, (0.9, 0.85)), (300, 1, (0.985, 0.975))):
        cluster, icc = np.repeat(np.arange(clusters), rows), 0.2 if rows > 1 else 0.0
        rng = np.random.default_rng(14)
        tally = Tally(
            f"paired differences, {clusters} clusters of {rows}, right {rates[0]:g}, {rates[1]:g}", COVERAGE
        )
        label, scores = _two_judges(rng, np.arange(1_000_000), 0.0, rates)
        whole = {
            name: difference_of(ESTIMATORS[name], PairedRows(label, scores[0], scores[1]))
            for name in DIFFERENCES
        }
        truth = {
            name: float(each.formula(joint.counts, joint.cells)) for name, (each, joint) in whole.items()
        }
        for draw in range(draws):
            label, scores = _two_judges(rng, cluster, icc, rates)
            sample, settings = (
                PairedRows(label, scores[0], scores[1], cluster),
                Settings(seed=draw, replicates=1_000),
            )
            for name in DIFFERENCES:
                found = difference(ESTIMATORS[name], sample, settings).estimate
                tally.covers(name, found, truth[name])
        yield tally


def sizes(draws: int) -> Iterator[Tally]:
    """Simulate how often each test rejects when there is nothing to find."""
    tally, rng = Tally("tests", SIZE), np.random.default_rng(15)
    for draw in range(draws):
        _mcnemar(tally, rng)
        _clustered(tally, rng, draw)
        _areas(tally, rng)
        _drift(tally, rng)
    yield tally


def _mcnemar(tally: Tally, rng: np.random.Generator) -> None:
    right = rng.random((4, 200)) < np.clip(0.8 + 0.1 * rng.normal(size=200), 0, 1)
    first, second = right[0], right[1]
    test = mcnemar(int((first & ~second).sum()), int((second & ~first).sum()))
    tally.add("McNemar exact", test.exact_p <= 0.05)
    tally.add("McNemar mid-p", test.midp <= 0.05)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    p = [mcnemar(int((right[a] & ~right[b]).sum()), int((right[b] & ~right[a]).sum())).midp for a, b in pairs]
    tally.add("any of 6 pairs, Holm", bool((holm(np.array(p)) <= 0.05).any()))


def _clustered(tally: Tally, rng: np.random.Generator, draw: int) -> None:
    cluster = np.repeat(np.arange(60), 5)
    ease = rng.beta(8, 2, size=60)[cluster]
    for groups in (3, 10):
        p = equal_rates(rng.random(300) < ease, cluster % groups, cluster).p
        tally.add(f"equal rates, {groups} slices of clusters", _rejects(p))
    p = equal_rates(rng.random(300) < ease, np.arange(300) % 5, cluster).p
    tally.add("equal rates, 5 slices through clusters", _rejects(p))
    own = [rng.beta(8, 2, size=60)[cluster] for _ in range(2)]
    first, second = ((rng.random(300) < (ease + each) / 2).astype(np.float64) for each in own)
    tally.add("clustered_p of a difference", _rejects(share_difference(first == 1, second == 1, cluster).p))
    tally.add("sign flips of clusters", _rejects(paired_shift(first - second, cluster, seed=draw).p))
    few = paired_shift((first - second)[:60], cluster[:60], seed=draw)
    tally.add("sign flips of 12 clusters", _rejects(few.p))


def _areas(tally: Tally, rng: np.random.Generator) -> None:
    for name, share in (("DeLong, half right", 0.5), ("DeLong, a fifth right", 0.2)):
        right = rng.random(150) < share
        common = rng.normal(size=150)
        first, second = (common + rng.normal(size=150) + right for _ in range(2))
        areas = delong(right, first, second)
        tally.add(name, None if areas is None else _rejects(areas.p))


def _drift(tally: Tally, rng: np.random.Generator) -> None:
    anchors = np.array([1.0] * 60 + [0.5] * 40)
    looks = [(rng.random(100) < anchors).astype(np.float64) for _ in range(30)]
    tally.add("e-process, ever in 30 looks", first_alarm(drift_evidence(looks, 0.8)) is not None)
    # Two people and a judge on one wrong answer in ten more than the other person: the handicap exactly.
    people = (rng.random((100, 2)) < 0.9).astype(np.float64)
    judge = (rng.random(100) < 0.775).astype(np.float64)
    found = alt_test(people, judge, epsilon=0.1)
    tally.add(
        "alt-test, both people at the handicap", any(annotator.rejected for annotator in found.annotators)
    )
    cluster = np.repeat(np.arange(20), 5)
    judge = (rng.random(100) < rng.beta(1.55, 0.45, size=20)[cluster]).astype(np.float64)
    for name, of in (("20 clusters", cluster), ("20 clusters, taken for items", None)):
        single = alt_test(people, judge, epsilon=0.1, cluster=of).annotators[0].p
        tally.add(f"alt-test against one person, {name}", _rejects(single))
