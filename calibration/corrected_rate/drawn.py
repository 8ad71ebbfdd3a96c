"""Labels of items drawn with known chances, and conditions for estimates from them."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, IntArray
from ..tables.calibration_table import PROBABILITY, ROUND, LabelDraw, Table
from .stratified import StratifiedItems

_SAME_CHANCE = 1e-9
"""Chances that differ by less are equal up to rounding."""


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
    """Return why nothing can be estimated yet, or None if each drawn item has a label."""
    pending = int((was_drawn(table) & np.isnan(table.label)).sum())
    if not pending:
        return None
    return f"{pending:,} of the items drawn have no label yet; without them the estimate would be biased"


def require_random_draw(table: Table) -> None:
    """Require draw files that belong to the labels.

    In each round every item must have had a known chance to be drawn, or a label from before. Otherwise the
    labels do not represent all items.

    Args:
        table: The rows of one judge, with all labels.

    Raises:
        InputError: Some items had no chance in a round, or were labelled outside the rounds though they had one.
    """
    for number, draw in enumerate(table.draws, start=1):
        if draw.drawn_from is None:
            continue
        rows = table.take(np.isfinite(table.score)) if draw.has_chances else table
        no_chance = _without_chance(rows, draw, number)
        items = f"{abs(no_chance):,} item{'' if abs(no_chance) == 1 else 's'}"
        if no_chance > 0:
            raise InputError(
                f"{items} had no chance in this draw; pass the earlier labels and draws", path=draw.name
            )
        if no_chance < 0:
            raise InputError(
                f"{items} had a chance in this draw and were labelled outside it; pass the draws of all rounds, and no other labels",
                path=draw.name,
            )


def _without_chance(table: Table, draw: LabelDraw, number: int) -> int:
    """Count the items that had neither a chance in a round nor an earlier label.

    The number is negative if items that had a chance were labelled outside the rounds. If some drawn items are
    missing, the table is a part of the items, so that a negative number means nothing and 0 is returned.
    """
    drawn_in = np.nan_to_num(table.numbers[ROUND], nan=0.0)
    outside = np.isfinite(table.label) & (drawn_in == 0)
    earlier = outside | ((drawn_in > 0) & (drawn_in < number))
    n_items, n_earlier = (len(np.unique(table.item.codes[rows])) for rows in (slice(None), earlier))
    no_chance = n_items - n_earlier - (draw.drawn_from or 0)
    is_part = len(np.unique(table.item.codes[drawn_in == number])) < draw.drawn
    return max(0, no_chance) if is_part or not outside.any() else no_chance


def unequal_chances(table: Table, items: StratifiedItems) -> str | None:
    """Return why labels are not a random sample of their stratum, or None if they are."""
    chance = table.numbers.get(PROBABILITY)
    if chance is None:
        return None
    judged = np.isfinite(table.score)
    chance, drawn_in = chance[judged], round_of(table)[judged]
    for number, name in enumerate(items.names):
        in_stratum = items.stratum == number
        rounds = np.unique(drawn_in[drawn_in > 0])
        round_chances = [chance[in_stratum & (drawn_in == round_number)] for round_number in rounds]
        if any(len(chances) and np.ptp(chances) > _SAME_CHANCE for chances in round_chances):
            return (
                f"the labels of stratum {name!r} were drawn with unequal chances, "
                "so they are not a random sample of it"
            )
    return None
