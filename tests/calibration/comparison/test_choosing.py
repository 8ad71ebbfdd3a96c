"""The best of many on items that did not choose it, and what judges cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiducial.calibration import Table, compare, table_from_rows
from fiducial.calibration.comparison.choosing import best_of_many, costs
from fiducial.calibration.comparison.comparison_results import Costs
from fiducial.calibration.intervals.closed_forms import wilson_interval


def test_the_winner_of_equals_owes_its_lead_to_luck() -> None:
    rng = np.random.default_rng(3)
    choices = [best_of_many(rng.random((20, 200)) < 0.7, np.arange(200)) for _ in range(60)]
    assert np.mean([each.apparent.value or 0.0 for each in choices]) > 0.74
    assert np.mean([each.held_out.value or 0.0 for each in choices]) == pytest.approx(0.7, abs=0.015)
    ends = [(choice.apparent.low or 0.0, choice.apparent.high or 0.0) for choice in choices]
    assert sum(low <= 0.7 <= high for low, high in ends) >= 57


def test_the_interval_of_the_best_is_as_wide_as_its_competitors_are_many() -> None:
    right = np.random.default_rng(4).random((8, 200)) < 0.7
    right[0] = np.arange(200) < 160
    few, many = (best_of_many(right[:count], np.arange(200)).apparent for count in (1, 8))
    assert (few.low, few.high) == pytest.approx(wilson_interval(0.8, 200))
    assert (many.low, many.high) == pytest.approx(wilson_interval(0.8, 200, 1 - 0.05 / 8))
    assert (many.level, many.method) == (0.95, "Wilson, for the best of 8 contenders")


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
