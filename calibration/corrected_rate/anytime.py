"""Rate of one judge's rows by a confidence sequence: an interval that holds at every look.

The formulas are in `betting_intervals`; this module checks their conditions, and says why there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...errors import UsageError
from ...spelling import flag, setting, spelled_word
from ..arrays import clusters_in
from ..case_weights import weights_of
from ..label_declarations import LabelDeclaration
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import ROUND, Table
from .betting_intervals import LabelSequence, interval_of_population, interval_of_these
from .chosen_labels import CHOICE_ALARM
from .drawn import was_drawn
from .estimation_results import AnytimeBasis, Target
from .label_order import OrderedLabels, ordered_labels
from .strata import STRATUM


def anytime_basis(table: Table) -> AnytimeBasis:
    """Return what a confidence sequence of these rows rests on."""
    labels = ordered_labels(table)
    return AnytimeBasis(
        order=labels.source,
        rounds=labels.rounds,
        outputs=len(table),
        clusters=clusters_in(table.cluster),
    )


def require_ordered_design(chosen_by: LabelDeclaration | None, options: Mapping[str, object]) -> None:
    """Require a simple random sample and no option that a confidence sequence does not support.

    Raises:
        UsageError: Labels were not chosen at random, or an option asks for another estimate.
    """
    if chosen_by in {"score", "label", "elsewhere"}:
        other = spelled_word("labels_chosen_by", chosen_by)
        raise UsageError(f"{flag('anytime')} needs a random sample of labels, not {other}")
    for name, value in options.items():
        if value:
            raise UsageError(f"{flag('anytime')} has no form with {setting(name)}: drop one of them")


def anytime_rate(
    table: Table, target: Target, level: float = 0.95, *, why_not: str | None = None
) -> Statistic:
    """Estimate the mean label with an interval that holds at every look.

    Outputs without a score are included, with the judge's mean score.

    Args:
        table: One judge's rows.
        target: The population, or just these items.
        level: Coverage of all looks together.
        why_not: Why the labels are not a random sample, or None if they may be one.
    """
    labels = ordered_labels(table)
    n = len(labels.rows)
    why_not = why_not or _why_undefined(table, labels, target)
    if why_not is not None:
        return undefined(why_not, n=n, level=level)
    judged = np.isfinite(table.score)
    # Any value fixed before the labels is valid for an ungraded output: scores affect only the width.
    mean_score = float(table.score[judged].mean()) if judged.any() else 0.0
    scores = np.where(judged, table.score, mean_score)
    sequence = LabelSequence(table.label[labels.rows], scores[labels.rows], scores)
    if target == "finite":
        interval = interval_of_these(sequence, level)
    else:
        interval = interval_of_population(sequence, clusters_in(table.cluster), level)
    value = min(max(sequence.value, interval[0]), interval[1])
    return defined(value, interval, n=n, method="betting, any stopping rule", level=level)


def _why_undefined(table: Table, labels: OrderedLabels, target: Target) -> str | None:
    """Return why there is no confidence sequence, or None if there is one."""
    n = len(labels.rows)
    sizes = np.unique(table.cluster, return_counts=True)[1]
    # The first reason that applies is given. The calls return None where their reason does not apply.
    reasons: dict[str | None, bool] = {
        "no item has a label": not n,
        "labels were drawn with unequal chances; a confidence sequence needs a plain random sample": bool(
            was_drawn(table).any()
        ),
        "cases have unequal numbers of trials, which a confidence sequence does not weigh": weights_of(table)
        is not None,
        "labels are a random sample of each part, not of all: see each system's rate": STRATUM
        in table.columns
        and len(table.columns[STRATUM].present()) > 1,
        _why_only_graded_labelled(table, n): True,
        _why_round_incomplete(table): True,
        _why_order_unknown(): labels.source is None,
        f"clusters have unequal sizes; {spelled_word('target', 'finite')} gives the rate of just these items": (
            target != "finite" and len(np.unique(sizes)) > 1
        ),
    }
    return next((why for why, applies in reasons.items() if applies and why), None)


def _why_order_unknown() -> str:
    files = setting("labels")
    return (
        "it rests on the order in which labels came, which a column of labels does not tell: "
        f"add a column label_added (round 1, 2, ...), or give a file of {files} for each round"
    )


def _why_round_incomplete(table: Table) -> str | None:
    """Return a message if some drawn items have no label yet, or None if all have one."""
    if ROUND not in table.numbers:
        return None
    pending = int((np.isfinite(table.numbers[ROUND]) & np.isnan(table.label)).sum())
    return (
        f"{pending:,} of the items drawn have no label yet; a round counts when it is complete"
        if pending
        else None
    )


def _why_only_graded_labelled(table: Table, n: int) -> str | None:
    """Return a message if only graded outputs have labels and that is not by chance, or None."""
    ungraded = np.isnan(table.score)
    if not ungraded.any() or ungraded.all() or np.isfinite(table.label[ungraded]).any():
        return None
    # A random sample of n labels misses all ungraded outputs with chance (1 - share)^n.
    if n * math.log1p(-float(ungraded.mean())) > math.log(CHOICE_ALARM):
        return None
    count = int(ungraded.sum())
    return f"none of {count:,} ungraded outputs has a label, so labels are no random sample of all outputs"
