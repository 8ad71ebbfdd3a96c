"""Statistics of drawn tables as JSON on stdout; a processor must not change them.

Run it in a process of its own, as `OPENBLAS_CORETYPE` counts when numpy is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import msgspec
import numpy as np

from fiducial.calibration import Requests, Settings, Table, calibrate, compare, estimate, table_from_rows
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.intervals.special_intervals import magnitude_interval
from fiducial.calibration.preference.bradley_terry import strengths

QUICK = Settings(replicates=200)


def drawn(seed: int, levels: list[float], labelled: float, clusters: int) -> Table:
    """Draw three judges' scores of 150 outputs of three systems, at given levels."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for item in range(150):
        label = float(rng.choice(levels))
        shown = label if rng.random() < labelled else None
        for judge, errs in (("large", 0.1), ("small", 0.3), ("odd", 0.45)):
            score = float(rng.choice(levels)) if rng.random() < errs else label
            rows.append(
                {
                    "item_id": f"i{item:03}|s{item % 3}|0",
                    "judge": judge,
                    "score": None if rng.random() < 0.02 else score,
                    "label": shown,
                    "system": f"s{item % 3}",
                    "cluster": f"c{item % clusters}",
                    "baseline:words": float(rng.random() < 0.5),
                }
            )
    return table_from_rows(rows)


def numbers() -> Iterator[tuple[str, object]]:
    """Results by name."""
    kinds = {"verdicts": [0.0, 1.0], "thirds": [0.0, 0.5, 1.0], "tenths": [n / 10 for n in range(11)]}
    some_of_each = [("verdicts", 60), ("thirds", 12), ("tenths", 150)]
    for seed, (kind, clusters) in enumerate(some_of_each):
        levels = kinds[kind]
        name = f"{kind}, {clusters} clusters"
        whole, some = drawn(seed, levels, 1.0, clusters), drawn(seed, levels, 0.4, clusters)
        asked = Requests() if kind == "verdicts" else Requests(recalibrate="platt")
        yield f"calibrate {name}", calibrate(whole, replicates=QUICK.replicates, slices=False, requests=asked)
        yield f"compare {name}", compare(whole, settings=QUICK)
        yield f"systems {name}", compare(some, by="system")
        for strata in (None, "score"):
            yield f"estimate {name} {strata}", estimate(some, judge="large", strata=strata)
    for seed in range(40):
        yield f"magnitude {seed}", magnitude_interval(*parts(seed), 40, 0.95)
        yield f"strengths {seed}", strengths(["a", "b", "c", "d", "e"], *played(seed))


def parts(seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw parts of a sum and their covariance: some equal, some near 0, some sums of others."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(40, 6)) @ rng.choice([0.0, 1.0], size=(6, 8))
    rounding = mixed.mean(axis=0) - mixed.sum(axis=0) / len(mixed)
    mixed = (mixed - mixed.mean(axis=0)) / len(mixed)
    return rng.normal(0, 0.05, 8) * rng.choice([0.0, 1.0], size=8) + rounding, 0.01 * mixed.T @ mixed


def played(seed: int) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Choices between five outputs of thirty cases."""
    rng = np.random.default_rng(seed)
    a, b = np.tile([(i, j) for i in range(5) for j in range(i)], (30, 1)).T
    return a, b, rng.choice([0.0, 0.5, 1.0], len(a)), np.repeat(np.arange(30), 10)


if __name__ == "__main__":
    json.dump({name: msgspec.to_builtins(found) for name, found in numbers()}, sys.stdout)
