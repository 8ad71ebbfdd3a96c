"""Estimates of the true rate: populations, finite sets, clusters, labels by doubt, ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Statistic
from fiducial.calibration.comparison.significance import ranks, simultaneous_level
from fiducial.calibration.corrected_rate.active_labels import DrawnLabels, active_estimate, draw_probabilities
from fiducial.calibration.corrected_rate.binary_verdicts import post_stratified, rogan_gladen
from fiducial.calibration.corrected_rate.estimators import (
    LabelledAndJudged,
    labels_only,
    power_tuned,
    prediction_powered,
    tuned_lambda,
)
from fiducial.calibration.corrected_rate.finite_set import (
    finite_labels_only,
    finite_post_stratified,
    finite_prediction_powered,
)

from .judges import Judge, split, verdicts
from .tally import AT_LEAST, COVERAGE, Tally


def _estimates(data: LabelledAndJudged, level: float = 0.95) -> dict[str, Statistic]:
    return {
        "labels_only": labels_only(data.label, data.label_cluster, level=level),
        "ppi": prediction_powered(data, 1.0, scale="wald", level=level),
        "ppi_plus_plus": power_tuned(data, level=level).estimate,
        "post_stratified": post_stratified(data, level=level),
    }


def _rogan_gladen(data: LabelledAndJudged) -> Statistic:
    right, passed = data.label == 1, data.score == 1
    return rogan_gladen(
        float(data.unlabelled.mean()),
        len(data.unlabelled),
        true_positives=int((right & passed).sum()),
        positives=int(right.sum()),
        true_negatives=int((~right & ~passed).sum()),
        negatives=int((~right).sum()),
    )


def rates(draws: int) -> Iterator[Tally]:
    """Simulate rates of 1,000 partly labelled items, and of 60 clusters of 10.

    Of the clusters some items, or some whole clusters, have labels.
    """
    for labels in (50, 100, 300):
        rng, tally = np.random.default_rng(4), Tally(f"true rate, {labels} labels, 1,000 without", COVERAGE)
        plan = Judge(labels + 1_000, 1, 0.9, 0.8, 0.6, 0.0)
        known = np.arange(labels + 1_000) < labels
        for _ in range(draws):
            data = split(*verdicts(rng, plan), known)
            for name, found in (_estimates(data) | {"rogan_gladen": _rogan_gladen(data)}).items():
                tally.covers(name, found, plan.prevalence)
        yield tally
    plan = Judge(60, 10, 0.9, 0.8, 0.6, 0.2)
    for title, whole in (("a third of the items", False), ("half of the clusters", True)):
        rng, tally = (
            np.random.default_rng(5),
            Tally(f"true rate, 60 clusters of 10, labels for {title}", COVERAGE),
        )
        for _ in range(draws):
            known = np.arange(600) < 300 if whole else rng.random(600) < 1 / 3
            for name, found in _estimates(split(*verdicts(rng, plan), known)).items():
                tally.covers(name, found, plan.prevalence)
        yield tally


def finite(draws: int) -> Iterator[Tally]:
    """The mean of just these 400 items."""
    label, score, item = verdicts(np.random.default_rng(3), Judge(400, 1, 0.85, 0.85, 0.4, 0.0))
    for labels in (60, 100, 200):
        rng, tally = np.random.default_rng(6), Tally(f"finite set of 400, {labels} labels", COVERAGE)
        for _ in range(draws):
            known = rng.permutation(400) < labels
            data = split(label, score, item, known)
            tally.covers("labels_only", finite_labels_only(data.label, 400), float(label.mean()))
            for name, found in {
                "ppi": finite_prediction_powered(data, 1.0, interval="wald"),
                "ppi_plus_plus": finite_prediction_powered(data, tuned_lambda(data)),
                "post_stratified": finite_post_stratified(data),
            }.items():
                tally.covers(name, found, float(label.mean()))
        yield tally


def active(draws: int) -> Iterator[Tally]:
    """Simulate 100 or 200 labels of 1,000, drawn by doubt.

    Scores are calibrated, or those of an overconfident judge.
    """
    for count in (100, 200):
        rng, tally = np.random.default_rng(7), Tally(f"drawn by doubt, {count} of 1,000", COVERAGE)
        for _ in range(draws):
            chance = rng.beta(0.3, 0.5, 1_000)
            label = (rng.random(1_000) < chance).astype(np.float64)
            for kind, score in (("honest", chance), ("too sure", np.where(chance > 0.5, 1.0, 0.0))):
                drawn = draw_probabilities(score, np.full(1_000, np.nan), count)
                known = rng.random(1_000) < drawn
                data = DrawnLabels(np.where(known, label, np.nan), score, drawn, np.arange(1_000))
                tally.covers(f"{kind}, population", active_estimate(data).estimate, 0.375)
                found = active_estimate(data, finite=True).estimate
                tally.covers(f"{kind}, these items", found, float(label.mean()))
        yield tally


def ranking(draws: int) -> Iterator[Tally]:
    """Simulate whether all ranks hold at once: systems apart, close together, and nearly equal."""
    tally, rng = Tally("ranks of 5 systems, all at once", AT_LEAST), np.random.default_rng(8)
    level = simultaneous_level(0.95, 5)
    for gap in (0.1, 0.03, 0.001):
        truths = [0.5 + gap * place for place in range(5)]
        for _ in range(draws // 2):
            found: dict[str, Statistic] = {}
            for number, truth in enumerate(truths):
                data = split(*verdicts(rng, Judge(600, 1, 0.9, 0.8, truth, 0.0)), np.arange(600) < 100)
                found[str(number)] = _estimates(data, level)["ppi_plus_plus"]
            placed = ranks(found)
            right = [(placed[str(n)].low or 9) <= 5 - n <= (placed[str(n)].high or 0) for n in range(5)]
            tally.add(f"rates {gap:g} apart", all(right))
    yield tally
