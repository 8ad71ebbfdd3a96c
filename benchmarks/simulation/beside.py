"""Statistics beside the panel: strata, rounds, systems, probabilities, rates, cascades."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from planted_strata import Plan, labelled, world

from fiducial.calibration import Settings, Statistic, make_sample
from fiducial.calibration.agreement.agreement_by_group import system_agreement
from fiducial.calibration.agreement.probability_scores import brier_statistics, grouped
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.corrected_rate.active_labels import DrawnLabels, active_estimate, draw_probabilities
from fiducial.calibration.corrected_rate.stratified import (
    StratifiedItems,
    stratified_prediction_powered,
    stratum_estimates,
)
from fiducial.calibration.planning.next_labels import neyman_allocation
from fiducial.calibration.statistics.probabilities import corrected_brier_parts
from fiducial.calibration.thresholds.certified_thresholds import Verdicts, certify_cascade
from fiducial.calibration.thresholds.recalibration import recalibrate

from .tally import AT_LEAST, BROKEN, COVERAGE, Tally

FIXED = {
    "3 strata, 30, 50, 20 labels": Plan(900, (0.2, 0.6, 0.9), (0.3, 0.4, 0.3), (30, 50, 20)),
    "5 strata, 10 labels each": Plan(1_000, (0.1, 0.3, 0.5, 0.7, 0.9), (0.2,) * 5, (10,) * 5),
    "5 strata, 20 labels each": Plan(1_000, (0.1, 0.3, 0.5, 0.7, 0.9), (0.2,) * 5, (20,) * 5),
    "3 strata, 40 labels each, clusters of 5": Plan(
        1_000, (0.3, 0.6, 0.9), (0.3, 0.4, 0.3), (40,) * 3, rows=5, alike=1.0
    ),
    "4 strata, 50 labels each, of 400": Plan(400, (0.2, 0.5, 0.7, 0.9), (0.25,) * 4, (50,) * 4),
    "5 strata, 10 labels each, sure ones": Plan(
        1_000, (0.03, 0.03, 0.5, 0.97, 0.97), (0.3, 0.2, 0.1, 0.2, 0.2), (10,) * 5
    ),
}

PILOTS = {
    "40 and 60, rates 0.2, 0.6, 0.9": (Plan(1_000, (0.2, 0.6, 0.9), (0.3, 0.4, 0.3)), 40, 60),
    "40 and 80, rates 0.02, 0.5, 0.98": (Plan(1_000, (0.02, 0.5, 0.98), (0.45, 0.1, 0.45)), 40, 80),
    "50 and 100, rates 0.1 to 0.9": (Plan(1_000, (0.1, 0.3, 0.5, 0.7, 0.9), (0.2,) * 5), 50, 100),
    "100 and 100, rates 0.2, 0.6, 0.9": (Plan(1_000, (0.2, 0.6, 0.9), (0.3, 0.4, 0.3)), 100, 100),
}


def fixed(draws: int) -> Iterator[Tally]:
    """Simulate strata with given numbers of labels."""
    tally, rng = Tally("stratified_ppi, labels a stratum given", COVERAGE), np.random.default_rng(20)
    for title, plan in FIXED.items():
        for _ in range(draws):
            items = world(rng, plan)
            label = labelled(rng, items, np.full(plan.items, np.nan), np.array(plan.labels))
            _count(tally, title, items, label, plan.mean)
    yield tally


def allocated(draws: int) -> Iterator[Tally]:
    """Simulate a random pilot, and labels by Neyman's allocation."""
    tally, rng = Tally("stratified_ppi, pilot and allocation", COVERAGE), np.random.default_rng(21)
    for title, (plan, pilot, more) in PILOTS.items():
        for _ in range(draws):
            items, known = world(rng, plan), np.full(plan.items, np.nan)
            first = rng.permutation(plan.items)[:pilot]
            known[first] = items.label[first]
            found = stratum_estimates(replace(items, label=known)).values()
            size, had = (
                np.array([getattr(estimate, name) for estimate in found]) for name in ("n", "n_labelled")
            )
            new = neyman_allocation(size, np.array([estimate.spread for estimate in found]), had, more)
            _count(tally, title, items, labelled(rng, items, known, new), plan.mean)
    yield tally


def _count(tally: Tally, title: str, items: StratifiedItems, label: FloatArray, mean: float) -> None:
    part = replace(items, label=label)
    tally.covers(f"{title}, population", stratified_prediction_powered(part), mean)
    of_set = stratified_prediction_powered(part, finite=True)
    tally.covers(f"{title}, these items", of_set, float(items.label.mean()))


def rounds(draws: int) -> Iterator[Tally]:
    """Simulate labels drawn by doubt, in rounds that use the labels of earlier ones."""
    tally, rng = Tally("drawn by doubt in rounds, of 800", COVERAGE), np.random.default_rng(22)
    for counts in ((60, 90), (50, 50, 50), (30, 120), (100, 200)):
        for _ in range(draws):
            score = rng.beta(0.3, 0.5, 800)
            truth = (rng.random(800) < score).astype(np.float64)
            label, chance, drawn_in = np.full(800, np.nan), np.ones(800), np.zeros(800, dtype=np.int64)
            for number, count in enumerate(counts, start=1):
                likely = draw_probabilities(score, label, count)
                new = rng.random(800) < likely
                label[new], chance[new], drawn_in[new] = truth[new], likely[new], number
            data = DrawnLabels(label, score, chance, np.arange(800))
            tally.covers(f"{counts}, population", active_estimate(data, drawn_in=drawn_in).estimate, 0.375)
            of_set = active_estimate(data, drawn_in=drawn_in, finite=True).estimate
            tally.covers(f"{counts}, these items", of_set, float(truth.mean()))
    yield tally


def systems(draws: int) -> Iterator[Tally]:
    """Simulate the largest difference between a judge's and the labels' means of systems.

    All systems have the same tasks.
    """
    tally, rng = Tally("largest difference of systems", AT_LEAST), np.random.default_rng(23)
    for kind in ((0.0, 0.0, 0.0), (0.05, 0.05, 0.2), (0.1,) * 6):
        for tasks in (30, 150):
            system, cluster = np.repeat(np.arange(len(kind)), tasks), np.tile(np.arange(tasks), len(kind))
            for _ in range(draws):
                rate = 0.3 + 0.4 * rng.random(tasks)[cluster]
                label = (rng.random(len(system)) < rate).astype(np.float64)
                score = np.where(rng.random(len(system)) < 2 * np.array(kind)[system], 1.0, label)
                found = system_agreement(label, score, system, cluster).largest_difference
                tally.covers(f"{kind}, {tasks} tasks", found, max(kind))
    yield tally


def probabilities(draws: int) -> Iterator[Tally]:
    """Parts of the Brier score, and the calibration error over bins of equal mass."""
    tally, rng = Tally("scores as probabilities", COVERAGE), np.random.default_rng(24)

    def rows(n: int, kind: float, size: int) -> tuple[FloatArray, FloatArray, IntArray]:
        cluster, own = np.repeat(np.arange(n // size), size), rng.beta(1.2, 1, n)
        shared = np.zeros(n) if size == 1 else 0.1 * rng.normal(size=n // size)[cluster]
        score = own if size == 1 else 0.7 * own + 0.3 * rng.random(n // size)[cluster]
        right = rng.random(n) < np.clip(np.round(score, 2) - kind + shared, 0, 1)
        return right.astype(np.float64), np.round(score, 2), cluster

    for n, kind, size in ((200, 0.0, 1), (200, 0.1, 1), (500, 0.2, 1), (300, 0.1, 5)):
        everyone = make_sample(*rows(1_000_000, kind, size)[:2])
        group, _ = grouped(everyone)
        label, score, count = everyone.cells.label, everyone.cells.score, everyone.counts
        parts = corrected_brier_parts(label, score, group, count)
        gaps = np.eye(int(group.max()) + 1)[group] * (label - score)[:, None]
        truth = {"ece_equal_mass": float(np.abs(count @ gaps / everyone.n).sum())}
        if parts is not None:
            truth |= {f"{name}_corrected": getattr(parts, name) for name in ("reliability", "resolution")}
            truth["uncertainty"] = parts.uncertainty
        for draw in range(max(1, draws // 4)):
            sample = make_sample(*rows(n, kind, size))
            found = brier_statistics(sample, grouped(sample)[0], Settings(seed=draw))
            for name, value in truth.items():
                tally.covers(f"{name}, {n} rows in {n // size} clusters, {kind} too kind", found[name], value)
    yield tally


def recalibrations(draws: int) -> Iterator[Tally]:
    """The change of the Brier score by a cross-fitted map, about its own mean."""
    tally, rng = Tally("change of the Brier score by --recalibrate", COVERAGE), np.random.default_rng(25)
    for n in (200, 1_000):
        for method in ("isotonic", "platt"):
            changes: list[Statistic] = []
            for _ in range(max(1, draws // 2)):
                chance = rng.random(n)
                right = (rng.random(n) < chance).astype(np.float64)
                score = np.round(chance + 0.3 * (1 - chance), 2)
                changes.append(recalibrate(right, score, np.arange(n), method=method).change)
            mean = float(np.mean([statistic.value for statistic in changes if statistic.value is not None]))
            for change in changes:
                tally.covers(f"{method}, {n} rows", change, mean)
    yield tally


def cascades(draws: int) -> Iterator[Tally]:
    """Simulate cascades: how often a judge of three keeps more errors than certified."""
    tally, rng = Tally("cascade of three, certified at 10 % errors", BROKEN), np.random.default_rng(26)
    worst = {"a": 0.5, "b": 0.4, "c": 0.3}
    for n in (300, 1_000):
        for _ in range(draws):
            sure = {name: rng.random(n) for name in worst}
            judges = {
                name: Verdicts(each, rng.random(n) < worst[name] * (1 - each)) for name, each in sure.items()
            }
            found = certify_cascade(judges, max_error=0.1).judges
            kept = {name: each.threshold for name, each in found.items() if each.threshold is not None}
            tally.add(f"{n} items", any(worst[name] * (1 - each) / 2 > 0.1 for name, each in kept.items()))
    yield tally
