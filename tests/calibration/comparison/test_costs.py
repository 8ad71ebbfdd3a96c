"""Cost beside quality: totals of what a table says, and prices for tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiducial.calibration import Table, compare, table_from_rows
from fiducial.calibration.comparison.costs import costs
from fiducial.calibration.comparison.results import Costs

TOKENS = {"calls": 1, "prompt_tokens": 100, "completion_tokens": 10}


def table_of(*amounts: dict[str, Any], judge: str = "j") -> Table:
    return table_from_rows(
        [
            {"item_id": str(number), "judge": judge, "score": 1, "label": 1} | each
            for number, each in enumerate(amounts)
        ]
    )


def costs_of(table: Table, **options: Any) -> Costs | None:
    return costs(table, np.ones(len(table), dtype=np.bool_), **options)


def test_amounts_are_totalled_and_given_per_verdict() -> None:
    found = costs_of(table_of(TOKENS, TOKENS | {"prompt_tokens": 300}))
    assert found is not None
    assert (found.verdicts, found.calls, found.prompt_tokens) == (2, 2, 400)
    assert found.tokens_per_verdict == 210
    assert found.cost is None


def test_rows_of_which_nothing_is_known_do_not_count() -> None:
    found = costs_of(table_of(TOKENS, {}))
    assert found is not None
    assert (found.verdicts, found.tokens_per_verdict) == (1, 110)


def test_a_total_that_is_known_of_some_rows_only_is_not_given() -> None:
    found = costs_of(table_of(TOKENS | {"cost": 0.5}, TOKENS))
    assert found is not None
    assert (found.cost, found.cost_per_verdict, found.calls) == (None, None, 2)


def test_a_table_without_amounts_has_no_costs() -> None:
    assert costs_of(table_of({}, {})) is None


def test_tokens_are_priced_where_the_table_has_no_costs() -> None:
    def cost_of(model: str, prompt: float, completion: float) -> float | None:
        return (prompt + 2 * completion) / 1_000 if model == "m" else None

    named, unknown = (costs_of(table_of(TOKENS, judge=judge), cost_of=cost_of) for judge in ("j@m", "k@n"))
    found = costs_of(table_of(TOKENS | {"model": "m"}, judge="any name"), cost_of=cost_of)
    assert found == named
    assert found is not None
    assert unknown is not None
    assert found.cost == pytest.approx(0.12)
    assert unknown.cost is None
    given = costs_of(table_of(TOKENS | {"cost": 7}), cost_of=cost_of)
    assert given is not None
    assert given.cost == 7


def test_a_comparison_has_them_beside_the_share_right() -> None:
    rows = [
        {"item_id": str(number), "judge": judge, "score": number % 2, "label": 1, "cost": cost}
        for judge, cost in (("dear", 0.02), ("cheap", 0.01))
        for number in range(10)
    ]
    contenders = compare(table_from_rows(rows)).contenders
    assert {
        name: each.costs and each.costs.cost_per_verdict for name, each in contenders.items()
    } == pytest.approx({"dear": 0.02, "cheap": 0.01})
    assert contenders["dear"].share_right.value == 0.5
