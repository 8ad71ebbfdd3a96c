"""Choices from data: certified thresholds, the best threshold, the best of many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.choosing import best_of_many
from fiducial.calibration.thresholds.certified_thresholds import certify_threshold
from fiducial.calibration.thresholds.threshold_choice import better_threshold, choose_threshold

from .tally import AT_LEAST, BROKEN, FOUND, SIZE, Means, Tally


def certificates(draws: int) -> Iterator[Tally | Means]:
    """Simulate how often verdicts kept at a certified confidence err more than certified."""
    tally, means = (
        Tally("certified at 10 % errors", BROKEN),
        Means("share of draws in which something is certified"),
    )
    rng = np.random.default_rng(10)
    for _ in range(draws):
        for title, slope, clusters, rows in (
            ("errors 0.3 (1 - confidence)", 0.3, 400, 1),
            ("just above 10 % everywhere", 0.0, 400, 1),
            ("clusters that are wrong together", 0.3, 300, 5),
        ):
            cluster = np.repeat(np.arange(clusters), rows)
            confidence = rng.random(clusters)[cluster] if rows > 1 else rng.random(clusters)
            rate = slope * (1 - confidence) if slope else np.full(len(cluster), 0.1001)
            wrong = rng.random(clusters)[cluster] < rate
            found = certify_threshold(confidence, wrong, max_error=0.1, cluster=cluster)
            means.add(title, float(found.threshold is not None))
            kept = found.threshold
            true = 0.0 if kept is None else slope * (1 - (1 + kept) / 2) if slope else 0.1001
            tally.add(title, true > 0.1)
    yield tally
    yield means


def thresholds(draws: int) -> Iterator[Means]:
    """Simulate a chosen threshold's held-out and apparent values, less its true value."""
    means, rng = Means("chosen threshold: said less true (balanced accuracy)"), np.random.default_rng(11)
    scores = np.sort(rng.normal(size=(2, 400_000)) + np.array([[0.0], [1.0]]))
    for _ in range(draws):
        for size in (100, 400):
            label = (rng.random(size) < 0.4).astype(np.float64)
            found = choose_threshold(label >= 0.5, rng.normal(size=size) + label, np.arange(size))
            if found.threshold is None or found.apparent is None or found.held_out is None:
                continue
            below = [np.searchsorted(score, found.threshold) / 400_000 for score in scores]
            true = (below[0] + 1 - below[1]) / 2
            means.add(f"apparent, {size} items", found.apparent - true)
            means.add(f"held out, {size} items", found.held_out - true)
    yield means


def better_thresholds(draws: int) -> Iterator[Tally]:
    """Simulate how often another threshold is called better.

    Truly better by at most 0.005, and by 0.05 or more.
    """
    falsely = Tally("another threshold said to be clearly better, none is", SIZE)
    rightly = Tally("another threshold said to be clearly better, one is, by 0.05 to 0.11", FOUND)
    for clue, levels, shift, pass_at in (
        (0.0, 0, 0.0, 0.5),
        (0.0, 10, 0.0, 0.7),
        (1.0, 4, 0.0, 0.5),
        (2.0, 0, 0.0, 0.5),
        (1.0, 10, 0.8, 0.5),
        (2.0, 4, 0.8, 0.5),
    ):
        steps = f"{levels} steps" if levels else "any score"
        for clusters, rows in ((60, 1), (150, 1), (400, 1), (50, 3)):
            rng, cluster = np.random.default_rng(13), np.repeat(np.arange(clusters), rows)
            name = f"clue {clue:g}, {steps}, at {pass_at:g}: {clusters} of {rows}"
            for _ in range(draws // 4):
                right = rng.random(len(cluster)) < 0.4
                noise = np.sqrt(0.7) * rng.normal(size=len(cluster))
                own = np.sqrt(0.3) * rng.normal(size=clusters)[cluster]
                latent: FloatArray = clue * (right.astype(np.float64) - 0.5) + shift + noise + own
                score: FloatArray = ndtr(latent)
                if levels:
                    score = np.round(score * levels) / levels
                found = better_threshold(right, score, cluster, pass_at)
                (rightly if shift else falsely).add(name, found is not None and found.clear)
    yield falsely
    yield rightly


def best(draws: int) -> Iterator[Means | Tally]:
    """Simulate the best of 15 prompts: held-out and apparent values, less its true value.

    The apparent value has its interval.
    """
    tally = Tally("best of 15 prompts: share right of the one that was chosen", AT_LEAST)
    means, rng = Means("best of 15 prompts: said less true (share right)"), np.random.default_rng(12)
    for title, spread in (("equal prompts", 0.0), ("prompts from 0.75 to 0.85", 0.1)):
        truth = 0.8 + spread * (np.arange(15) / 14 - 0.5)
        for _ in range(draws):
            ease = rng.normal(scale=0.1, size=200)
            right = rng.random((15, 200)) < np.clip(truth[:, None] + ease, 0, 1)
            true = np.clip(truth[:, None] + rng.normal(scale=0.1, size=(1, 2_000)), 0, 1).mean(axis=1)
            found = best_of_many(right, np.arange(200))
            worth = float(true[found.best])
            tally.covers(title, found.apparent, worth)
            if found.apparent.value is not None and found.held_out.value is not None:
                means.add(f"apparent, {title}", found.apparent.value - worth)
                means.add(f"held out, {title}", found.held_out.value - worth)
    yield tally
    yield means
