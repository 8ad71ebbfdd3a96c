"""Judges, prompts or systems against each other on the same items."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.special import stdtr

from ...errors import InputError
from ..arrays import BoolArray, IntArray
from ..intervals.closed_forms import normal_quantile
from ..intervals.cluster_mean import share_of
from ..intervals.measurement import Settings, measure
from ..statistic import undefined
from ..statistics.estimator import ESTIMATORS, Estimator
from ..tables.costs import CostOf, costs
from ..tables.table import Column, Table
from .best_of_many import best_of_many
from .cautions import cautions, left_out
from .contenders import By, Contender, Right, contenders_of
from .delong import DeLong, delong
from .mcnemar import mcnemar
from .multiple_tests import benjamini_hochberg, benjamini_yekutieli, holm
from .paired import PairedSample, difference_of, paired_sample

_POWER = 0.8


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
    right: Right | None = None,
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
            None: ``agrees``, or without any label ``score``.
        pass_at: A value passes when it is at least this.
        against: Compare only with this one.
        statistic: Whose difference is estimated, beside the McNemar test; another than ``accuracy`` needs labels.
        flips: How many of the items on which a pair differs are listed.
        settings: How the interval of the difference is made.
        cost_of: Prices of judges, for tables that have tokens and no costs.

    Returns:
        ``pairs``, each with counts, p-values and the difference; ``best``, the cross-fitted choice of the best;
        ``contenders``, each with its share right, ``n_left_out`` (rows without a needed score or label) and its ``costs``, where the table says something of them; ``warnings``.

    Raises:
        InputError: There are not two to compare, ``against`` is not one of them, or ``right`` needs labels and there are none.
    """
    right = _right(table, right)
    everybody = contenders_of(table, by, right, pass_at)
    contenders = [each for each in everybody if len(each.key)]
    names = [each.name for each in contenders]
    if len(contenders) < 2:  # noqa: PLR2004 - a comparison needs two
        raise _too_few(everybody, names, by, right)
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
        "best": _best(contenders, terms.settings.level),
        "contenders": {
            each.name: _worth(each, table, by, terms.settings.level, cost_of) for each in contenders
        },
        "warnings": [*left_out(everybody, right), *cautions(pairs, statistic)],
    }


def _right(table: Table, asked: Right | None) -> Right:
    """What is compared: as asked for, where the table has the labels that it takes."""
    labelled = bool(np.isfinite(table.label).any())
    if asked in {"agrees", "label"} and not labelled:
        raise InputError(f"no row has a label, which --right {asked} needs; --right score compares without")
    return asked or ("agrees" if labelled else "score")


def _too_few(everybody: list[Contender], names: list[str], by: By, right: Right) -> InputError:
    """The error of fewer than two with usable rows, with what else could be asked."""
    found = f"only one {by} with usable rows ({names[0]})" if names else f"no {by} with usable rows"
    more = len(everybody) > 1 and right != "score"
    hint = f" (--right {right} needs labels; --right score does not)" if more else ""
    return InputError(f"there is {found}; nothing to compare{hint}")


def _worth(
    contender: Contender, table: Table, by: By, level: float, cost_of: CostOf | None
) -> dict[str, Any]:
    """Quality and cost of one contender, each on all rows that it has."""
    column = table.judge if by == "judge" else table.columns["system"]
    rows = column.codes == column.values.index(contender.name)
    share = share_of(contender.right.astype(np.float64), contender.cluster, level=level)
    return {
        "n": len(contender.right),
        "n_left_out": contender.left_out,
        "share_right": share.value,
        "statistics": {"share_right": msgspec.to_builtins(share)},
        "costs": costs(table, rows, cost_of),
    }


def _first(contenders: list[Contender], name: str | None) -> list[Contender]:
    return sorted(contenders, key=lambda each: each.name != name) if name else contenders


def _pair(first: Contender, second: Contender, terms: _Terms) -> dict[str, Any]:
    _, mine, theirs = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    right_a, right_b = first.right[mine], second.right[theirs]
    a_only, b_only = right_a & ~right_b, right_b & ~right_a
    # Without a common item nothing was tested; a p-value of 1 would also make Holm's correction of the others larger.
    test = mcnemar(int(a_only.sum()), int(b_only.sum())) if len(mine) else None
    sample = _sample(first, second, mine, theirs, terms)
    estimator = difference_of(terms.estimator, sample)
    difference = measure([estimator], sample.joint, terms.settings)[estimator.name]
    if not len(mine):
        difference = undefined("no common items", n=0, level=terms.settings.level)
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
        "cluster_p": _cluster_p(right_a, right_b, first.cluster[mine]),
        "difference": msgspec.to_builtins(difference),
        "smallest_visible": _smallest_visible(difference.low, difference.high, terms.settings.level),
    }
    area = _areas(first, second, mine, theirs, terms.pass_at)
    if area is not None:
        result["auroc_difference"] = {"value": area.difference, "delong_p": area.p}
    if terms.flips:
        differing = np.flatnonzero(a_only | b_only)[: terms.flips]
        result["flips"] = [
            {"item_id": terms.items.values[item], "right": first.name if of_a else second.name}
            for item, of_a in zip(first.item[mine][differing], a_only[differing], strict=True)
        ]
    return result


def _sample(
    first: Contender, second: Contender, mine: IntArray, theirs: IntArray, terms: _Terms
) -> PairedSample:
    """What the difference is computed from: who is right, or else the rows that have both labels and both scores."""
    if terms.estimator.name == "accuracy":
        right = first.right[mine].astype(np.float64), second.right[theirs].astype(np.float64)
        return paired_sample(np.ones(len(mine)), *right, first.cluster[mine], pass_at=terms.pass_at)
    columns = np.stack([first.label[mine], first.score[mine], second.score[theirs], second.label[theirs]])
    known = np.isfinite(columns).all(axis=0)
    label, score_a, score_b, other = columns[:, known]
    cluster = first.cluster[mine][known]
    own = None if (label == other).all() else other
    return paired_sample(label, score_a, score_b, cluster, second_label=own, pass_at=terms.pass_at)


def _areas(
    first: Contender, second: Contender, mine: IntArray, theirs: IntArray, pass_at: float
) -> DeLong | None:
    """DeLong's test, where both scored the same outputs and not with 0 and 1 only."""
    columns = np.stack([first.label[mine], first.score[mine], second.score[theirs], second.label[theirs]])
    label, score_a, score_b, other = columns[:, np.isfinite(columns).all(axis=0)]
    right = label >= pass_at
    if (right != (other >= pass_at)).any() or np.isin([score_a, score_b], (0.0, 1.0)).all():
        return None
    return delong(right, score_a, score_b)


def _cluster_p(right_a: BoolArray, right_b: BoolArray, cluster: IntArray) -> float | None:
    """Two-sided t-test over clusters of who is right more often; None where items are their own, or nothing differs."""
    number = np.unique(cluster, return_inverse=True)[1]
    clusters = int(number.max(initial=-1)) + 1
    if clusters in {1, len(cluster)} or not len(cluster):
        return None
    gap = right_a.astype(np.float64) - right_b
    mean = float(gap.mean())
    sums = np.bincount(number, weights=gap - mean)
    error = float(np.sqrt(clusters / (clusters - 1) * (sums**2).sum())) / len(gap)
    return float(2 * stdtr(clusters - 1, -abs(mean) / error)) if error > 0 else None


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


def _best(contenders: list[Contender], level: float) -> dict[str, Any] | None:
    common = contenders[0].key
    for each in contenders[1:]:
        common = np.intersect1d(common, each.key, assume_unique=True)
    if not len(common):
        return None
    rows = [np.searchsorted(each.key, common) for each in contenders]
    right = np.stack([each.right[row] for each, row in zip(contenders, rows, strict=True)])
    choice = best_of_many(right, contenders[0].cluster[rows[0]], level=level)
    return {
        "name": contenders[choice.best].name,
        "n": len(common),
        **choice.numbers(),
        "statistics": msgspec.to_builtins({"apparent": choice.apparent, "held_out": choice.held_out}),
    }
