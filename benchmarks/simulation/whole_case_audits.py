"""Audits of labels in which all systems' outputs of a case are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Settings, table_from_rows
from fiducial.calibration.agreement.label_audit import label_audit

from .judges import chances
from .scenario import Scenario, share

_SYSTEMS = 5
_RATES = ("prevalence", "true_positive_rate", "true_negative_rate")
_BEFORE = {(20, "prevalence"): "85 %", (30, "true_negative_rate"): "87 %"}


def audits(draws: int) -> Iterator[Scenario]:
    """Simulate label audits of five systems' outputs with errors in whole cases.

    The judge shares half of the labels' errors.
    """
    for audited, cases in ((20, 100), (30, 120)):
        rng = np.random.default_rng(audited)
        covered: dict[str, list[bool]] = {name: [] for name in _RATES}
        truth = (0.6, 0.95 * (1 - 0.5 * 0.15), 0.85 * (1 - 0.5 * 0.1))
        for draw in range(max(1, draws // 4)):
            found = _audit(rng, audited, cases, draw)
            for name, value in zip(_RATES, truth, strict=True):
                low, high = found[name]
                covered[name].append(low <= value <= high)
        for name, hits in covered.items():
            yield share(
                f"{audited} of {cases} cases audited: {name}",
                _BEFORE.get((audited, name), ""),
                "at least 93 % at 30",
                hits,
            )


def _audit(rng: np.random.Generator, audited: int, cases: int, seed: int) -> dict[str, tuple[float, float]]:
    cluster = np.repeat(np.arange(cases), _SYSTEMS)
    n = len(cluster)
    right = rng.random(n) < chances(rng, 0.6, 0.3, cluster)
    errs = rng.random(n) < np.where(right, chances(rng, 0.15, 0.4, cluster), chances(rng, 0.1, 0.4, cluster))
    label = np.where(errs, ~right, right)
    score = np.where(right, rng.random(n) < 0.95, rng.random(n) >= 0.85)
    score = np.where(errs & (rng.random(n) < 0.5), label, score)
    rows = [
        {
            "item_id": f"i{i}",
            "judge": "j",
            "score": float(score[i]),
            "label": float(label[i]),
            "cluster": str(cluster[i]),
        }
        for i in range(n)
    ]
    looked = np.isin(cluster, rng.permutation(cases)[:audited])
    truth = {f"i{i}": float(right[i]) for i in np.flatnonzero(looked).tolist()}
    found = label_audit(table_from_rows(rows), truth, Settings(seed=seed, replicates=400)).judges["j"]
    ends = {name: getattr(found, name) for name in _RATES}
    return {
        name: (each.low if each.low is not None else 0.0, each.high if each.high is not None else 1.0)
        for name, each in ends.items()
    }
