"""Rates corrected with several judges, with labels chosen by covariates, and with a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import expit

from fiducial.calibration import Statistic, table_from_rows
from fiducial.calibration.arrays import BoolArray, FloatArray
from fiducial.calibration.corrected_rate.covariate_shift import ShiftedLabels, reweighted_rate
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, power_tuned
from fiducial.calibration.corrected_rate.multi_phase import NestedVerdicts
from fiducial.calibration.corrected_rate.open_bound import rate_if_worse
from fiducial.calibration.corrected_rate.several_judges import several_judges_rate

from .judges import chances
from .scenario import Scenario, mean, share

_RATE = 0.65
_JUDGES: dict[str, list[tuple[float, float]]] = {
    "two alike": [(0.9, 0.8), (0.85, 0.85)],
    "one good, two useless": [(0.9, 0.85), (0.5, 0.5), (0.6, 0.4)],
    "one good, four useless": [(0.9, 0.85), (0.5, 0.5), (0.6, 0.4), (0.3, 0.7), (0.8, 0.2)],
    "five middling": [(0.8, 0.75)] * 5,
}
"""True positive and true negative rates of judges that err independently."""


def several_judges(draws: int) -> Iterator[Scenario]:
    """Simulate several judges that scored all items, some of them labelled.

    The best judge is the one with the narrowest interval on average.
    """
    for name, judges in _JUDGES.items():
        for labels, items, rows in ((50, 600, 1), (100, 1_000, 5)):
            rng = np.random.default_rng(labels)
            covered: list[bool] = []
            widths: list[float] = []
            alone: list[list[float]] = []
            for _ in range(draws):
                cluster = np.repeat(np.arange(items // rows), rows)
                chance = rng.beta(4 * _RATE, 4 * (1 - _RATE), items // rows)[cluster] if rows > 1 else _RATE
                right = rng.random(items) < chance
                scores = np.array([_verdicts(rng, right, *rates) for rates in judges])
                label = np.where(rng.permutation(items) < labels, right.astype(np.float64), np.nan)
                found = several_judges_rate(NestedVerdicts(label, scores, cluster, np.full(items, np.nan)))
                if found.low is None or found.high is None:
                    continue
                covered.append(found.low <= _RATE <= found.high)
                widths.append(found.high - found.low)
                alone.append(_widths(label, scores, cluster))
            case = f"{name}, {labels} labels{', clusters of 5' if rows > 1 else ''}"
            yield share(f"{case}: covered", "", "93 to 97 %", covered)
            best = min(np.mean(alone, axis=0).tolist())
            yield mean(
                f"{case}: width over that of the best alone",
                "",
                "at most 1",
                [width / best for width in widths],
            )


def _verdicts(rng: np.random.Generator, right: BoolArray, tpr: float, tnr: float) -> FloatArray:
    return np.where(right, rng.random(len(right)) < tpr, rng.random(len(right)) >= tnr).astype(np.float64)


def _widths(label: FloatArray, scores: FloatArray, cluster: np.ndarray) -> list[float]:
    known = np.isfinite(label)
    found = [
        power_tuned(
            LabelledAndJudged(label[known], score[known], score[~known], cluster[known], cluster[~known])
        ).estimate
        for score in scores
    ]
    return [(statistic.high or 1.0) - (statistic.low or 0.0) for statistic in found]


def covariate_shifts(draws: int) -> Iterator[Scenario]:
    """Simulate labels drawn by length, by category, or by both.

    The rate and the judge's errors depend on them.
    """
    rates = {rows: _population_rate(rows) for rows in (1, 4)}
    for name, strength in (("category", 1.0), ("length", 0.7), ("both", 0.6)):
        for labels, items, rows in ((100, 1_000, 1), (300, 2_000, 1), (300, 2_000, 4)):
            rng, truth = np.random.default_rng(labels + rows), rates[rows]
            covered: list[bool] = []
            plain: list[bool] = []
            refused: list[bool] = []
            for _ in range(draws):
                found, unweighted = _shifted(rng, name, strength, (labels, items, rows))
                refused.append(found is None)
                if found is not None:
                    covered.append(found[0] <= truth <= found[1])
                    plain.append(unweighted[0] <= truth <= unweighted[1])
            case = f"labels drawn by {name}, {labels} of {items:,}{', clusters of 4' if rows > 1 else ''}"
            yield share(f"{case}: covered", "", "93 to 97 %", covered)
            yield share(f"{case}: unweighted PPI++ covers", "", "", plain)
            yield share(f"{case}: refused", "", "", refused)


def _items(
    rng: np.random.Generator, items: int, rows: int
) -> tuple[FloatArray, FloatArray, BoolArray, FloatArray]:
    length = rng.normal(size=items)
    category = rng.choice(3, size=items, p=(0.5, 0.3, 0.2))
    noise = rng.normal(0, 0.6 if rows > 1 else 1e-9, items // rows)[np.arange(items) // rows]
    odds = np.array([1.5, 0.3, -0.6])[category] - 0.7 * length + noise
    right = rng.random(items) < expit(odds)
    score = _verdicts(rng, right, 0.9, 0.75)
    score = np.where((category == 2) & (rng.random(items) < 0.3), 1.0, score)
    return length, category.astype(np.float64), right, score


def _shifted(
    rng: np.random.Generator, by: str, strength: float, sizes: tuple[int, int, int]
) -> tuple[Sequence[float] | None, Sequence[float]]:
    labels, items, rows = sizes
    length, category, right, score = _items(rng, items, rows)
    odds = strength * (np.where(by != "category", length, 0.0) + np.where(by != "length", category, 0.0))
    weight = np.exp(odds)
    chance = np.minimum(1.0, labels * weight / weight.sum())
    known = rng.random(items) < chance
    label = np.where(known, right.astype(np.float64), np.nan)
    scaled = (length - length.mean()) / length.std()
    columns = [np.ones(items)]
    columns += [scaled, scaled**2] if by != "category" else []
    columns += [category == 1, category == 2] if by != "length" else []
    cluster = np.arange(items) // rows
    design = np.stack(columns, axis=1).astype(np.float64)
    found = reweighted_rate(ShiftedLabels(label, score, design, cluster))
    data = LabelledAndJudged(label[known], score[known], score[~known], cluster[known], cluster[~known])
    plain = power_tuned(data).estimate
    ends = None if found.low is None or found.high is None else (found.low, found.high)
    return ends, (plain.low or 0.0, plain.high or 1.0)


def _population_rate(rows: int) -> float:
    return float(_items(np.random.default_rng(0), 4_000_000, rows)[2].mean())


def open_bounds(draws: int) -> Iterator[Scenario]:
    """Simulate a judge that is worse on the 300 undecided outputs than on the 300 decided ones.

    Checkers decided 70 % right; of the undecided ones 60 % are.
    """
    for lower in ((0.0, 0.0), (0.05, 0.05), (0.1, 0.0), (0.0, 0.1), (0.1, 0.1)):
        for rows in (1, 5):
            rng = np.random.default_rng(rows)
            covered: list[bool] = []
            without: list[bool] = []
            for _ in range(draws):
                bounded, alike = _bounded(rng, lower, rows)
                covered.append(_covers(bounded, 0.6))
                without.append(_covers(alike, 0.6))
            case = (
                f"TPR and TNR lower by {lower[0]:g} and {lower[1]:g}{', clusters of 5' if rows > 1 else ''}"
            )
            yield share(f"{case}: covered with a bound of 0.1", "", "at least 93 %", covered)
            yield share(f"{case}: covered without", "", "", without)


def _covers(found: Statistic, value: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= value <= found.high


def _bounded(rng: np.random.Generator, lower: tuple[float, float], rows: int) -> tuple[Statistic, Statistic]:
    cluster = np.repeat(np.arange(600 // rows), rows)
    decided = np.arange(600) < 300
    spread = 0.2 if rows > 1 else 0.0
    right = rng.random(600) < np.where(
        decided, chances(rng, 0.7, spread, cluster), chances(rng, 0.6, spread, cluster)
    )
    score = np.where(
        decided, _verdicts(rng, right, 0.9, 0.8), _verdicts(rng, right, 0.9 - lower[0], 0.8 - lower[1])
    )
    table = table_from_rows(
        {
            "item_id": str(n),
            "judge": "j",
            "score": float(score[n]),
            "label": label,
            "cluster": str(cluster[n]),
        }
        for n in range(600)
        for label in [float(right[n]) if decided[n] else None]
    )
    bounded, alike = (rate_if_worse(table, decided, worse, 0.5, 0.95) for worse in (0.1, 0.0))
    return bounded, alike
