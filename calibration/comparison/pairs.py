"""Judges, prompts or systems against each other on the same items."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.special import stdtr

from ...errors import InputError
from ..agreement.cautions import FEW_CLUSTERS
from ..intervals.closed_forms import normal_quantile
from ..intervals.influence import cluster_standard_error, influence
from ..intervals.measurement import Settings, measure
from ..lines import counted
from ..sample import Sample
from ..statistics.correlation import MAX_PAIRWISE_CELLS
from ..statistics.estimator import ESTIMATORS, Estimator
from ..tables.costs import CostOf, costs
from ..tables.table import Column, Table
from .best_of_many import best_of_many
from .contenders import By, Contender, Right, contenders_of
from .delong import delong
from .mcnemar import mcnemar
from .multiple_tests import benjamini_hochberg, benjamini_yekutieli, holm
from .paired import difference_of, paired_sample

_POWER = 0.8

_PAIRED = ("accuracy", "true_positive_rate", "true_negative_rate", "prevalence", "judge_rate")
"""Shares of the same rows, whose difference does not need a bootstrap."""

FEW_DIFFERING = 20
"""With fewer items that tell two judges apart, a bootstrap of their difference covers 91 to 93 % for 95."""


_NAMED = 5
"""Pairs that a warning names; of more, it says how many."""


class _Terms(NamedTuple):
    """What is the same for every pair."""

    estimator: Estimator
    items: Column
    pass_at: float
    flips: int
    settings: Settings


def compare(
    table: Table,
    *,
    by: By = "judge",
    right: Right = "agrees",
    pass_at: float = 0.5,
    against: str | None = None,
    statistic: str = "accuracy",
    flips: int = 0,
    settings: Settings | None = None,
    cost_of: CostOf | None = None,
) -> dict[str, Any]:
    """Compare every pair on the items that both have.

    Args:
        table: Two or more judges, or systems.
        by: What is compared.
        right: ``agrees``: score and label fall on the same side of ``pass_at``; ``score`` or ``label``: that passes.
            Without any label, ``agrees`` becomes ``score``.
        pass_at: A value passes when it is at least this.
        against: Compare only with this one.
        statistic: Whose difference is estimated, beside the McNemar test; another than ``accuracy`` needs labels.
        flips: How many of the items on which a pair differs are listed.
        settings: How the interval of the difference is made.
        cost_of: Prices of judges, for tables that have tokens and no costs.

    Returns:
        ``pairs``, each with counts, p-values and the difference; ``best``, the cross-fitted choice of the best;
        ``contenders``, each with its share right and its ``costs``, where the table says something of them; ``warnings``.

    Raises:
        InputError: There are not two to compare, or ``against`` is not one of them.
    """
    if right == "agrees" and not np.isfinite(table.label).any():
        right = "score"
    contenders = contenders_of(table, by, right, pass_at)
    names = [each.name for each in contenders]
    if len(contenders) < 2:  # noqa: PLR2004 - a comparison needs two
        raise InputError(
            f"there is only one {by} with usable rows ({', '.join(names) or 'none'}); nothing to compare"
        )
    if against is not None and against not in names:
        raise InputError(f"there is no {by} {against!r}; there are {', '.join(names)}")
    terms = _Terms(ESTIMATORS[statistic], table.item, pass_at, flips, settings or Settings())
    pairs = [
        _pair(first, second, terms)
        for first, second in combinations(_first(contenders, against), 2)
        if against in {None, first.name}
    ]
    _adjust(pairs)
    return {
        "by": by,
        "right": right,
        "statistic": statistic,
        "pairs": pairs,
        "best": _best(contenders),
        "contenders": {each.name: _worth(each, table, by, cost_of) for each in contenders},
        "warnings": _warnings(pairs, statistic),
    }


def _worth(contender: Contender, table: Table, by: By, cost_of: CostOf | None) -> dict[str, Any]:
    """Quality and cost of one contender, each on all rows that it has."""
    column = table.judge if by == "judge" else table.columns["system"]
    rows = column.codes == column.values.index(contender.name)
    return {
        "n": len(contender.right),
        "share_right": float(contender.right.mean()),
        "costs": costs(table, rows, cost_of),
    }


def _warnings(pairs: list[dict[str, Any]], statistic: str) -> list[str]:
    """Where the interval of a difference is known to be rough, each reason once."""
    clusters = {_names(pair): pair["n_clusters"] for pair in pairs}
    differing = {_names(pair): pair["a_only_right"] + pair["b_only_right"] for pair in pairs}
    lines = [_about(f"fewer than {FEW_CLUSTERS} clusters", clusters, FEW_CLUSTERS)]
    if statistic not in _PAIRED:
        told = f"fewer than {FEW_DIFFERING} items on which only one is right"
        lines.append(_about(told, differing, FEW_DIFFERING))
    return [line for line in lines if line]


def _names(pair: dict[str, Any]) -> str:
    return f"{pair['a']} and {pair['b']}"


def _about(reason: str, counts: dict[str, int], enough: int) -> str:
    few = [f"{names} ({count})" for names, count in counts.items() if 0 < count < enough]
    more = f" and {counted(len(few) - _NAMED, 'other pair')}" if len(few) > _NAMED else ""
    return f"{reason}, so that an interval may be too short: {', '.join(few[:_NAMED])}{more}" if few else ""


def _first(contenders: list[Contender], name: str | None) -> list[Contender]:
    return sorted(contenders, key=lambda each: each.name != name) if name else contenders


def _pair(first: Contender, second: Contender, terms: _Terms) -> dict[str, Any]:
    _, mine, theirs = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    right_a, right_b = first.right[mine], second.right[theirs]
    a_only, b_only = right_a & ~right_b, right_b & ~right_a
    # Without a common item nothing was tested; a p-value of 1 would also make Holm's correction of the others larger.
    test = mcnemar(int(a_only.sum()), int(b_only.sum())) if len(mine) else None
    label, score_a, score_b = first.label[mine], first.score[mine], second.score[theirs]
    if terms.estimator.name == "accuracy":
        label, score_a, score_b = np.ones(len(mine)), right_a.astype(float), right_b.astype(float)
    sample = paired_sample(label, score_a, score_b, first.cluster[mine], pass_at=terms.pass_at)
    estimator = difference_of(terms.estimator, sample)
    difference = measure([estimator], sample.joint, terms.settings)[estimator.name]
    result: dict[str, Any] = {
        "a": first.name,
        "b": second.name,
        "n": len(mine),
        "n_clusters": sample.joint.n_clusters,
        "both_right": int((right_a & right_b).sum()),
        "a_only_right": int(a_only.sum()),
        "b_only_right": int(b_only.sum()),
        "both_wrong": int((~right_a & ~right_b).sum()),
        "exact_p": test and test.exact_p,
        "midp": test and test.midp,
        "cluster_p": _cluster_p(estimator, sample.joint, difference.value),
        "difference": msgspec.to_builtins(difference),
        "smallest_visible": _smallest_visible(difference.low, difference.high, terms.settings.level),
    }
    area = delong(first.label[mine] >= terms.pass_at, first.score[mine], second.score[theirs])
    if area is not None and not np.isin([score_a, score_b], (0.0, 1.0)).all():
        result["auroc_difference"] = {"value": area.difference, "delong_p": area.p}
    if terms.flips:
        differing = np.flatnonzero(a_only | b_only)[: terms.flips]
        result["flips"] = [
            {"item_id": terms.items.values[item], "right": first.name if of_a else second.name}
            for item, of_a in zip(first.item[mine][differing], a_only[differing], strict=True)
        ]
    return result


def _cluster_p(estimator: Estimator, sample: Sample, difference: float | None) -> float | None:
    """Two-sided t-test of the difference over clusters; None where every item is its own, or there is no spread."""
    if sample.singletons or difference is None or len(sample.cells.label) > MAX_PAIRWISE_CELLS:
        return None
    error = cluster_standard_error(influence(estimator.of(sample.cells), sample), sample)
    return float(2 * stdtr(sample.n_clusters - 1, -abs(difference) / error)) if error > 0 else None


def _smallest_visible(low: float | None, high: float | None, level: float) -> float | None:
    """The true difference that a comparison of this precision finds four times in five."""
    if low is None or high is None:
        return None
    error = (high - low) / 2 / normal_quantile(level)
    return error * (normal_quantile(level) + normal_quantile(2 * _POWER - 1))


def _adjust(pairs: list[dict[str, Any]]) -> None:
    for source, name, method in (
        ("midp", "holm_p", holm),
        ("midp", "bh_p", benjamini_hochberg),
        ("midp", "by_p", benjamini_yekutieli),
        ("cluster_p", "holm_cluster_p", holm),
    ):
        known = [pair for pair in pairs if pair[source] is not None]
        adjusted = method(np.array([pair[source] for pair in known]))
        for pair in pairs:
            pair[name] = None
        for pair, p in zip(known, adjusted.tolist(), strict=True):
            pair[name] = p


def _best(contenders: list[Contender]) -> dict[str, Any] | None:
    common = contenders[0].key
    for each in contenders[1:]:
        common = np.intersect1d(common, each.key, assume_unique=True)
    if not len(common):
        return None
    rows = [np.searchsorted(each.key, common) for each in contenders]
    right = np.stack([each.right[row] for each, row in zip(contenders, rows, strict=True)])
    choice = best_of_many(right, contenders[0].cluster[rows[0]])
    return {"name": contenders[choice.best].name, "n": len(common), **choice.numbers()}
