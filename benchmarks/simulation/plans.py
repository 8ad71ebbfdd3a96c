"""Planning: do the planned sizes give the half-width and the power that were asked for?"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fiducial.calibration import ESTIMATORS, Settings, measure
from fiducial.calibration.comparison.significance import mcnemar
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, power_tuned
from fiducial.calibration.planning.assured_labels import Expected, assured_labels
from fiducial.calibration.planning.sample_sizes import (
    design_effect,
    items_for_difference,
    labels_for_corrected_rate,
    labels_for_kappa,
    labels_for_rate,
)

from .judges import Judge, usable, verdicts
from .tally import ASSURED, POWER, Means, Tally, width_of


def half_widths(draws: int) -> Iterator[Means]:
    """Mean half-width that the planned number of labels gives, less the one that was asked for."""
    means, rng, wanted = (
        Means("planned for a half-width of 0.05: got less wanted"),
        np.random.default_rng(16),
        0.05,
    )
    effect = design_effect(5, 0.2)
    sizes = {
        "prevalence": labels_for_rate(0.3, wanted),
        "true_positive_rate": labels_for_rate(0.9, wanted, share=0.3),
        "true_negative_rate": labels_for_rate(0.85, wanted, share=0.7),
        "cohen_kappa": labels_for_kappa(0.9, 0.85, 0.3, wanted),
    }
    for draw in range(draws // 4):
        for name, size in sizes.items():
            for rows, icc in ((1, 0.0), (5, 0.2)):
                clusters = size if rows == 1 else round(size * effect / rows)
                sample = usable(*verdicts(rng, Judge(clusters, rows, 0.9, 0.85, 0.3, icc)))
                found = measure([ESTIMATORS[name]], sample, Settings(seed=draw, replicates=1_000))[name]
                width = width_of(found)
                of = f"{name}, {len(sample.sizes) and sample.n:,} labels{', clusters of 5' if rows > 1 else ''}"
                means.add(of, None if width is None else width / 2 - wanted)
        labels = labels_for_corrected_rate(0.9, 0.85, 0.3, wanted, 1_000)
        means.add("corrected pass rate (PPI++), 1,000 unlabelled", _corrected(rng, wanted, labels))
    yield means


def _corrected(rng: np.random.Generator, wanted: float, labels: int | None) -> float | None:
    if labels is None:
        return None
    label, score, item = verdicts(rng, Judge(labels + 1_000, 1, 0.9, 0.85, 0.3, 0.0))
    data = LabelledAndJudged(label[:labels], score[:labels], score[labels:], item[:labels], item[labels:])
    found = power_tuned(data).estimate
    width = width_of(found)
    return None if width is None else width / 2 - wanted


def assured(draws: int) -> Iterator[Tally]:
    """Simulate how often intervals are as narrow as planned; four samples in five should be."""
    wanted = 0.05
    for rows, icc in ((1, 0.0), (5, 0.2)):
        tally, rng = (
            Tally(f"planned for a half-width of 0.05, clusters of {rows}", ASSURED),
            np.random.default_rng(18),
        )
        sizes = assured_labels(Expected(0.9, 0.85, 0.3, rows, icc), wanted, unlabelled=1_000)
        for draw in range(draws // 4):
            for name in ("prevalence", "true_positive_rate", "true_negative_rate", "cohen_kappa"):
                size = sizes["pass_rate" if name == "prevalence" else name]
                assert size is not None
                sample = usable(*verdicts(rng, Judge(math.ceil(size / rows), rows, 0.9, 0.85, 0.3, icc)))
                found = measure([ESTIMATORS[name]], sample, Settings(seed=draw, replicates=2_000))[name]
                width = width_of(found)
                tally.add(f"{name}, {size:,} labels", None if width is None else width / 2 <= wanted)
            if rows == 1:
                gap = _corrected(rng, wanted, sizes["corrected_pass_rate"])
                tally.add("corrected pass rate (PPI++), 1,000 unlabelled", None if gap is None else gap <= 0)
        yield tally


def power(draws: int) -> Iterator[Tally]:
    """Simulate how often McNemar's mid-p finds the difference that the plan was made for."""
    tally, rng = Tally("items planned for a difference", POWER), np.random.default_rng(17)
    for difference, discordant in ((0.05, 0.15), (0.1, 0.3), (0.02, 0.05)):
        size = items_for_difference(difference, discordant)
        chances = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
        for a_only, b_only, _ in rng.multinomial(size, chances, size=draws).tolist():
            name = f"{difference:g}, {discordant:g} discordant, {size:,} items"
            tally.add(name, mcnemar(a_only, b_only).midp <= 0.05)
    yield tally
