"""Agreement of judge and labels on the order of systems, and the worst system's error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import CodeArray, FloatArray, IntArray
from ..corrected_rate.ranks import simultaneous_level
from ..intervals.clustered_means import mean_of
from ..intervals.measurement import Settings
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import Table
from .diagnosis_results import SystemAgreement, SystemMeans
from .judge_panel import usable_rows

_FEWEST = 3


def system_agreement(
    label: FloatArray,
    score: FloatArray,
    system: CodeArray,
    cluster: IntArray,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> SystemAgreement:
    """Compare the means that labels and a judge give to systems.

    Each array has shape ``(n,)``, with none missing; systems may share clusters.

    The intervals of the differences hold together (Bonferroni, clustered), so the largest difference lies, at the level,
    between the largest that every interval must have and the largest that any may have. Systems go by ``names``, or by their numbers.

    Source: Kendall 1945 (tau-b); a mean over systems hides the one that a judge favours.
    """
    present: list[int] = np.unique(system).tolist()
    each = simultaneous_level(level, len(present))
    found = {
        str(number) if names is None else names[number]: SystemMeans(
            int(mine.sum()),
            float(label[mine].mean()),
            float(score[mine].mean()),
            mean_of(score[mine] - label[mine], cluster[mine], level=each),
        )
        for number, mine in ((number, system == number) for number in present)
    }
    means = list(found.values())
    return SystemAgreement(found, _tau(means, level), _largest([mean.difference for mean in means], level))


def systems_by_judge(table: Table, *, settings: Settings) -> SystemAgreement | None:
    """`system_agreement` of one judge of a table; None with fewer than two systems."""
    column, rows = table.columns.get("system"), usable_rows(table)
    if column is None:
        return None
    rows = rows.take(rows.columns["system"].codes >= 0)
    system = rows.columns["system"].codes
    if len(np.unique(system)) < _FEWEST - 1:
        return None
    return system_agreement(
        rows.label, rows.score, system, rows.cluster, names=column.values, level=settings.level
    )


def _tau(systems: list[SystemMeans], level: float) -> Statistic:
    n = len(systems)
    if n < _FEWEST:
        return undefined(f"an order of {n} systems says little; it takes {_FEWEST}", n=n, level=level)
    # Means of the same counts in another order of adding are one mean.
    label, score = (
        np.round([getattr(each, name) for each in systems], 12) for name in ("label_mean", "score_mean")
    )
    if np.ptp(label) == 0.0 or np.ptp(score) == 0.0:
        return undefined("all systems have the same mean by the labels, or by the judge", n=n, level=level)
    from scipy.stats import kendalltau  # noqa: PLC0415 - half a second to import; only for tables of several systems

    tau = float(kendalltau(label, score).statistic)
    return defined(tau, n=n, method="no interval: of these systems, as they are", level=level)


def _largest(differences: list[Statistic], level: float) -> Statistic:
    values = [each.value for each in differences if each.value is not None]
    if not values:
        return undefined("no row has a label, a score and a system", n=0, level=level)
    ends = [(each.low, each.high) for each in differences if each.low is not None and each.high is not None]
    n, method = len(differences), "simultaneous cluster-t"
    value = max(map(abs, values))
    if len(ends) < n:
        return defined(value, n=n, method="no interval: a system has a single cluster", level=level)
    low = max(max(0.0, low, -high) for low, high in ends)
    high = max(max(-low, high) for low, high in ends)
    return defined(value, (low, high), n=n, method=method, level=level)
