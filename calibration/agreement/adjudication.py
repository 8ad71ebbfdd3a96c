"""Judges against adjudicated labels.

There are statistics against the original and the adjudicated labels, bounds for undecidable items, and a
correction for items that were not reviewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from ..arrays import BoolArray, FloatArray, numbered, ratio
from ..decisions import Decision, Decisions
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings, measure
from ..statistic import Statistic, undefined
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import Table
from .adjudicated_rows import ALL, CODES, UNDECIDABLE, AdjudicatedRows, rows_of, sample_of
from .adjudication_results import AdjudicatedJudge, Adjudication, Adjudicators, LabelErrors, ReviewedRows
from .decider_errors import DeciderErrors, decided_counts, decided_shares, decider_errors
from .judge_panel import reliability
from .label_audit import rate_statistic, resampled_tables, true_rates

ADJUDICATED_STATISTICS = (
    "accuracy",
    "true_positive_rate",
    "true_negative_rate",
    "balanced_accuracy",
    "cohen_kappa",
)
"""Statistics against original and adjudicated labels.

All but kappa are lowest if all undecidable items count against the judge, and highest if all count for it. For
kappa that is so if the judge is better than chance.
"""

_Rates: TypeAlias = Callable[[FloatArray, FloatArray], dict[str, FloatArray]]
"""Function from right and wrong counts by label and verdict, both ``(..., 2, 2)``, to rates by name."""

_CELL_NAMES = (
    ("that label and judge fail", "that only the judge passes"),
    ("that only the label passes", "that label and judge pass"),
)
"""Names of rows by label and verdict, for messages."""

_NO_CLASS = "nothing is found right, or nothing wrong"


def adjudicate(table: Table, decisions: Decisions, settings: Settings) -> Adjudication:
    """Compare judges with labels that decisions have corrected."""
    judged_items = set(table.item.values)
    decisions_on_judged = {
        item: of_item for item, of_item in decisions.by_item.items() if item in judged_items
    }
    category = _categories(table, decisions.categories)
    judges = {
        judge: rows_of(table.take(rows), decisions_on_judged, category)
        for judge, rows in table.judge.present()
    }
    errors = decider_errors(decisions_on_judged.values())
    faults = Counter(
        decision.fault for of_item in decisions_on_judged.values() for decision in of_item if decision.fault
    )
    return Adjudication(
        by=_adjudicators(table, decisions_on_judged, errors, settings),
        faults=dict(faults.most_common()),
        judges={judge: _adjudicated_judge(rows, errors, settings) for judge, rows in judges.items()},
        elsewhere=len(decisions.by_item) - len(decisions_on_judged),
    )


def _adjudicated_judge(
    rows: AdjudicatedRows, errors: DeciderErrors | None, settings: Settings
) -> AdjudicatedJudge:
    label, verdict, truth, undecidable = rows.label, rows.verdict, rows.truth, rows.undecidable
    all_rows = np.ones(len(label), dtype=np.bool_)
    categories = [name for name in np.unique(rows.category).tolist() if name]

    def statistics_against(labels: BoolArray, included: BoolArray = all_rows) -> dict[str, Statistic]:
        sample = sample_of(labels[included], verdict[included], rows.cluster[included])
        return measure([ESTIMATORS[name] for name in ADJUDICATED_STATISTICS], sample, settings)

    return AdjudicatedJudge(
        disagreements=_reviewed_rows(rows, label != verdict),
        agreements=_reviewed_rows(rows, label == verdict),
        as_labelled=statistics_against(label),
        adjudicated=statistics_against(truth, ~undecidable),
        lowest=statistics_against(np.where(undecidable, ~verdict, truth)),
        highest=statistics_against(np.where(undecidable, verdict, truth)),
        corrected=_corrected(rows, errors, settings),
        label_errors={name: _label_errors(rows.take(name), errors, settings) for name in (ALL, *categories)},
    )


def _reviewed_rows(rows: AdjudicatedRows, part: BoolArray) -> ReviewedRows:
    """Count the decisions on a part of the rows."""
    decidable = part & (rows.decided < UNDECIDABLE)
    right = decidable & (rows.truth == rows.verdict)
    return ReviewedRows(
        rows=int(part.sum()),
        judge_right=int(right.sum()),
        judge_wrong=int((decidable & ~right).sum()),
        undecidable=int((part & rows.undecidable).sum()),
    )


def _corrected(
    rows: AdjudicatedRows, errors: DeciderErrors | None, settings: Settings
) -> dict[str, Statistic]:
    """Return the rates of a judge and of the labels for decidable items, by double sampling."""

    def rates(of_right: FloatArray, of_wrong: FloatArray) -> dict[str, FloatArray]:
        prevalence, positive, negative = true_rates(of_right, of_wrong)
        # With label and verdict swapped, the same formula gives the rates of the labels.
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

    return _doubly_sampled(rows, rates, errors, settings)


def _label_errors(rows: AdjudicatedRows, errors: DeciderErrors | None, settings: Settings) -> LabelErrors:
    """Return the errors of the labels, as found and corrected for rows that were not reviewed."""

    def rates(of_right: FloatArray, of_wrong: FloatArray) -> dict[str, FloatArray]:
        wrong = of_right[..., 0, :].sum(axis=-1) + of_wrong[..., 1, :].sum(axis=-1)
        return {"errors": ratio(wrong, (of_right + of_wrong).sum(axis=(-2, -1)))}

    wrong_labels = (rows.truth != rows.label).astype(np.float64)
    return LabelErrors(
        found=share_of(wrong_labels, numbered(rows.cluster)[1], level=settings.level),
        undecidable=int(rows.undecidable.sum()),
        corrected=_doubly_sampled(rows, rates, errors, settings)["errors"],
    )


def _doubly_sampled(
    rows: AdjudicatedRows, rates: _Rates, errors: DeciderErrors | None, settings: Settings
) -> dict[str, Statistic]:
    """Estimate rates by double sampling.

    All rows give the frequency of each pair of label and verdict. The rows reviewed at random give the share of each
    pair that is right. Undecidable rows are left out, and the same share of the rows that were not reviewed.

    Intervals are a bootstrap of the rows over clusters with draws of the shares, as in `doubly_sampled` of label
    audits. Here the draws are from mid-P distributions: hardly any agreements are wrong, and a prior of half an
    error in each cell would suggest more.

    If two people decided enough of the same outputs, the shares are corrected for people's errors, which are
    drawn, too.
    """
    sample = rows.sample
    table = sample.cells.tables(sample.counts) if sample.n else np.zeros((2, 2))
    names = list(rates(table, table))
    why = _why_unknown(table, rows, errors)
    if why is not None:
        return dict.fromkeys(names, undefined(why, n=sample.n, level=settings.level))
    rng = np.random.default_rng(settings.seed)
    tables = resampled_tables(sample, settings, rng)
    shares = decided_shares(rows, errors, len(tables), rng)
    values = rates(table * shares.decidable * shares.right, table * shares.decidable * (1 - shares.right))
    resampled = tables * shares.decidable_draws
    draws = rates(resampled * shares.right_draws, resampled * (1 - shares.right_draws))
    return {
        name: rate_statistic(float(values[name]), draws[name], sample.n, settings.level, _NO_CLASS)
        for name in names
    }


def _why_unknown(table: FloatArray, rows: AdjudicatedRows, errors: DeciderErrors | None) -> str | None:
    """Return which labels and verdicts lack a decided random sample, or None if all have one."""
    if not table.sum():
        return "no row has both a label and a score"
    decided = (
        rows.reviewed_counts[..., :UNDECIDABLE].sum(axis=-1)
        if errors is None
        else decided_counts(rows).decided
    )
    unsampled = (table > 0) & (decided == 0)
    cells = [
        f"the {table[cell]:,.0f} {_CELL_NAMES[cell[0]][cell[1]]}"
        for cell in zip(*np.nonzero(unsampled), strict=True)
    ]
    return f"nobody decided a random sample of {' or of '.join(cells)}" if cells else None


def _categories(table: Table, categories: Mapping[str, str]) -> Mapping[str, str]:
    """Return the category of each item: the given ones, or without any the column ``category``."""
    column = table.columns.get("category")
    if categories or column is None:
        return categories
    codes: zip[tuple[int, int]] = zip(table.item.codes.tolist(), column.codes.tolist(), strict=True)
    return {table.item.values[item]: column.values[code] for item, code in codes if code >= 0}


def _adjudicators(
    table: Table,
    decisions: Mapping[str, Sequence[Decision]],
    errors: DeciderErrors | None,
    settings: Settings,
) -> Adjudicators:
    decided_twice = {item: of_item for item, of_item in decisions.items() if len(of_item) > 1}
    all_decisions = [decision for of_item in decisions.values() for decision in of_item]
    alike, alpha = _agreement(table, decided_twice, settings) if decided_twice else (None, None)
    return Adjudicators(
        people=dict(Counter(decision.by for decision in all_decisions if decision.human)),
        models=dict(Counter(decision.by for decision in all_decisions if not decision.human)),
        items=len(decisions),
        twice=len(decided_twice),
        alike=alike,
        krippendorff_alpha=alpha,
        error=None if errors is None else errors.statistic(settings.level),
        contested=sum(_is_contested(of_item) for of_item in decided_twice.values()),
    )


def _is_contested(decisions: Sequence[Decision]) -> bool:
    counts = Counter(decision.found for decision in decisions)
    return 2 * max(counts.values()) <= len(decisions)


def _agreement(
    table: Table, decided_twice: Mapping[str, Sequence[Decision]], settings: Settings
) -> tuple[Statistic, Statistic]:
    """Return the share of pairs of adjudicators that agree, and Krippendorff's alpha."""
    clusters: dict[int, int] = dict(zip(table.item.codes.tolist(), table.cluster.tolist(), strict=True))
    cluster_of = {
        item: clusters[code] for code, item in enumerate(table.item.values) if item in decided_twice
    }
    names = sorted({decision.by for decisions in decided_twice.values() for decision in decisions})
    ratings = np.full((len(names), len(decided_twice)), np.nan)
    pairs: list[tuple[bool, int]] = []
    for unit, (item, decisions) in enumerate(decided_twice.items()):
        for decision in decisions:
            ratings[names.index(decision.by), unit] = CODES[decision.found]
        pairs += [(a.found == b.found, cluster_of[item]) for a, b in combinations(decisions, 2)]
    alike, pair_cluster = (np.array(column) for column in zip(*pairs, strict=True))
    item_cluster = np.array([cluster_of[item] for item in decided_twice], dtype=np.int64)
    return (
        share_of(alike.astype(np.float64), numbered(pair_cluster)[1], level=settings.level),
        reliability(ratings, "nominal", cluster=item_cluster, settings=settings),
    )
