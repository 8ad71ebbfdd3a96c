"""Judges, prompts or systems against each other on the same items."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from scipy import stats

from ..errors import InputError
from .arrays import BoolArray, FloatArray, IntArray
from .best_of_many import best_of_many
from .correlation import MAX_PAIRWISE_CELLS
from .delong import delong
from .estimator import ESTIMATORS, Estimator
from .influence import cluster_standard_error, influence
from .intervals import normal_quantile
from .mcnemar import mcnemar
from .measurement import Settings, measure
from .multiple_tests import benjamini_hochberg, benjamini_yekutieli, holm
from .paired import difference_of, paired_sample
from .sample import Sample
from .table import Column, Table

By: TypeAlias = Literal["judge", "system"]
Right: TypeAlias = Literal["agrees", "score", "label"]

_POWER = 0.8


class _Terms(NamedTuple):
    """What is the same for every pair."""

    estimator: Estimator
    items: Column
    pass_at: float
    flips: int
    settings: Settings


class Contender(NamedTuple):
    """What one judge or system brings to a comparison, a number per row of its part of the table.

    Attributes:
        name: Its name.
        key: Equal for rows of different contenders that are about the same item; ascending.
        label: The truth; NaN where it is not known.
        score: The judge's score.
        right: Whether it is right.
        cluster: Cluster number.
        item: Item number.
    """

    name: str
    key: IntArray
    label: FloatArray
    score: FloatArray
    right: BoolArray
    cluster: IntArray
    item: IntArray


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

    Returns:
        ``pairs``, each with counts, p-values and the difference; ``best``, the cross-fitted choice of the best.

    Raises:
        InputError: There are not two to compare, or ``against`` is not one of them.
    """
    if right == "agrees" and not np.isfinite(table.label).any():
        right = "score"
    contenders = _contenders(table, by, right, pass_at)
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
    return {"by": by, "right": right, "statistic": statistic, "pairs": pairs, "best": _best(contenders)}


def _first(contenders: list[Contender], name: str | None) -> list[Contender]:
    return sorted(contenders, key=lambda each: each.name != name) if name else contenders


def _contenders(table: Table, by: By, right: Right, pass_at: float) -> list[Contender]:
    column = table.judge if by == "judge" else table.columns.get("system")
    if column is None:
        raise InputError("the table has no column system")
    if by == "judge":
        key = table.key("system", "repeat", "order")
    else:
        # A label is the output's own, whoever judged it, and however often.
        key = _without_system(table, column).key(*(() if right == "label" else ("judge", "repeat", "order")))
    passes: dict[str, BoolArray] = {"score": table.score >= pass_at, "label": table.label >= pass_at}
    is_right: BoolArray = passes["score"] == passes["label"] if right == "agrees" else passes[right]
    needed = {"agrees": (table.score, table.label), "score": (table.score,), "label": (table.label,)}[right]
    usable = np.isfinite(np.stack(needed)).all(axis=0)
    result: list[Contender] = []
    for name, rows in column.present():
        mine = np.flatnonzero(rows & usable)
        keys, first = np.unique(key[mine], return_index=True)
        if len(keys) < len(mine) and not (by == "system" and right == "label"):
            raise InputError(
                f"{by} {name!r} has several rows for one item; name the repeats in the column repeat"
            )
        mine = mine[first]
        if len(mine):
            judged, cluster, item = is_right[mine], table.cluster[mine], table.item.codes[mine]
            result.append(Contender(name, keys, table.label[mine], table.score[mine], judged, cluster, item))
    return result


def _without_system(table: Table, system: Column) -> Table:
    """The same table with items that do not name the system, as ``case|system|trial`` does, so that they can meet."""
    names: dict[str, int] = {}
    codes: list[int] = []
    items: list[int] = table.item.codes.tolist()
    systems: list[int] = system.codes.tolist()
    for item, code in zip(items, systems, strict=True):
        name = _anonymous(table.item.values[item], system.values[code] if code >= 0 else None)
        codes.append(names.setdefault(name, len(names)))
    item = Column(list(names), np.array(codes, dtype=np.int64))
    return Table(item, table.judge, table.score, table.label, table.cluster, table.columns)


def _anonymous(item: str, system: str | None) -> str:
    return "|".join("*" if part == system else part for part in item.split("|"))


def _pair(first: Contender, second: Contender, terms: _Terms) -> dict[str, Any]:
    _, mine, theirs = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    right_a, right_b = first.right[mine], second.right[theirs]
    a_only, b_only = right_a & ~right_b, right_b & ~right_a
    test = mcnemar(int(a_only.sum()), int(b_only.sum()))
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
        "both_right": int((right_a & right_b).sum()),
        "a_only_right": int(a_only.sum()),
        "b_only_right": int(b_only.sum()),
        "both_wrong": int((~right_a & ~right_b).sum()),
        "exact_p": test.exact_p,
        "midp": test.midp,
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
    return float(2 * stats.t.sf(abs(difference) / error, sample.n_clusters - 1)) if error > 0 else None


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
