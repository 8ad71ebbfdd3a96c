"""Judges that differ by a known amount: how often a margin is concluded on wrongly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.arrays import FloatArray

from .scenario import Scenario, share

_MARGIN, _RIGHT = 0.05, 0.8
"""Margin, and the share right of the judge that the other one is compared with."""


def margins(draws: int) -> Iterator[Scenario]:
    """Simulate pairs, alone and among five, with rows alone and in clusters."""
    for others, cluster in ((1, 1), (1, 4), (5, 1)):
        for worse, wrong, wanted in (
            (_MARGIN, "not worse", "at most 2.5 %"),
            (0.0, "worse", "at most 2.5 %"),
            (0.0, "not worse", ""),
            (0.15, "worse", ""),
        ):
            rng = np.random.default_rng([others, cluster, round(100 * worse)])
            said = [
                conclusions(rng, worse, others=others, cluster=cluster) for _ in range(max(1, draws // 4))
            ]
            what = f"{others} against one, clusters of {cluster}, {100 * worse:.0f} points worse: any said {wrong!r}"
            yield share(what, "", wanted, [wrong in each for each in said])


def conclusions(
    rng: np.random.Generator, worse: float, *, others: int = 1, cluster: int = 1, items: int = 400
) -> set[str]:
    """Return what is concluded of judges that are right less often by this much than the first."""
    easy = np.repeat(rng.normal(size=items // cluster), cluster)
    rows = [
        {
            "item_id": f"i{i}",
            "cluster": f"c{i // cluster}",
            "judge": f"j{judge}",
            "score": score,
            "label": 1.0,
        }
        for judge in range(others + 1)
        for i, score in enumerate(_right(rng, easy, _RIGHT - (worse if judge else 0.0)).tolist())
    ]
    found = compare(table_from_rows(rows), against="j0", not_worse_by=_MARGIN)
    return {
        conclusion for pair in found.pairs if pair.margin for conclusion in pair.margin.conclusions.values()
    }


def _right(rng: np.random.Generator, easy: FloatArray, rate: float) -> FloatArray:
    """Return 1 where a judge is right: more often on easy clusters, at this rate on average."""
    noise = rng.normal(size=len(easy))
    return ((easy + noise) / np.sqrt(2) < ndtri(rate)).astype(float)
