"""Judge scores beside labels, binned, for distributions and reliability curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from ..calibration.pass_threshold import HALF
from ..evaluation.store.run_store import RunStore
from .figures.forest_plot import PlottedInterval
from .figures.scores import Bin

_MOST = 10
"""Groups; scores of as many values or fewer have a group each."""


class _Scored(NamedTuple):
    """A row: what a judge says, what the label says, and what the row depends on."""

    score: float
    label: float
    cluster: str


def score_bins(store: RunStore, judges: Collection[str], cuts: Mapping[str, float]) -> dict[str, list[Bin]]:
    """Return score bins for some of a run's judges, lowest first; none without labels.

    Labels pass from a judge's cut on, where it has none from 0.5.
    """
    if not judges:
        return {}
    from ..evaluation.run_table import run_rows  # noqa: PLC0415 - numpy is slow to import, and most runs have none of these judges

    rows: dict[str, list[_Scored]] = defaultdict(list)
    for row in run_rows(store):
        if row["judge"] in judges and row["repeat"] == 0 and None not in {row["score"], row["label"]}:
            rows[row["judge"]].append(_Scored(row["score"], row["label"], row["cluster"]))
    return {judge: bins_of(scored, cuts.get(judge, HALF)) for judge, scored in rows.items()}


def bins_of(rows: Iterable[tuple[float, float, str]], cut: float) -> list[Bin]:
    """Bin rows of score, label and cluster: one bin per score if few, else ten equal bins.

    The ten bins have equal width.
    """
    scored = [_Scored(*row) for row in rows]
    few = len({row.score for row in scored}) <= _MOST
    groups: dict[float, list[_Scored]] = defaultdict(list)
    for row in scored:
        groups[row.score if few else min(int(row.score * _MOST), _MOST - 1)].append(row)
    return [_bin(groups[at], cut) for at in sorted(groups)]


def _bin(rows: list[_Scored], cut: float) -> Bin:
    import numpy as np  # noqa: PLC0415 - most reports draw no scores

    from ..calibration.intervals.clustered_rates import share_of  # noqa: PLC0415 - likewise

    scores = [row.score for row in rows]
    passed = np.array([row.label >= cut for row in rows], dtype=np.float64)
    _, cluster = np.unique([row.cluster for row in rows], return_inverse=True)
    share = share_of(passed, cluster)
    low, high = min(scores), max(scores)
    name = f"{low:.2g}" if low == high else f"{low:.2g} to {high:.2g}"
    right = int(passed.sum())
    return Bin(
        low=low,
        high=high,
        passed=right,
        failed=len(rows) - right,
        rate=PlottedInterval.of(name, share),
        mean=sum(scores) / len(scores),
    )


def bin_table(bins: Iterable[Bin]) -> list[tuple[Any, ...]]:
    """Groups as rows of a table: scores, how many labels pass and fail, share that passes."""
    return [(each.rate.name, f"{each.passed:,}", f"{each.failed:,}", each.rate.number) for each in bins]
