from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from each_row import each_row
from scipy.special import ndtri

import fiducial as fd
from fiducial.calibration.comparison.difference import share_difference
from fiducial.calibration.comparison.margin import standing
from fiducial.errors import UsageError
from fiducial.report.document import as_lines
from fiducial.report.text.comparison_screen import comparison_screen


@each_row(
    ("low", "high", "concluded"),
    [
        (-0.01, 0.03, "not worse"),
        (-0.015, -0.001, "not worse"),
        (0.01, 0.05, "not worse"),
        (-0.02, 0.03, "cannot tell"),
        (-0.3, 0.3, "cannot tell"),
        (-0.06, -0.01, "worse"),
        (-0.06, 0.0, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_an_interval_of_the_difference_concludes(low: float | None, high: float | None, concluded: str):
    assert standing(low, high, 0.02) == concluded


def rows_of(wrong: dict[str, int], items: int = 400, **more: Any) -> list[dict[str, Any]]:
    """Return rows of judges that are wrong on their first so many items."""
    return [
        {"item_id": f"i{n}", "judge": judge, "score": float(n >= count), "label": 1.0, **more}
        for judge, count in wrong.items()
        for n in range(items)
    ]


def test_only_the_one_compared_with_another_is_concluded_on():
    pairs = fd.compare(rows_of({"old": 40, "new": 42, "bad": 90}), against="old", not_worse_by=0.03).pairs
    concluded = [pair.margin.conclusions for pair in pairs if pair.margin]
    assert concluded == [{"new": "not worse"}, {"bad": "worse"}]


def test_without_against_both_of_a_pair_are_concluded_on():
    (pair,) = fd.compare(rows_of({"old": 40, "bad": 90}), not_worse_by=0.02).pairs
    assert pair.margin is not None
    assert pair.margin.conclusions == {"old": "not worse", "bad": "worse"}
    assert (pair.margin.low, pair.margin.high) == (pair.difference.low, pair.difference.high)


def test_intervals_that_conclude_hold_for_all_pairs_at_once():
    alone = fd.compare(rows_of({"a": 40, "b": 46}), not_worse_by=0.02).pairs[0]
    together = fd.compare(rows_of({"a": 40, "b": 46, "c": 44}), not_worse_by=0.02).pairs[0]
    assert alone.margin is not None
    assert together.margin is not None
    assert together.difference == alone.difference
    assert together.margin.low is not None
    assert alone.margin.low is not None
    assert together.margin.low < alone.margin.low
    assert together.margin.level == alone.margin.level == 0.95


def test_systems_are_concluded_on_part_by_part():
    rows = [
        {"item_id": f"i{n}|{system}|0", "judge": "j", "system": system, "score": None, "checker": "c"}
        | {"checker_score": float(n >= count)}
        for system, count in {"old": 20, "new": 21, "bad": 70}.items()
        for n in range(200)
    ]
    found = fd.compare(rows, by="system", against="old", not_worse_by=0.05)
    assert found.strata is not None
    for pairs in (found.pairs, found.strata.decided.pairs):
        assert [pair.margin.conclusions for pair in pairs if pair.margin] == [
            {"new": "not worse"},
            {"bad": "worse"},
        ]
    screen = " ".join(as_lines(comparison_screen(found)))
    assert "new is not worse than old by more than 0.05 on all outputs" in screen
    assert "bad is worse than old on all outputs" in screen


def test_a_pair_without_an_interval_cannot_be_told():
    (pair,) = fd.compare(rows_of({"a": 2, "b": 3}, cluster="one"), not_worse_by=0.5).pairs
    assert pair.margin is not None
    assert set(pair.margin.conclusions.values()) == {"cannot tell"}


def test_no_margin_is_no_field():
    found = fd.compare(rows_of({"a": 2, "b": 3}))
    assert "margin" not in found.to_dict()["pairs"][0]


@each_row(
    ("options", "reason"),
    [
        ({"statistic": "mae"}, "more is better"),
        ({"statistic": "bias"}, "more is better"),
        ({"right": "score"}, "compares judges by their labels"),
    ],
)
def test_a_margin_is_refused_where_nothing_says_which_is_worse(options: dict[str, Any], reason: str):
    with pytest.raises(UsageError, match=reason):
        fd.compare(rows_of({"a": 2, "b": 3}), not_worse_by=0.02, **options)


@each_row(("worse", "wrong"), [(0.05, "not worse"), (0.0, "worse")])
def test_planted_differences_are_seldom_concluded_on_wrongly(worse: float, wrong: str):
    rng = np.random.default_rng(round(100 * worse))
    draws, items = 200, 300
    concluded: list[str] = []
    for _ in range(draws):
        hard = rng.normal(size=items)
        old, new = ((hard + rng.normal(size=items)) / np.sqrt(2) < ndtri(rate) for rate in (0.8, 0.8 - worse))
        estimate = share_difference(new, old, np.arange(items)).estimate
        concluded.append(standing(estimate.low, estimate.high, 0.05))
    assert concluded.count(wrong) <= 0.025 * draws + 3 * np.sqrt(draws * 0.025 * 0.975)
