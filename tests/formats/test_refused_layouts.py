"""Layouts of known projects that hold no rows are refused with what to write instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import InputError
from fiducial.formats.native_files import NativeFileError
from fiducial.formats.refused_layouts import require_unknown_layout


@each_row(
    "value",
    [
        {"ann": {"item_1": 3, "item_2": 4}, "bob": {"item_1": 3, "item_3": 5}},
        {"item_1": 3, "item_2": "B"},
    ],
)
def test_grades_without_rows_are_refused_by_import_and_named(value: Any, tmp_path: Path):
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match="AltTest"):
        fd.read(path)


@each_row(
    "value",
    [
        {"1": {"judge": "j", "score": 1}, "2": {"judge": "j", "score": 0}},
        {"judge": "j", "score": 1},
        {"a": {"x": [1]}, "b": {"x": [1]}},
        {"score_1": 1},
        [],
    ],
)
def test_other_objects_are_not(value: Any):
    try:
        require_unknown_layout([value], Path("x.json"))
    except NativeFileError as error:  # a table of each_row shows the row
        pytest.fail(str(error))
