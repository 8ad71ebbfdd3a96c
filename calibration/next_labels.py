"""Which items to label next: any, at random; or, more often, those of which the judge is in doubt."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from .active_labels import draw_probabilities
from .table import Table


def next_to_label(table: Table, count: int, *, seed: int = 0) -> list[str]:
    """A simple random sample of the items without a label, which keeps every estimate valid.

    Args:
        table: Scores, and labels where there are.
        count: How many.
        seed: The same seed gives the same items.

    Returns:
        Item ids, in random order: labelling may stop at any of them.
    """
    known = np.zeros(len(table.item.values), dtype=bool)
    known[table.item.codes[np.isfinite(table.label)]] = True
    present = np.unique(table.item.codes)
    drawn = np.random.default_rng(seed).permutation(present[~known[present]])[:count]
    return [table.item.values[item] for item in drawn.tolist()]


def next_by_doubt(table: Table, count: int, *, seed: int = 0) -> dict[str, float]:
    """Items drawn more often where labels are in doubt, each with the chance that it had.

    Every item is drawn or not by itself, so their number varies around ``count``. All of those drawn must be labelled,
    and the estimate must know the chances: `estimate` with the column ``label_probability``.

    Args:
        table: One judge's rows.
        count: About how many.
        seed: The same seed gives the same items.

    Returns:
        Item id to its chance, in random order.

    Raises:
        InputError: The table has several judges, or no item is judged and not labelled.
    """
    judges = [name for name, _ in table.judge.present()]
    if len(judges) > 1:
        raise InputError(f"the table has {len(judges)} judges ({', '.join(judges)}); name one with --judge")
    items = table.take(np.isfinite(table.score)).each_item_once()
    if not np.isnan(items.label).any():
        raise InputError("no item is judged and not labelled, so there is nothing to draw from")
    chance = draw_probabilities(items.score, items.label, count)
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(np.flatnonzero(rng.random(len(chance)) < chance))
    return {items.item.values[items.item.codes[row]]: float(chance[row]) for row in drawn.tolist()}
