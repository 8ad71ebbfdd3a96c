"""Judges that may guess against a good one: which is called best when most outputs are good."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import compare, table_from_rows
from fiducial.report.document import as_lines
from fiducial.report.text.comparison_screen import comparison_screen

from .scenario import Scenario, share

_ITEMS, _TPR, _TNR = 200, 0.9, 0.9
"""Labelled outputs, and the rates of the good judge."""


def lenient_judges(draws: int) -> Iterator[Scenario]:
    """Simulate a judge that passes (almost) everything at random, beside a good one."""
    for good, guesses, before, wanted in (
        (0.95, 1.0, "98 %", "0"),
        (0.95, 0.98, "91 %", "at most 5 %"),
        (0.6, 1.0, "0", "0"),
    ):
        rng = np.random.default_rng([round(100 * good), round(100 * guesses)])
        best = [_best(rng, good, guesses) for _ in range(max(1, draws // 4))]
        what = f"{good:.0%} good outputs, a judge passes {guesses:.0%} at random: "
        yield share(f"{what}it is called best", before, wanted, ["guess" in names for names in best])
        yield share(f"{what}the good judge is", "", "", ["good" in names for names in best])


def _best(rng: np.random.Generator, good: float, guesses: float) -> set[str]:
    """Return the judges that the screen, or the record, calls best."""
    label = rng.random(_ITEMS) < good
    right = rng.random(_ITEMS) < np.where(label, _TPR, _TNR)
    scores = {"guess": rng.random(_ITEMS) < guesses, "good": label == right}
    rows = [
        {"item_id": f"i{i}", "judge": judge, "score": float(score[i]), "label": float(label[i])}
        for judge, score in scores.items()
        for i in range(_ITEMS)
    ]
    found = compare(table_from_rows(rows))
    headline = next(iter(as_lines(comparison_screen(found))))
    said = {judge for judge in scores if headline.startswith(f"{judge} is best")}
    return said if found.best is None else said | {found.best.name}
