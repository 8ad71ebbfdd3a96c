"""What verdicts cost: calls, tokens and money of a judge, to stand beside what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..arrays import BoolArray
from ..tables.table import AMOUNTS, Table
from .results import Costs

CostOf: TypeAlias = Callable[[str, float, float], float | None]
"""From a model's name (empty where it is not known), prompt and completion tokens to US dollars; None where its prices are not known."""


def costs(table: Table, rows: BoolArray, cost_of: CostOf | None = None) -> Costs | None:
    """Total the amounts of some rows.

    Tokens of a reply that came from a cache count too: this is what the judge costs, not what was paid today.

    Args:
        table: Where the rows are from.
        rows: Which rows, shape ``(n,)``.
        cost_of: Prices, for rows that have tokens but no cost of their own.

    Returns:
        The totals; None when nothing is known of any row.
    """
    mine = table.take(rows)
    given = {name: numbers for name, numbers in mine.numbers.items() if name in AMOUNTS}
    known = np.zeros(len(mine), dtype=np.bool_)
    for numbers in given.values():
        known |= np.isfinite(numbers)
    count = int(known.sum())
    if not count:
        return None
    mine = mine.take(known)
    calls, prompt, completion, cost = (_total(mine, name) for name in AMOUNTS)
    if cost is None and cost_of is not None:
        cost = _priced(mine, cost_of)
    return Costs(
        verdicts=count,
        calls=calls,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=cost,
        tokens_per_verdict=None if prompt is None or completion is None else (prompt + completion) / count,
        cost_per_verdict=None if cost is None else cost / count,
    )


def _total(table: Table, name: str) -> float | None:
    numbers = table.numbers.get(name)
    return None if numbers is None or not np.isfinite(numbers).all() else float(numbers.sum())


def _priced(table: Table, cost_of: CostOf) -> float | None:
    """The cost of all rows at the prices of their judges; None when one of them is not known."""
    cost = 0.0
    for judge, rows in table.judge.present():
        prompt, completion = (
            _total(table.take(rows), name) for name in ("prompt_tokens", "completion_tokens")
        )
        price = (
            None
            if prompt is None or completion is None
            else cost_of(table.model_of(judge), prompt, completion)
        )
        if price is None:
            return None
        cost += price
    return cost
