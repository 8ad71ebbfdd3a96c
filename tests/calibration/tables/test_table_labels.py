"""Labels that contradict each other are warned about, not resolved silently."""

from __future__ import annotations

from typing import Any

from fiducial.calibration import table_from_rows
from fiducial.calibration.tables.table_labels import with_conflict_warning


def row(item: str, judge: str, label: float | None, **more: Any) -> dict[str, Any]:
    return {"item_id": item, "judge": judge, "score": 1.0, "label": label, **more}


def test_an_item_with_another_label_in_another_judges_row_is_named():
    rows = [row("a", "x", 1.0), row("b", "x", 1.0), row("a", "y", 1.0), row("b", "y", 0.0)]
    assert with_conflict_warning(table_from_rows(rows)).warnings == (
        "1 item has rows with different labels, 'b' for one; each row counts with its own",
    )


def test_each_item_counts_once_however_many_rows_differ():
    rows = [row(item, judge, float(judge == "x")) for item in "ab" for judge in "xyz"]
    assert with_conflict_warning(table_from_rows(rows)).warnings == (
        "2 items have rows with different labels, 'a' for one; each row counts with its own",
    )


def test_labels_of_other_systems_trials_or_orders_and_missing_ones_are_no_contradiction():
    rows = [
        row("a", "x", 1.0, system="s"),
        row("a", "x", 0.0, system="t"),
        row("b", "x", 1.0, order="first"),
        row("b", "x", 0.0, order="second"),
        row("d", "x", 1.0, trial=1),
        row("d", "x", 0.0, trial=2),
        row("c", "x", None),
        row("c", "y", 1.0),
        row("c", "z", 1.0),
    ]
    assert with_conflict_warning(table_from_rows(rows)).warnings == ()
