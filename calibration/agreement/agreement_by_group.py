"""Agreement by group: equal rates over slices of a table, and the order of systems."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import chdtrc

from ..arrays import BoolArray, CodeArray, FloatArray, IntArray, without_gaps
from ..comparison.significance import adjust_known, fisher_one_sided, simultaneous_level
from ..intervals.clustered_means import mean_of
from ..intervals.clustered_rates import default_effect
from ..intervals.measurement import Settings
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import Table
from ..tables.columns import Column
from .diagnosis_results import HomogeneityTest, SystemAgreement, SystemMeans
from .judge_panel import usable_rows


def slice_homogeneity(table: Table) -> dict[str, dict[str, dict[str, HomogeneityTest]]]:
    """Test, for every judge and column with several values, whether rates are equal.

    Results are by column, judge and rate; p-values are adjusted over all tests of the table.
    """
    table = usable_rows(table)
    columns = {name: column for name, column in table.columns.items() if len(column.present()) > 1}
    result = {
        name: {judge: _tests(table, column, rows) for judge, rows in table.judge.present()}
        for name, column in columns.items()
    }
    by_judge = [rates for judges in result.values() for rates in judges.values()]
    tests = [(rates, name) for rates in by_judge for name in rates]
    adjusted = adjust_known([rates[name].p for rates, name in tests])
    for (rates, name), p in zip(tests, adjusted, strict=True):
        rates[name] = msgspec.structs.replace(rates[name], holm_p=p)
    return result


def worse_part(table: Table, in_part: BoolArray) -> dict[str, float]:
    """Return, by judge, the p-value of "as good on this part of the rows as on the others".

    It is the smallest one-sided p-value for accuracy, true positive rate and true negative rate, times their number
    (Bonferroni). Judges without a rate in both parts are left out. The test is Fisher's exact one. If clusters have
    several rows, it uses effective numbers of rows by the default design effect: a part of few rows shows little of
    its own spread.

    Args:
        table: Rows of several judges.
        in_part: Mask of the rows in the part, shape ``(n,)``.
    """
    usable = np.isfinite(table.label) & np.isfinite(table.score)
    table, in_part = usable_rows(table), in_part[usable]
    wrong = table.right != table.passed
    p_values: dict[str, float] = {}
    for judge, rows in table.judge.present():
        trials = [
            trial
            for trial in _trials(table, rows).values()
            if in_part[trial].any() and not in_part[trial].all()
        ]
        if trials:
            smallest_p = min(
                _more_errors_p(wrong[trial], in_part[trial], table.cluster[trial]) for trial in trials
            )
            p_values[judge] = min(1.0, smallest_p * len(trials))
    return p_values


def _more_errors_p(wrong: BoolArray, in_part: BoolArray, cluster: IntArray) -> float:
    """Return Fisher's one-sided p-value against more errors in the part than elsewhere."""

    def effective(rows: BoolArray) -> tuple[int, int]:
        sizes = np.unique(cluster[rows], return_counts=True)[1]
        effect = default_effect(float((sizes**2).sum()) / sizes.sum())
        return int(wrong[rows].sum() / effect), int(rows.sum() / effect)

    return fisher_one_sided(*effective(in_part), *effective(~in_part))


def _trials(table: Table, rows: BoolArray) -> dict[str, BoolArray]:
    right = table.right
    return {"accuracy": rows, "true_positive_rate": rows & right, "true_negative_rate": rows & ~right}


def _tests(table: Table, column: Column, rows: BoolArray) -> dict[str, HomogeneityTest]:
    right, passed = table.right, table.passed
    tests: dict[str, HomogeneityTest] = {}
    for name, trial in _trials(table, rows).items():
        in_group = trial & (column.codes >= 0)
        if in_group.any():
            correct = (right == passed)[in_group]
            tests[name] = equal_rates(correct, column.codes[in_group], table.cluster[in_group])
    return tests


def equal_rates(success: BoolArray, group: CodeArray, cluster: IntArray) -> HomogeneityTest:
    """Test that a rate is the same in all groups, by a score test with cluster variance.

    Each array has shape ``(n,)``, with one value per trial.

    Groups may share clusters, as systems share tasks. The variance is that under the hypothesis of a common rate:
    a Wald test, with a variance per group from few clusters, rejects far too often. Undefined with one group, if
    there are not more clusters than groups, or if nothing varies over clusters.

    Source: the generalized score test of Rotnitzky and Jewell 1990, for a saturated mean.
    """
    group_number, k = without_gaps(group)
    if k < 2:  # noqa: PLR2004 - equality needs two
        return HomogeneityTest(groups=k, undefined="there is only one group")
    cluster_number, clusters = without_gaps(cluster)
    if clusters <= k:
        return HomogeneityTest(groups=k, undefined="there are not more clusters than groups")
    share = np.bincount(group_number) / len(group_number)
    residual: FloatArray = success - success.mean()
    cell = cluster_number * k + group_number
    sums = np.bincount(cell, weights=residual, minlength=clusters * k).reshape(clusters, k)
    # The scores of all groups sum to 0, so the first is left out.
    score: FloatArray = sums.sum(axis=0)[1:]
    # The common rate is estimated from the same rows, so each cluster influences every group.
    influence: FloatArray = (sums - sums.sum(axis=1, keepdims=True) * share)[:, 1:]
    spread: FloatArray = influence.T @ influence
    if np.linalg.matrix_rank(spread) < k - 1:
        return HomogeneityTest(groups=k, undefined="nothing varies over the clusters")
    weighted = np.linalg.solve(spread, score)
    return HomogeneityTest(p=float(chdtrc(k - 1, float(score @ weighted))), groups=k)


_MIN_SYSTEMS = 3
"""Minimum number of systems whose order is compared."""


def system_agreement(
    label: FloatArray,
    score: FloatArray,
    system: CodeArray,
    cluster: IntArray,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> SystemAgreement:
    """Compare the mean labels and mean scores of systems.

    Each array has shape ``(n,)``, without missing values; systems may share clusters. Systems are named by
    ``names``, or by their numbers.

    The intervals of the differences are simultaneous (Bonferroni, clustered). So the largest difference is at least
    the largest of their smallest absolute values, and at most the largest absolute value in any of them.

    Source: Kendall 1945 (tau-b); a mean over systems hides the one that a judge favours.
    """
    present: list[int] = np.unique(system).tolist()
    all_systems_level = simultaneous_level(level, len(present))
    by_system: dict[str, SystemMeans] = {}
    for number in present:
        rows = system == number
        by_system[str(number) if names is None else names[number]] = SystemMeans(
            int(rows.sum()),
            float(label[rows].mean()),
            float(score[rows].mean()),
            mean_of(score[rows] - label[rows], cluster[rows], level=all_systems_level),
        )
    means = list(by_system.values())
    return SystemAgreement(
        by_system,
        _rank_correlation(means, level),
        _largest_difference([mean.difference for mean in means], level),
    )


def systems_by_judge(table: Table, *, settings: Settings) -> SystemAgreement | None:
    """Compare the systems that one judge scored (`system_agreement`); None with fewer than two."""
    column, rows = table.columns.get("system"), usable_rows(table)
    if column is None:
        return None
    rows = rows.take(rows.columns["system"].codes >= 0)
    system = rows.columns["system"].codes
    if len(np.unique(system)) < 2:  # noqa: PLR2004 - a comparison needs two
        return None
    return system_agreement(
        rows.label, rows.score, system, rows.cluster, names=column.values, level=settings.level
    )


def _rank_correlation(systems: list[SystemMeans], level: float) -> Statistic:
    n = len(systems)
    if n < _MIN_SYSTEMS:
        return undefined(f"an order of {n} systems says little; it takes {_MIN_SYSTEMS}", n=n, level=level)
    # Equal means may differ by rounding, from another order of addition.
    label, score = (
        np.round([getattr(system, name) for system in systems], 12) for name in ("label_mean", "score_mean")
    )
    if np.ptp(label) == 0.0 or np.ptp(score) == 0.0:
        return undefined("all systems have the same mean by the labels, or by the judge", n=n, level=level)
    from scipy.stats import kendalltau  # noqa: PLC0415 - half a second to import; only for tables of several systems

    tau = float(kendalltau(label, score).statistic)
    return defined(tau, n=n, method="no interval: of these systems, as they are", level=level)


def _largest_difference(differences: list[Statistic], level: float) -> Statistic:
    values = [difference.value for difference in differences if difference.value is not None]
    if not values:
        return undefined("no row has a label, a score and a system", n=0, level=level)
    ends = [
        (difference.low, difference.high)
        for difference in differences
        if difference.low is not None and difference.high is not None
    ]
    n, method = len(differences), "simultaneous cluster-t"
    value = max(map(abs, values))
    if len(ends) < n:
        return defined(value, n=n, method="no interval: a system has a single cluster", level=level)
    # The smallest absolute value in an interval is 0 if 0 is inside.
    smallest = max(max(0.0, low, -high) for low, high in ends)
    largest = max(max(-low, high) for low, high in ends)
    return defined(value, (smallest, largest), n=n, method=method, level=level)
