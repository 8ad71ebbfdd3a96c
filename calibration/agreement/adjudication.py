"""Judges by adjudicated labels: as labelled, as decided, the bounds of what cannot be decided, and corrected for what nobody looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray, numbered, ratio
from ..decisions import Decision, Decisions, Found, drawn_rank, settled
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings, measure
from ..sample import Sample, make_sample
from ..statistic import Statistic, undefined
from ..statistics.estimator import ESTIMATORS
from ..tables.table import Table
from .adjudicated import AdjudicatedJudge, Adjudication, Adjudicators, LabelErrors, LookedAt
from .baselines import reliability
from .judge_panel import usable_rows
from .label_audit import rate_statistic, resampled_tables, true_rates

SHOWN = ("accuracy", "true_positive_rate", "true_negative_rate", "balanced_accuracy", "cohen_kappa")
"""What is estimated in each way. All but kappa are lowest, and highest, where all that is undecidable is against, and for, the judge;
so is kappa of a judge that is better than chance."""

_Rates: TypeAlias = Callable[[FloatArray, FloatArray], dict[str, FloatArray]]
"""Maps how much is right, and how much wrong, of each label and verdict, shape ``(..., 2, 2)``, to rates by name."""

ALL = "all"
"""Name of the whole among categories."""

_WRONG, _RIGHT, _UNDECIDABLE, _UNSEEN = range(4)
_CODES: dict[Found, int] = {"wrong": _WRONG, "right": _RIGHT, "undecidable": _UNDECIDABLE}
_CELLS = (("that label and judge fail", "that only the judge passes"), ("that only the label passes", "that label and judge pass"))  # fmt: skip
_NO_CLASS = "nothing is found right, or nothing wrong"


def adjudicate(table: Table, decisions: Decisions, settings: Settings) -> Adjudication:
    """Hold judges against labels that decisions have corrected.

    Args:
        table: Labels and scores.
        decisions: Of disagreements, all or a random part of them, and of a random sample of agreements.
        settings: How intervals are made.

    Returns:
        What changes.
    """
    known = set(table.item.values)
    mine = {item: said for item, said in decisions.by_item.items() if item in known}
    category = _categories(table, decisions.categories)
    judges = {judge: _rows_of(table.take(rows), mine, category) for judge, rows in table.judge.present()}
    faults = Counter(each.fault for said in mine.values() for each in said if each.fault)
    return Adjudication(
        by=_adjudicators(table, mine, settings),
        faults=dict(faults.most_common()),
        judges={judge: _judge(rows, settings) for judge, rows in judges.items()},
        elsewhere=len(decisions.by_item) - len(mine),
    )


class _Rows(NamedTuple):
    """The rows of a judge that have label and score, each array of shape ``(n,)``.

    Attributes:
        label: Whether the label passes.
        verdict: Whether the judge does.
        decided: What was decided, by code.
        drawn: Whether it belongs to the random part of its label and verdict that was looked at.
        weight: One over how often its item was judged.
        cluster: Its number.
        category: Its category; empty where that is not known.
    """

    label: BoolArray
    verdict: BoolArray
    decided: IntArray
    drawn: BoolArray
    weight: FloatArray
    cluster: IntArray
    category: npt.NDArray[np.str_]

    def take(self, name: str) -> _Rows:
        """Those of one category; all of them by that name."""
        if name == ALL:
            return self
        part = self.category == name
        return _Rows(
            label=self.label[part],
            verdict=self.verdict[part],
            decided=self.decided[part],
            drawn=self.drawn[part],
            weight=self.weight[part],
            cluster=self.cluster[part],
            category=self.category[part],
        )

    @property
    def truth(self) -> BoolArray:
        """The labels as decisions have corrected them."""
        return np.where(self.decided < _UNDECIDABLE, self.decided == _RIGHT, self.label)

    @property
    def undecidable(self) -> BoolArray:
        """Whether somebody looked, and it cannot be decided."""
        return self.decided == _UNDECIDABLE

    @property
    def sample(self) -> Sample:
        """As they are labelled."""
        return _sample(self.label, self.verdict, self.cluster)

    @property
    def looked_at(self) -> FloatArray:
        """What was found in the random parts, by label, verdict and code, shape ``(2, 2, 3)``."""
        place = 3 * (2 * self.label + self.verdict.astype(np.int64)) + self.decided
        counts = np.bincount(place[self.drawn], weights=self.weight[self.drawn], minlength=12)
        return counts.astype(np.float64).reshape(2, 2, 3)


def _rows_of(table: Table, decisions: Mapping[str, Sequence[Decision]], category: Mapping[str, str]) -> _Rows:
    rows = usable_rows(table)
    codes: list[int] = rows.item.codes.tolist()
    items = [rows.item.values[code] for code in codes]
    found = {item: _CODES[settled(said)] for item, said in decisions.items()}
    decided = np.array([found.get(item, _UNSEEN) for item in items], dtype=np.int64)
    orders = sorted({each.seed for said in decisions.values() for each in said})
    times = np.bincount(rows.item.codes, minlength=len(rows.item.values))
    drawn = np.zeros(len(items), dtype=np.bool_)
    for cell in ((label, verdict) for label in (False, True) for verdict in (False, True)):
        of_cell = np.flatnonzero((rows.right == cell[0]) & (rows.passed == cell[1]))
        drawn[_random_part(of_cell, items, decided, orders)] = True
    return _Rows(
        label=rows.right,
        verdict=rows.passed,
        decided=decided,
        drawn=drawn,
        weight=1 / times[rows.item.codes],
        cluster=rows.cluster,
        category=np.array([category.get(item, "") for item in items], dtype=np.str_),
    )


def _random_part(
    of_cell: IntArray, items: Sequence[str], decided: IntArray, orders: Sequence[int]
) -> IntArray:
    """The rows up to the first that nobody looked at, in the random order in which they are drawn: a random sample of their label and verdict.

    Whatever else was looked at (another judge's disagreements, say) was chosen, and would not stand for the rest. All rows are their own sample.
    """
    seen = decided[of_cell] != _UNSEEN
    if seen.all() or not seen.any():
        return of_cell[seen]
    parts: list[IntArray] = []
    places: list[int] = of_cell.tolist()
    mine = [items[place] for place in places]
    for seed in orders:
        order = sorted(range(len(mine)), key=lambda place: drawn_rank(mine[place], seed))
        unseen = np.flatnonzero(~seen[order])
        parts.append(of_cell[order[: int(unseen[0])]])
    return max(parts, key=len)


def _judge(rows: _Rows, settings: Settings) -> AdjudicatedJudge:
    label, verdict, truth, open_ = rows.label, rows.verdict, rows.truth, rows.undecidable
    every = np.ones(len(label), dtype=np.bool_)

    def by(labels: BoolArray, kept: BoolArray = every) -> dict[str, Statistic]:
        sample = _sample(labels[kept], verdict[kept], rows.cluster[kept])
        return measure([ESTIMATORS[name] for name in SHOWN], sample, settings)

    return AdjudicatedJudge(
        disagreements=_looked_at(rows, label != verdict),
        agreements=_looked_at(rows, label == verdict),
        as_labelled=by(label),
        adjudicated=by(truth, ~open_),
        lowest=by(np.where(open_, ~verdict, truth)),
        highest=by(np.where(open_, verdict, truth)),
        corrected=_corrected(rows, settings),
        label_errors={
            name: _label_errors(rows.take(name), settings)
            for name in (ALL, *(each for each in np.unique(rows.category).tolist() if each))
        },
    )


def _sample(label: BoolArray, verdict: BoolArray, cluster: IntArray) -> Sample:
    return make_sample(label.astype(np.float64), verdict.astype(np.float64), cluster)


def _looked_at(rows: _Rows, part: BoolArray) -> LookedAt:
    known = part & (rows.decided < _UNDECIDABLE)
    right = known & (rows.truth == rows.verdict)
    return LookedAt(
        rows=int(part.sum()),
        judge_right=int(right.sum()),
        judge_wrong=int((known & ~right).sum()),
        undecidable=int((part & rows.undecidable).sum()),
    )


def _corrected(rows: _Rows, settings: Settings) -> dict[str, Statistic]:
    """A judge's rates, and the labels', of all that can be decided, by double sampling within label and verdict."""

    def rates(of_right: FloatArray, of_wrong: FloatArray) -> dict[str, FloatArray]:
        prevalence, positive, negative = true_rates(of_right, of_wrong)
        _, sensitivity, specificity = true_rates(of_right.swapaxes(-1, -2), of_wrong.swapaxes(-1, -2))
        agree = of_right[..., :, 1].sum(axis=-1) + of_wrong[..., :, 0].sum(axis=-1)
        return {
            "accuracy": ratio(agree, (of_right + of_wrong).sum(axis=(-2, -1))),
            "prevalence": prevalence,
            "true_positive_rate": positive,
            "true_negative_rate": negative,
            "label_sensitivity": sensitivity,
            "label_specificity": specificity,
        }

    return _doubly_sampled(rows, rates, settings)


def _label_errors(rows: _Rows, settings: Settings) -> LabelErrors:
    def rates(of_right: FloatArray, of_wrong: FloatArray) -> dict[str, FloatArray]:
        wrong = of_right[..., 0, :].sum(axis=-1) + of_wrong[..., 1, :].sum(axis=-1)
        return {"errors": ratio(wrong, (of_right + of_wrong).sum(axis=(-2, -1)))}

    found = (rows.truth != rows.label).astype(np.float64)
    return LabelErrors(
        found=share_of(found, numbered(rows.cluster)[1], level=settings.level),
        undecidable=int(rows.undecidable.sum()),
        corrected=_doubly_sampled(rows, rates, settings)["errors"],
    )


def _doubly_sampled(rows: _Rows, rates: _Rates, settings: Settings) -> dict[str, Statistic]:
    """Rates by how often label and verdict are what, from all rows, and how often each such pair is right, from those looked at at random.

    What cannot be decided is left out, of the rows that nobody looked at as often as of the others. Intervals as in `doubly_sampled` of label
    audits: a bootstrap of the rows over clusters, with draws of the shares (Jeffreys' prior).
    """
    sample, looked_at = rows.sample, rows.looked_at
    table = sample.cells.tables(sample.counts) if sample.n else np.zeros((2, 2))
    names = list(rates(table, table))
    why = _unknown(table, looked_at)
    if why is not None:
        return dict.fromkeys(names, undefined(why, n=sample.n, level=settings.level))
    total = looked_at.sum(axis=-1, keepdims=True)
    shares = looked_at / np.where(total > 0, total, 1.0)
    rng = np.random.default_rng(settings.seed)
    tables = resampled_tables(sample, settings, rng)
    gammas = rng.standard_gamma(looked_at + 0.5, size=(len(tables), 2, 2, 3))
    drawn = gammas / gammas.sum(axis=-1, keepdims=True)
    values = rates(table * shares[..., _RIGHT], table * shares[..., _WRONG])
    draws = rates(tables * drawn[..., _RIGHT], tables * drawn[..., _WRONG])
    return {
        name: rate_statistic(float(values[name]), draws[name], sample.n, settings.level, _NO_CLASS)
        for name in names
    }


def _unknown(table: FloatArray, looked_at: FloatArray) -> str | None:
    """Which outputs nobody looked at in a random sample; None where there are none such."""
    if not table.sum():
        return "no row has both a label and a score"
    left = (table > 0) & (looked_at[..., :_UNDECIDABLE].sum(axis=-1) == 0)
    cells = [
        f"the {table[cell]:,.0f} {_CELLS[cell[0]][cell[1]]}" for cell in zip(*np.nonzero(left), strict=True)
    ]
    return f"nobody decided a random sample of {' or of '.join(cells)}" if cells else None


def _categories(table: Table, known: Mapping[str, str]) -> Mapping[str, str]:
    """The category of each item: what is known of it, or its value in a column of that name."""
    column = table.columns.get("category")
    if known or column is None:
        return known
    codes: zip[tuple[int, int]] = zip(table.item.codes.tolist(), column.codes.tolist(), strict=True)
    return {table.item.values[item]: column.values[code] for item, code in codes if code >= 0}


def _adjudicators(
    table: Table, decisions: Mapping[str, Sequence[Decision]], settings: Settings
) -> Adjudicators:
    several = {item: said for item, said in decisions.items() if len(said) > 1}
    each = [decision for said in decisions.values() for decision in said]
    alike, alpha = _agreement(table, several, settings) if several else (None, None)
    return Adjudicators(
        people=dict(Counter(decision.by for decision in each if decision.human)),
        models=dict(Counter(decision.by for decision in each if not decision.human)),
        items=len(decisions),
        twice=len(several),
        alike=alike,
        krippendorff_alpha=alpha,
        contested=sum(
            2 * max(Counter(decision.found for decision in said).values()) <= len(said)
            for said in several.values()
        ),
    )


def _agreement(
    table: Table, several: Mapping[str, Sequence[Decision]], settings: Settings
) -> tuple[Statistic, Statistic]:
    """How far those who decided the same items agree: share of pairs that are alike, and Krippendorff's alpha."""
    clusters: dict[int, int] = dict(zip(table.item.codes.tolist(), table.cluster.tolist(), strict=True))
    of_item = {item: clusters[code] for code, item in enumerate(table.item.values) if item in several}
    names = sorted({decision.by for said in several.values() for decision in said})
    ratings = np.full((len(names), len(several)), np.nan)
    same: list[tuple[bool, int]] = []
    for place, (item, said) in enumerate(several.items()):
        for decision in said:
            ratings[names.index(decision.by), place] = _CODES[decision.found]
        same += [(a.found == b.found, of_item[item]) for a, b in combinations(said, 2)]
    alike, cluster = (np.array(column) for column in zip(*same, strict=True))
    of_ratings = np.array([of_item[item] for item in several], dtype=np.int64)
    return (
        share_of(alike.astype(np.float64), numbered(cluster)[1], level=settings.level),
        reliability(ratings, "nominal", cluster=of_ratings, settings=settings),
    )
