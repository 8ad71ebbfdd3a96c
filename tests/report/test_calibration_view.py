from __future__ import annotations

from typing import Any

import pytest

from fiducial.calibration.agreement.results import read_calibration
from fiducial.errors import InputError
from fiducial.report.calibration_sheets import MOST_PAIRS
from fiducial.report.calibration_view import COLUMNS, MOST_SLICES, CalibrationView, calibration_view

_HEADINGS = [heading for _, heading, _ in COLUMNS]


def view_of(calibration: dict[str, Any]) -> CalibrationView:
    return calibration_view(read_calibration(calibration))


def test_each_judge_has_a_row_with_a_cell_a_column(calibration: dict[str, Any]):
    row = view_of(calibration).judges[0]
    cells = dict(zip(_HEADINGS, row.cells, strict=True))
    assert (cells["TPR"].value, cells["TPR"].interval) == ("0.87", "[0.81, 0.91]")
    assert cells["TPR"].note == "Wilson; n = 245"
    assert (cells["MCC"].value, cells["MCC"].note) == ("undefined", "every label is the same")
    assert cells["Kappa"].value == ""


def test_baselines_stand_apart_from_judges(calibration: dict[str, Any]):
    view = view_of(calibration)
    assert [row.name for row in view.baselines] == ["always_pass"]
    assert len(view.judges) == 1


def test_many_slices_are_cut_and_counted(calibration: dict[str, Any]):
    judges = calibration["slices"]["category"]["simple"]
    calibration["slices"] = {"city": {f"city {n}": judges for n in range(MOST_SLICES + 7)}}
    table = view_of(calibration).slices[0]
    assert len(table.rows) == MOST_SLICES
    assert table.hidden == 7


def test_a_model_that_is_not_there_has_no_sheet(calibration: dict[str, Any]):
    calibration["dawid_skene"] = {"n": 0, "undefined": "no item has verdicts of three"}
    titles = [sheet.title for sheet in view_of(calibration).sheets]
    assert "If judges erred independently" not in titles
    assert "People among themselves" in titles


def test_judges_are_compared_on_the_items_that_both_judged(calibration: dict[str, Any]):
    sheet = view_of(calibration).sheets[0]
    ((_, cells),) = sheet.rows
    assert sheet.title == "Judges against each other"
    assert "0.87 [0.81, 0.91] (Wilson; n = 245); chosen and scored on different clusters: 0.86" in sheet.lead
    assert [cell.value for cell in cells] == ["31", "12", "0.08", "0.0031", "240"]
    assert (cells[2].interval, cells[3].note) == ("[0.03, 0.13]", "McNemar's mid-p, Holm")


def test_of_clusters_with_several_items_the_test_over_clusters_counts(calibration: dict[str, Any]):
    first = calibration["comparison"]["pairs"][0]
    first["clustered_p"] = first["adjusted_p"] = 0.00002
    cells = view_of(calibration).sheets[0].rows[0][1]
    assert (cells[3].value, cells[3].note) == ("<0.0001", "t-test over clusters, Holm")


def test_judges_without_a_common_item_are_not_compared(calibration: dict[str, Any]):
    del calibration["comparison"]["pairs"][0]
    assert view_of(calibration).sheets[0].title == "People among themselves"


def test_a_calibration_from_before_has_no_sheets(calibration: dict[str, Any]):
    old = {name: calibration[name] for name in ("judges", "baselines", "slices")}
    assert view_of(old).sheets == []


def test_many_pairs_are_cut_to_those_furthest_beyond_the_model(calibration: dict[str, Any]):
    calibration["dawid_skene"]["pairs"] = [
        {"a": f"j{n}", "b": "k", "n": 9, "observed": 0.5, "expected": 0.5, "residual": n / 100}
        for n in range(40)
    ]
    rows = view_of(calibration).sheets[-1].rows
    assert len(rows) == MOST_PAIRS
    assert rows[0][0] == "j39 and k"


def test_something_else_is_refused():
    with pytest.raises(InputError, match="not a calibration"):
        view_of({"judges": {"j": {"statistics": {"mcc": "high"}}}})
    with pytest.raises(InputError, match="not a calibration"):
        view_of({"systems": {"j": {"systems": 7}}})
