"""Labels of items drawn with known chances, and conditions for estimates from them."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, IntArray
from ..tables.calibration_table import PROBABILITY, ROUND, Table
from .stratified import StratifiedItems

_SAME_CHANCE = 1e-9
"""Largest difference of equal chances, by rounding."""


def was_drawn(table: Table) -> BoolArray:
    """Return a mask of rows whose items were drawn with known chances, shape ``(n,)``."""
    probability = table.numbers.get(PROBABILITY)
    return np.zeros(len(table), dtype=np.bool_) if probability is None else np.isfinite(probability)


def round_of(table: Table) -> IntArray:
    """Return the round in which each row's item was drawn, shape ``(n,)``; 0 where it was not."""
    drawn = was_drawn(table)
    number = table.numbers.get(ROUND, np.ones(len(table)))
    return np.where(drawn, np.nan_to_num(number, nan=1.0), 0.0).astype(np.int64)


def pending_labels(table: Table) -> str | None:
    """Return why nothing can be estimated yet; None if each drawn item has a label."""
    pending = int((was_drawn(table) & np.isnan(table.label)).sum())
    if not pending:
        return None
    return f"{pending:,} of the items drawn have no label yet; without them the estimate would be biased"


def unequal_chances(table: Table, items: StratifiedItems) -> str | None:
    """Return why labels are not a random sample of their stratum; None if they are."""
    chance = table.numbers.get(PROBABILITY)
    if chance is None:
        return None
    judged = np.isfinite(table.score)
    chance, drawn_in = chance[judged], round_of(table)[judged]
    for number, name in enumerate(items.names):
        in_stratum = items.stratum == number
        rounds = [chance[in_stratum & (drawn_in == each)] for each in np.unique(drawn_in[drawn_in > 0])]
        if any(len(each) and np.ptp(each) > _SAME_CHANCE for each in rounds):
            return (
                f"the labels of stratum {name!r} were drawn with unequal chances, "
                "so they are not a random sample of it"
            )
    return None
