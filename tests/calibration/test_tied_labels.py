"""Outputs on which people tie."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.calibration import calibrate, compare, estimate, table_from_rows
from fiducial.calibration.statistic import Caution
from fiducial.calibration.tables.calibration_table import Table
from fiducial.calibration.tied_labels import tied_labels

TIED = Caution("tied_labels", {"tied": 3, "labelled": 9})


def row(item: int, ann: float | None, bob: float | None, judge: str = "a") -> dict[str, Any]:
    tie = ann is not None and bob is not None and ann != bob
    return {
        "item_id": f"i{item}",
        "judge": judge,
        "score": item % 2,
        "label": None if tie else ann,
        "person:ann": ann,
        "person:bob": bob,
    }


def table() -> Table:
    rows = [
        row(item, float(item % 2), float(item % 2 if item > 2 else 1 - item % 2), judge)
        for item in range(12)
        for judge in ("a", "b")
    ]
    return table_from_rows([*rows, row(12, None, 1.0), row(13, None, None)])


def test_items_without_a_label_on_which_people_tie_are_counted() -> None:
    assert tied_labels(table()) == [TIED]


@pytest.mark.parametrize("grades", [(1.0, None), (None, None), (0.5, 0.5)])
def test_an_item_with_one_grade_or_with_fractions_is_not_tied(grades: tuple[float, float]) -> None:
    assert tied_labels(table_from_rows([{**row(0, *grades), "label": None}])) == []


def test_a_decided_output_is_not_tied() -> None:
    assert tied_labels(table_from_rows([{**row(0, 1.0, 0.0), "checker_score": 1.0}])) == []


def test_calibrate_estimate_and_compare_say_so() -> None:
    both = table()
    assert TIED in estimate(both, judge="a")["all"].cautions
    assert TIED in calibrate(both).cautions
    assert TIED in compare(both, by="judge").cautions
