"""Columns that repeat like ids, without a name that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fiducial.calibration.tables.calibration_table import Table
from fiducial.calibration.tables.table_files import read_table, table_from_rows
from fiducial.errors import ColumnsError
from fiducial.records.memory_file import MemoryRows
from fiducial.tables.unnamed_ids import find_unnamed_id

pytestmark = pytest.mark.usefixtures("typed_options")


def by_item(item: int, _: int) -> int:
    return item % 2


def by_repeat(_: int, repeat: int) -> int:
    return repeat % 2


def unlabelled(_: int, __: int) -> None:
    return None


def rows_of(
    items: int, repeats: int, *, label: Callable[[int, int], int | None] = by_item
) -> list[dict[str, Any]]:
    return [
        {"Thing": f"t{n}", "score": (n + repeat) % 2, "label": label(n, repeat)}
        for n in range(items)
        for repeat in range(repeats)
    ]


def read(rows: list[dict[str, Any]]) -> Table:
    return read_table([MemoryRows("table", lambda: iter(rows))])


def test_rows_of_a_value_with_one_label_are_repeats_of_an_item() -> None:
    with pytest.raises(ColumnsError, match="'Thing' looks like the item id \\(12 values in 36 rows\\)"):
        table_from_rows(rows_of(12, 3))


def test_a_value_once_per_judge_is_an_item_even_without_labels() -> None:
    rows = [{"Thing": f"t{n}", "judge": judge, "score": n % 2} for judge in "ab" for n in range(6)]
    with pytest.raises(ColumnsError) as refused:
        table_from_rows(rows)
    assert refused.value.options == "--map item_id=Thing"


@pytest.mark.parametrize("label", [by_repeat, unlabelled])
def test_an_even_column_without_other_evidence_is_only_warned_of(
    label: Callable[[int, int], int | None],
) -> None:
    table = read(rows_of(12, 4, label=label))
    (warning,) = table.warnings
    assert warning.startswith(
        "No id column: every row counts as its own item. If rows repeat items, add --map"
    )
    assert warning.endswith("if rows of one 'Thing' depend on each other, --map cluster=Thing")


@pytest.mark.parametrize(
    "names",
    [
        ["none"] * 20 + ["rude"] * 7 + ["wrong"] * 5 + ["short"] * 3 + ["long"] * 3 + ["odd"] * 2,
        ["a", "b", "c", "d"] * 10,
        [f"t{n}" for n in range(40)],
    ],
    ids=["reasons", "few categories", "each once"],
)
def test_categories_and_texts_are_not_taken_for_ids(names: list[str]) -> None:
    table = read([{"Thing": name, "score": 1, "label": int(name != "none")} for name in names])
    assert table.warnings == ()
    assert len(table.item.values) == 40


def test_a_declared_cluster_allows_for_rows_that_depend_on_each_other() -> None:
    rows = [{**row, "cluster": row["Thing"]} for row in rows_of(12, 3)]
    assert read(rows).warnings == ()


def test_ids_that_repeat_after_the_first_rows_are_found() -> None:
    first = rows_of(600, 1)
    with pytest.raises(ColumnsError, match="600 values in 1,200 rows"):
        table_from_rows([*first, *first])


def test_of_several_columns_the_one_named_like_ids_is_taken() -> None:
    rows = [{"Answer": f"a{n}", "Case no": f"c{n}"} for n in range(6) for _ in range(2)]
    found = find_unnamed_id(rows, ["Answer", "Case no"], groups=[], labels=[])
    assert found is None  # too few without labels or judges
    judged = [{**row, "judge": n % 2} for n, row in enumerate(rows)]
    found = find_unnamed_id(judged, ["Answer", "Case no"], groups=["judge"], labels=[])
    assert found is not None
    assert (found.column, found.certain, found.repeats) == ("Case no", True, "")
