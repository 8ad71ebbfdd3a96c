"""Frames whose cells JSON would not change are read as they are; others as lines."""

from __future__ import annotations

import datetime as dt
import math

import pytest
from each_row import each_row

from fiducial.errors import InputError
from fiducial.records.memory_file import MemoryFile, MemoryRows
from fiducial.tables.frames import frame_rows, is_plain_frame
from fiducial.tables.json_rows import TableRow
from fiducial.tables.table_rows import read_table_rows


@each_row(
    ("values", "plain"),
    [
        (["a", None, "b"], True),
        ([1, 2, 3], True),
        ([0.5, math.nan, 1.0], True),
        ([True, False, True], True),
        ([0.5, math.inf, 1.0], False),
        ([dt.date(2026, 1, 1)] * 3, False),
        ([[1], [2], [3]], False),
    ],
)
def test_texts_numbers_and_truth_values_are_plain(values: list[object], plain: bool) -> None:
    import pandas as pd

    assert is_plain_frame(pd.DataFrame({"x": values})) is plain


def test_rows_in_memory_are_the_same_as_their_lines() -> None:
    import pandas as pd

    frame = pd.DataFrame({"item_id": ["a", "b"], "score": [0.5, math.nan], "n": [1, 2]})
    file = MemoryRows("table", lambda: frame_rows(frame))
    assert file.exists()
    rows = [row.value for row in read_table_rows(file) if isinstance(row, TableRow)]
    lines = read_table_rows(MemoryFile("table", file.read_bytes()))
    assert rows == [row.value for row in lines if isinstance(row, TableRow)]
    assert rows[1]["score"] is None


def test_two_columns_of_one_name_are_refused() -> None:
    import pandas as pd

    with pytest.raises(InputError, match="1: the frame has two columns of this name"):
        list(frame_rows(pd.DataFrame([[0, 1]], columns=pd.Index([1, "1"], dtype=object))))
