"""What verdicts cost: calls, tokens and money of a judge, to stand beside what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..arrays import BoolArray
from .table import AMOUNTS, Table

CostOf: TypeAlias = Callable[[str, float, float], float | None]
"""From a judge's name, prompt tokens and completion tokens to US dollars; None where its prices are not known."""


def costs(table: Table, rows: BoolArray, cost_of: CostOf | None = None) -> dict[str, Any] | None:
    """Total the amounts of some rows.

    Tokens of a reply that came from a cache count too: this is what the judge costs, not what was paid today.

    Args:
        table: Where the rows are from.
        rows: Which rows, shape ``(n,)``.
        cost_of: Prices, for rows that have tokens but no cost of their own.

    Returns:
        ``verdicts`` (rows whose amounts are known), ``calls``, ``prompt_tokens``, ``completion_tokens``, ``cost`` (in US
        dollars) and ``tokens_per_verdict``, ``cost_per_verdict``, each None where it is not known of every such row;
        None when nothing is known of any row.
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
    totals = {name: _total(mine, name) for name in AMOUNTS}
    if totals["cost"] is None and cost_of is not None:
        totals["cost"] = _priced(mine, cost_of)
    prompt, completion, cost = totals["prompt_tokens"], totals["completion_tokens"], totals["cost"]
    tokens = None if prompt is None or completion is None else (prompt + completion) / count
    per_verdict = None if cost is None else cost / count
    return {"verdicts": count, **totals, "tokens_per_verdict": tokens, "cost_per_verdict": per_verdict}


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
        price = None if prompt is None or completion is None else cost_of(judge, prompt, completion)
        if price is None:
            return None
        cost += price
    return cost
