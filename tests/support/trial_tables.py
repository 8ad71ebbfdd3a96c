"""Tables of systems that tried cases several times."""

from __future__ import annotations

from typing import Any

import numpy as np

from fiducial.calibration import Comparison, compare, table_from_rows


def trial_rows(trials: dict[str, list[Any]], cases: int = 30, **more: Any) -> list[dict[str, Any]]:
    """Return rows of systems with these trials of each case; x passes more often."""
    rng = np.random.default_rng(7)
    chance = rng.random(cases)
    return [
        {"item_id": f"c{case}", "judge": "j", "system": system, "trial": trial}
        | {"score": float(rng.random() < chance[case] + (0.2 if system == "x" else 0.0))}
        | more
        for case in range(cases)
        for system, names in trials.items()
        for trial in names
    ]


def by_system(rows: list[dict[str, Any]], **options: Any) -> Comparison:
    return compare(table_from_rows(rows), by="system", **options)
