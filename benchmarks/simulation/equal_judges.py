"""Equal judges: how often one is called best, and the interval of the highest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import calibrate, compare, table_from_rows
from fiducial.calibration.tables.calibration_table import Table
from fiducial.report.document import as_lines
from fiducial.report.text.comparison_screen import comparison_screen

from .scenario import Scenario, share

_ITEMS, _TPR, _TNR = 200, 0.9, 0.8


def equal_judges(draws: int) -> Iterator[Scenario]:
    """Simulate judges with the same rates, on items alone and in clusters."""
    for judges, good, cluster in ((2, 0.9, 1), (2, 0.7, 5), (15, 0.7, 1), (15, 0.9, 1), (15, 0.7, 5)):
        rng = np.random.default_rng([judges, round(10 * good), cluster])
        best: list[bool] = []
        covered: list[bool] = []
        alone: list[bool] = []
        for _ in range(max(1, draws // (4 if judges < 3 else 8))):
            table = _table(rng, judges, good, cluster)
            found = compare(table)
            first = next(iter(as_lines(comparison_screen(found), width=None)))
            best.append("is best" in first)
            panels = calibrate(table, slices=False, replicates=100).judges.values()
            panel = max(panels, key=lambda each: each.balanced_accuracy.value or 0.0)
            truth = (_TPR + _TNR) / 2
            at_once = panel.balanced_accuracy_at_once
            assert at_once is not None
            covered.append(_covers(at_once.low, at_once.high, truth))
            alone.append(_covers(panel.balanced_accuracy.low, panel.balanced_accuracy.high, truth))
        what = f"{judges} equal judges, {good:.0%} good, clusters of {cluster}: "
        yield share(f"{what}one is called best", "", "at most 5 %", best)
        yield share(f"{what}interval of the highest", "", "at least 93 %", covered)
        yield share(f"{what}its interval alone", "", "", alone)


def _covers(low: float | None, high: float | None, truth: float) -> bool:
    return low is not None and high is not None and low <= truth <= high


def _table(rng: np.random.Generator, judges: int, good: float, cluster: int) -> Table:
    label = rng.random(_ITEMS) < good
    rows = [
        {"item_id": f"i{n}", "cluster": f"c{n // cluster}", "judge": f"j{judge}", "score": score}
        | {"label": float(label[n])}
        for judge in range(judges)
        for n, score in enumerate(_scores(rng, label, cluster))
    ]
    return table_from_rows(rows)


def _scores(rng: np.random.Generator, label: np.ndarray, cluster: int) -> list[float]:
    """Return verdicts at the true rates; 30 % of the clusters share one draw."""
    own = rng.random(len(label))
    shared = np.repeat(rng.random(len(label) // cluster), cluster)
    drawn = np.where(np.repeat(rng.random(len(label) // cluster) < 0.3, cluster), shared, own)
    return np.where(drawn < np.where(label, _TPR, _TNR), label, ~label).astype(float).tolist()
