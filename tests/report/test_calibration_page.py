from __future__ import annotations

import re
from typing import Any

import pytest

from fiducial.calibration.agreement.results import read_calibration
from fiducial.errors import InputError
from fiducial.report.calibration_page import MOST_SLICES, calibration_page
from fiducial.report.document import Details, Table, as_html


def page_of(calibration: dict[str, Any]) -> str:
    return as_html(calibration_page(read_calibration(calibration)))


def details_of(calibration: dict[str, Any]) -> dict[str, Details]:
    pieces = calibration_page(read_calibration(calibration))
    return {piece.title: piece for piece in pieces if isinstance(piece, Details)}


def rows_of(page: str) -> list[str]:
    return re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)


def test_each_judge_has_a_row_with_a_cell_a_statistic(calibration: dict[str, Any]):
    head, judge, baseline, *_ = rows_of(page_of(calibration))
    assert "TPR" in head
    assert 'title="Wilson; n = 245">0.87 <small>[0.81, 0.91]</small>' in judge
    assert "undefined <small>every label is the same</small>" in judge
    assert 'title="not computed"' in judge
    assert "always pass" in baseline


def test_many_slices_are_cut_and_counted(calibration: dict[str, Any]):
    judges = calibration["slices"]["category"]["simple"]
    calibration["slices"] = {"city": {f"city {n}": judges for n in range(MOST_SLICES + 7)}}
    table, more = details_of(calibration)["By city"].pieces
    assert isinstance(table, Table)
    assert len(table.rows) == MOST_SLICES
    assert str(more).startswith("7 more values")


def test_what_is_not_there_has_no_fold(calibration: dict[str, Any]):
    calibration["dawid_skene"] = {"n": 0, "undefined": "no item has verdicts of three"}
    del calibration["comparison"]
    titles = set(details_of(calibration))
    assert not {"If judges erred independently", "Judges against each other"} & titles
    assert "People among themselves" in titles


def test_what_is_folded_away_says_what_a_terminal_says(calibration: dict[str, Any]):
    shown = as_html(details_of(calibration)["Judges against each other"].pieces)
    assert "Best of all on the" in shown
    assert "0.0031" in shown


def test_a_calibration_from_before_has_the_judges_alone(calibration: dict[str, Any]):
    old = {name: calibration[name] for name in ("judges", "baselines", "slices")}
    assert set(details_of(old)) == {"By category"}


def test_something_else_is_refused():
    with pytest.raises(InputError, match="not a calibration"):
        page_of({"judges": {"j": {"statistics": {"mcc": "high"}}}})
    with pytest.raises(InputError, match="not a calibration"):
        page_of({"systems": {"j": {"systems": 7}}})
