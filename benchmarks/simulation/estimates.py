"""Estimates of the true rate in hard cases.

Chosen labels, useless and perverse judges, rare rates, few clusters with labels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Statistic, estimate, table_from_rows
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.corrected_rate.binary_verdicts import post_stratified
from fiducial.calibration.corrected_rate.estimators import labels_only, power_tuned

from .judges import Judge, chances, members, split, verdicts
from .tally import COVERAGE, FOUND, Means, Tally, Target

_JUDGES = {"useless": (0.5, 0.5), "fair": (0.75, 0.7), "good": (0.92, 0.9), "perverse": (0.1, 0.1)}

CHOICES = {"4:1 for fails": (0.16, 0.04), "fails only": (0.2, 0.0)}

CLUSTERED = {
    "as alike as labels": (0.6, 0.2, 0.2, False),
    "alike, labels are not": (0.6, 0.0, 0.5, False),
    "of its own, labels alike": (0.6, 0.4, 0.0, False),
    "uneven clusters": (0.6, 0.2, 0.2, True),
    "uneven, rate 0.05": (0.05, 0.1, 0.1, True),
}
"""The rate; correlation within clusters, of labels and of the judge's errors; whether sizes differ as a geometric variable does."""


def chosen(draws: int) -> Iterator[Tally]:
    """Simulate 2,000 items with labels drawn by verdict, through `estimate` with its defaults."""
    noticed, falsely = (
        Tally("labels chosen by score: noticed, headline withheld", FOUND),
        Tally("labels drawn at random: taken for chosen (nominal 1 %)", Target("share", 0.0, 0.02)),
    )
    covered = Tally("labels chosen by score: `stratified_ppi`, where there is one", COVERAGE)
    believed = Tally(
        "labels chosen by score: PPI++ as it would be without the test (--interval wald)", COVERAGE
    )
    for rows in (1, 10):
        rng, plan = (
            np.random.default_rng(30),
            Judge(2_000 // rows, rows, 0.9, 0.8, 0.6, 0.0 if rows == 1 else 0.2),
        )
        of = "independent items" if rows == 1 else "200 clusters of 10"
        for _ in range(draws // 2):
            label, score, cluster = verdicts(rng, plan)
            for title, (of_failed, of_passed) in CHOICES.items():
                known = rng.random(2_000) < np.where(score == 1.0, of_passed, of_failed)
                found = _estimate(label, score, cluster, known)
                noticed.add(f"{title}, {of}", found["ppi_plus_plus"].value is None)
                covered.covers(f"{title}, {of}", found.get("stratified_ppi", found["ppi_plus_plus"]), 0.6)
                wald = _estimate(label, score, np.arange(2_000), known, interval="wald")["ppi_plus_plus"]
                believed.covers(f"{title}, {of}", wald, 0.6)
            known = rng.random(2_000) < 0.08
            falsely.add(
                f"items drawn, {of}", _estimate(label, score, cluster, known)["ppi_plus_plus"].value is None
            )
            if rows > 1:
                known = cluster < 20
                found = _estimate(label, score, cluster, known)
                falsely.add("20 of 200 clusters drawn", found["ppi_plus_plus"].value is None)
    yield from (noticed, falsely, believed, covered)


def few_labels(draws: int) -> Iterator[Tally]:
    """Simulate 5 to 50 random labels of 100 and of 240 independent outputs, through `estimate`."""
    for outputs in (100, 240):
        rng = np.random.default_rng(28)
        covered = Tally(
            f"PPI++, few random labels of {outputs} outputs",
            Target("coverage of nominal 95 %, few labels", 0.75, 1.0),
        )
        for rate in (0.5, 0.7, 0.9):
            plan = Judge(outputs, 1, 0.9, 0.8, rate, 0.0)
            for labels in (5, 10, 20, 50):
                for _ in range(draws // 2):
                    label, score, cluster = verdicts(rng, plan)
                    found = _estimate(label, score, cluster, np.arange(outputs) < labels)
                    covered.covers(f"rate {rate}, {labels} labels", found["ppi_plus_plus"], rate)
        yield covered


def _estimate(
    label: FloatArray, score: FloatArray, cluster: IntArray, known: np.ndarray, **options: str
) -> dict[str, Statistic]:
    rows = [
        {
            "item_id": str(n),
            "judge": "j",
            "score": score[n],
            "cluster": int(cluster[n]),
            "label": label[n] if known[n] else None,
        }
        for n in range(len(label))
    ]
    return estimate(table_from_rows(rows), **options)["all"].estimates  # type: ignore[arg-type]


def widths(draws: int) -> Iterator[Tally | Means]:
    """Four judges, five rates, three numbers of labels among 1,000 items more: 60 cells."""
    now, before = Tally("PPI++, independent items", COVERAGE), Tally("PPI++, --interval logit", COVERAGE)
    mean = Means("PPI++: mean width over that of labels alone (never above 1.03)")
    mean_before = Means("PPI++, --interval logit: mean width over that of labels alone")
    for name, (tpr, tnr) in _JUDGES.items():
        for rate in (0.02, 0.1, 0.3, 0.5, 0.8):
            for labels in (50, 100, 300):
                rng, plan = np.random.default_rng(31), Judge(labels + 1_000, 1, tpr, tnr, rate, 0.0)
                known = np.arange(labels + 1_000) < labels
                title = f"{name}, rate {rate:g}, {labels} labels"
                for _ in range(draws):
                    label, score, cluster = verdicts(rng, plan)
                    data = split(label, score, cluster, known)
                    found = power_tuned(data).estimate, power_tuned(data, interval="logit").estimate
                    now.covers(title, found[0], rate)
                    before.covers(title, found[1], rate)
                    alone = _width(labels_only(data.label, data.label_cluster))
                    mean.add(title, _width(found[0]) / alone)
                    mean_before.add(title, _width(found[1]) / alone)
    yield from (now, before, mean, mean_before)


def labelled_clusters(draws: int) -> Iterator[Tally | Means]:
    """Whole clusters of 10 have labels, 6 to 60 of them, and 60 more have none."""
    now, before, stratified = (
        Tally(f"{title}, clusters of 10, some labelled whole", COVERAGE)
        for title in ("PPI++", "PPI++, --interval logit", "post-stratified")
    )
    mean = Means("PPI++ over clusters: mean width over that of labels alone (never above 1.03)")
    for clusters in (6, 8, 12, 20, 60):
        for kind, (rate, icc, own, uneven) in CLUSTERED.items():
            for judge, (tpr, tnr) in {
                "good": (0.9, 0.85),
                "fair": (0.75, 0.75),
                "useless": (0.5, 0.5),
            }.items():
                rng, title = np.random.default_rng(32), f"{clusters} clusters, {judge}, {kind}"
                plan = Judge(clusters + 60, 10, tpr, tnr, rate, icc, uneven=uneven)
                for _ in range(draws):
                    cluster = members(rng, plan)
                    right = rng.random(len(cluster)) < chances(rng, rate, icc, cluster)
                    agrees = np.where(right, *(chances(rng, each, own, cluster) for each in (tpr, tnr)))
                    score = np.where(rng.random(len(cluster)) < agrees, right, ~right).astype(np.float64)
                    data = split(right.astype(np.float64), score, cluster, cluster < clusters)
                    found = power_tuned(data).estimate
                    now.covers(title, found, rate)
                    before.covers(title, power_tuned(data, interval="logit").estimate, rate)
                    stratified.covers(title, post_stratified(data), rate)
                    mean.add(title, _width(found) / _width(labels_only(data.label, data.label_cluster)))
    yield from (now, before, stratified, mean)


def _width(found: Statistic) -> float:
    low, high = found.low, found.high
    return 1.0 if low is None or high is None else min(1.0, high) - max(0.0, low)
