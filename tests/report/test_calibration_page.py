from __future__ import annotations

import re
from typing import Any

import pytest

from fiducial.calibration.agreement.calibration_results import read_calibration
from fiducial.errors import InputError
from fiducial.report.calibration_page import MAX_SLICES, calibration_page
from fiducial.report.document import Columns, Details, as_html
from fiducial.report.document_parts import DocumentTable
from fiducial.report.score_thresholds import JudgedRow, bins_of


def page_of(calibration: dict[str, Any]) -> str:
    return as_html(calibration_page(read_calibration(calibration)))


def details_of(calibration: dict[str, Any]) -> dict[str, Details]:
    pieces = calibration_page(read_calibration(calibration))
    return {piece.title: piece for piece in pieces if isinstance(piece, Details)}


def rows_of(page: str) -> list[str]:
    return re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)


def test_each_judge_has_a_row_with_a_cell_a_statistic(calibration: dict[str, Any]):
    every = details_of(calibration)["Every statistic, with the baselines"]
    head, judge, baseline, *_ = rows_of(as_html([every]))
    assert "TPR" in head
    assert 'title="Wilson; n = 245">0.87 <small>[0.81, 0.91]</small>' in judge
    assert "undefined <small>every label is the same</small>" in judge
    assert 'title="not computed"' in judge
    assert "always pass" in baseline


def test_many_slices_are_cut_and_counted(calibration: dict[str, Any]):
    judges = calibration["slices"]["category"]["simple"]
    calibration["slices"] = {"city": {f"city {n}": judges for n in range(MAX_SLICES + 7)}}
    _, table, more = details_of(calibration)["By city"].pieces
    assert isinstance(table, DocumentTable)
    assert len(table.rows) == MAX_SLICES
    assert str(more).startswith("7 more values")


def test_what_is_not_there_has_no_fold(calibration: dict[str, Any]):
    calibration["dawid_skene"] = {"n": 0, "undefined": "no item has verdicts of three"}
    del calibration["comparison"]
    titles = set(details_of(calibration))
    assert not {"Estimate without labels, assuming independent errors", "Judges against each other"} & titles
    assert "People among themselves" in titles


def test_what_is_folded_away_says_what_a_terminal_says(calibration: dict[str, Any]):
    shown = as_html(details_of(calibration)["Judges against each other"].pieces)
    assert "Best of all on the" in shown
    assert "0.0031" in shown


def test_a_calibration_from_before_has_the_judges_alone(calibration: dict[str, Any]):
    old = {name: calibration[name] for name in ("judges", "baselines", "slices")}
    assert set(details_of(old)) == {"Every statistic, with the baselines", "By category"}


def test_something_else_is_refused():
    with pytest.raises(InputError, match="not a calibration"):
        page_of({"judges": {"j": {"statistics": {"mcc": "high"}}}})
    with pytest.raises(InputError, match="not a calibration"):
        page_of({"systems": {"j": {"systems": 7}}})


def test_judges_that_read_nothing_are_in_the_table_and_in_no_figure(calibration: dict[str, Any]):
    (name, entry) = next(iter(calibration["judges"].items()))
    entry["statistics"]["accuracy"] = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    calibration["judges"]["words"] = entry
    calibration["slices"]["category"] = {value: {name: entry, "words": entry} for value in ("simple", "hard")}
    pieces = list(calibration_page(read_calibration(calibration), baselines=["words"]))
    shown = as_html(pieces)
    drawn = as_html([piece for piece in pieces if isinstance(piece, Columns)])
    assert (name in drawn, "words" in drawn) == (True, False)
    assert f"<title>Accuracy of {name} by category" in shown
    assert "<title>Accuracy of words by category" not in shown
    assert "words <small>24 clusters; tp 128, fp 21, fn 19, tn 77" in shown


def test_slices_are_drawn_a_judge_each(calibration: dict[str, Any]):
    (name, entry) = next(iter(calibration["judges"].items()))
    entry["statistics"]["accuracy"] = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    calibration["slices"] = {"city": {"Rome": {name: entry}, "Oslo": {name: entry}}}
    shown = as_html(details_of(calibration)["By city"].pieces)
    assert f"Accuracy of {name} by city</title><desc>Rome 0.50 [0.40, 0.60]; Oslo 0.50 [0.40, 0.60]" in shown


def test_scores_are_drawn_where_they_say_more_than_yes_and_no(calibration: dict[str, Any]):
    name = next(iter(calibration["judges"]))
    bins = bins_of([JudgedRow(0.0, 0.0, "a"), JudgedRow(0.5, 1.0, "b"), JudgedRow(1.0, 1.0, "c")], 0.5)
    shown = as_html(calibration_page(read_calibration(calibration), {name: bins}))
    assert f"Scores of {name} by label" in shown
    assert f"Share that labels pass, by score of {name}" in shown
    assert shown.count("<summary>Numbers</summary>") == 2


def test_pairs_without_a_common_item_are_counted(calibration: dict[str, Any]):
    shown = as_html(details_of(calibration)["Judges against each other"].pieces)
    assert "Pairs without a common item: 1." in shown
