"""Labels that err: rates corrected by a small audit of the labels (Gart and Buck)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Settings, make_sample
from fiducial.calibration.agreement.label_audit import corrected_rates

from .judges import chances
from .tally import COVERAGE, Tally


def audits(draws: int) -> Iterator[Tally]:
    """1,000 labels, a random part of them audited: labels that miss a quarter of what is right, and nearly perfect ones."""
    for title, sensitivity, specificity in (
        ("labels miss a quarter", 0.75, 0.97),
        ("good labels", 0.96, 0.98),
    ):
        truth = {
            "prevalence": 0.6,
            "true_positive_rate": 0.95,
            "true_negative_rate": 0.85,
            "label_sensitivity": sensitivity,
            "label_specificity": specificity,
        }
        for audited, rows in ((100, 1), (300, 1), (200, 5)):
            of = f"{title}, {audited} of 1,000 audited{', clusters of 5' if rows > 1 else ''}"
            rng, tally = np.random.default_rng(13), Tally(of, COVERAGE)
            cluster = np.repeat(np.arange(1_000 // rows), rows)
            for draw in range(draws // 2):
                right = rng.random(1_000) < chances(rng, 0.6, 0.2 if rows > 1 else 0.0, cluster)
                label = np.where(right, rng.random(1_000) < sensitivity, rng.random(1_000) >= specificity)
                score = np.where(right, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.85)
                chosen = rng.permutation(1_000) < audited
                audit = np.zeros((2, 2))
                np.add.at(audit, (right[chosen].astype(int), label[chosen].astype(int)), 1.0)
                sample = make_sample(label.astype(np.float64), score.astype(np.float64), cluster)
                found = corrected_rates(sample, audit, Settings(seed=draw, replicates=1_000))
                for name, value in truth.items():
                    tally.covers(name, getattr(found, name), value)
            yield tally
