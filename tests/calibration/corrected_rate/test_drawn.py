"""Draw files that belong to the labels of a table, or do not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fiducial.calibration import estimate, read_table
from fiducial.errors import InputError
from fiducial.records import write_records

EARLIER, FIRST, SECOND = range(10), range(10, 20), range(20, 30)


def draw(folder: Path, items: Sequence[int], drawn_from: int | None) -> Path:
    """A file of items that were drawn with chance 0.5."""
    path = folder / f"draw{items[0]}.jsonl"
    row: dict[str, Any] = {"label_probability": 0.5} | (
        {} if drawn_from is None else {"drawn_from": drawn_from}
    )
    write_records(path, [{"item_id": f"i{item}"} | row for item in items])
    return path


def rate(folder: Path, labelled: Sequence[int], draws: Sequence[Path], n: int = 60) -> float | None:
    rows = [
        {"item_id": f"i{item}", "judge": "j", "score": item % 3 / 2}
        | ({"label": float(item % 2)} if item in labelled else {})
        for item in range(n)
    ]
    write_records(folder / "table.jsonl", rows)
    return estimate(read_table([folder / "table.jsonl"], draw=draws))["all"].estimates["active"].value


def test_earlier_labels_and_all_rounds_belong_together(tmp_path: Path) -> None:
    rounds = [draw(tmp_path, FIRST, 50), draw(tmp_path, SECOND, 40)]
    assert rate(tmp_path, [*EARLIER, *FIRST, *SECOND], rounds) is not None
    assert rate(tmp_path, [*EARLIER, *FIRST], rounds[:1]) is not None


def test_labels_of_rounds_before_the_draw_are_known(tmp_path: Path) -> None:
    assert rate(tmp_path, [*EARLIER, *FIRST, *SECOND], [draw(tmp_path, SECOND, 40)]) is not None


@pytest.mark.parametrize(
    ("labelled", "of_first", "of_second", "problem"),
    [
        ([*FIRST], 50, None, "10 items had no chance"),
        ([*SECOND], None, 40, "20 items had no chance"),
        ([*FIRST, *SECOND], 50, 40, "10 items had no chance"),
        ([*EARLIER, *FIRST, *SECOND], 50, None, "10 items had a chance in this draw and were labelled outside"),
    ],
)  # fmt: skip
def test_an_item_without_a_chance_or_labelled_outside_the_draws_is_refused(
    tmp_path: Path, labelled: list[int], of_first: int | None, of_second: int | None, problem: str
) -> None:
    rounds = [(FIRST, of_first), (SECOND, of_second)]
    draws = [draw(tmp_path, items, of) for items, of in rounds if of is not None]
    with pytest.raises(InputError, match=rf"draw\d0\.jsonl: {problem}"):
        rate(tmp_path, labelled, draws)


def test_a_part_of_the_items_has_the_chances_of_all(tmp_path: Path) -> None:
    first = draw(tmp_path, FIRST, 50)
    assert rate(tmp_path, [*EARLIER, *range(10, 18)], [first], n=18) is not None


def test_a_draw_file_that_does_not_say_what_it_was_drawn_from_is_accepted(tmp_path: Path) -> None:
    assert rate(tmp_path, [*FIRST], [draw(tmp_path, FIRST, None)]) is not None
