"""Does a judge put systems in the order in which the labels put them, and how far off is it for the worst one?"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.cluster_mean import mean_of
from ..intervals.measurement import Settings
from ..statistic import Statistic, defined, undefined
from ..tables.table import Table
from ..true_rate.ranking import simultaneous_level

_FEWEST = 3


class SystemMeans(NamedTuple):
    """One system, by labels and by the judge.

    Attributes:
        n: Rows with both.
        label_mean: Mean label.
        score_mean: Mean score.
        difference: Mean of score minus label; its interval holds together with those of the other systems.
    """

    n: int
    label_mean: float
    score_mean: float
    difference: Statistic


class SystemAgreement(NamedTuple):
    """Agreement on systems, not on items.

    Attributes:
        systems: Each system's means, in the order of their numbers.
        kendall_tau_b: Of the means; 1 where the judge has the order of the labels.
        largest_difference: Of any system, without its sign.
    """

    systems: list[SystemMeans]
    kendall_tau_b: Statistic
    largest_difference: Statistic


def system_agreement(
    label: FloatArray, score: FloatArray, system: IntArray, cluster: IntArray, *, level: float = 0.95
) -> SystemAgreement:
    """Compare the means that labels and a judge give to systems.

    The intervals of the differences hold together (Bonferroni, clustered), so the largest difference lies, at the level,
    between the largest that every interval must have and the largest that any may have.

    Source: Kendall 1945 (tau-b); a mean over systems hides the one that a judge favours.

    Args:
        label: Trusted values, shape ``(n,)``, none missing.
        score: The judge's, shape ``(n,)``, none missing.
        system: System number of each row, shape ``(n,)``: 0, 1, ... without a gap.
        cluster: Cluster number of each row, shape ``(n,)``; systems may share clusters.
        level: At which all intervals hold together.

    Returns:
        The agreement. Tau is undefined with fewer than three systems, or where all means of a side are equal.
    """
    count = int(system.max(initial=-1)) + 1
    each = simultaneous_level(level, count)
    found = [
        SystemMeans(
            int(mine.sum()),
            float(label[mine].mean()),
            float(score[mine].mean()),
            mean_of(score[mine] - label[mine], cluster[mine], level=each),
        )
        for mine in (system == number for number in range(count))
    ]
    return SystemAgreement(found, _tau(found, level), _largest([mean.difference for mean in found], level))


def systems_by_judge(table: Table, *, pass_at: float, settings: Settings) -> dict[str, Any] | None:
    """`system_agreement` of one judge of a table, on rows with label and score.

    Args:
        table: The rows of one judge.
        pass_at: Not used: means are of labels and scores as they are.
        settings: How intervals are made.

    Returns:
        ``systems`` by name, ``kendall_tau_b`` and ``largest_difference``, ready for JSON; None with fewer than two
        systems.
    """
    del pass_at
    column = table.columns.get("system")
    if column is None:
        return None
    rows = np.isfinite(table.label) & np.isfinite(table.score) & (column.codes >= 0)
    present, system = np.unique(column.codes[rows], return_inverse=True)
    if len(present) < _FEWEST - 1:
        return None
    found = system_agreement(
        table.label[rows], table.score[rows], system, table.cluster[rows], level=settings.level
    )
    numbers: list[int] = present.tolist()
    means = [
        {
            "n": each.n,
            "label_mean": each.label_mean,
            "score_mean": each.score_mean,
            "difference": msgspec.to_builtins(each.difference),
        }
        for each in found.systems
    ]
    return {
        "systems": dict(zip([column.values[number] for number in numbers], means, strict=True)),
        "kendall_tau_b": msgspec.to_builtins(found.kendall_tau_b),
        "largest_difference": msgspec.to_builtins(found.largest_difference),
    }


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
