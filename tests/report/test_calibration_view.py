from __future__ import annotations

from typing import Any

import pytest

from fiducial.errors import InputError
from fiducial.report.calibration_view import COLUMNS, MOST_SLICES, calibration_view

_HEADINGS = [heading for _, heading, _ in COLUMNS]


def test_each_judge_has_a_row_with_a_cell_a_column(calibration: dict[str, Any]):
    row = calibration_view(calibration).judges[0]
    cells = dict(zip(_HEADINGS, row.cells, strict=True))
    assert (cells["TPR"].value, cells["TPR"].interval) == ("0.87", "[0.81, 0.91]")
    assert cells["TPR"].note == "Wilson; n = 245"
    assert (cells["MCC"].value, cells["MCC"].note) == ("undefined", "every label is the same")
    assert cells["Kappa"].value == ""


def test_baselines_stand_apart_from_judges(calibration: dict[str, Any]):
    view = calibration_view(calibration)
    assert [row.name for row in view.baselines] == ["always_pass"]
    assert len(view.judges) == 1


def test_a_judge_without_counts_has_no_table(calibration: dict[str, Any]):
    for entry in calibration["judges"].values():
        entry["tp"] = None
    assert calibration_view(calibration).judges[0].table is None


def test_many_slices_are_cut_and_counted(calibration: dict[str, Any]):
    judges = calibration["slices"]["category"]["simple"]
    calibration["slices"] = {"city": {f"city {n}": judges for n in range(MOST_SLICES + 7)}}
    table = calibration_view(calibration).slices[0]
    assert len(table.rows) == MOST_SLICES
    assert table.hidden == 7


def test_something_else_is_refused():
    with pytest.raises(InputError, match="not a calibration"):
        calibration_view({"judges": {"j": {"statistics": {"mcc": "high"}}}})
