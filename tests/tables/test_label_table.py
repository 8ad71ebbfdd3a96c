"""Tables of labels."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.records import read_records
from fiducial.records.memory_file import MemoryRows
from fiducial.records.scale import Scale
from fiducial.tables.label_table import LabelRow, label_table


def labels(folder: Path, trial: str) -> list[LabelRow]:
    file = folder / "labels.csv"
    file.write_text(f"id,trial,label\na,{trial},1\n")
    return list(read_records(label_table(file, Scale.from_ends(), {}), LabelRow))


@pytest.mark.parametrize("trial", ["-1", "first"])
def test_a_trial_that_is_no_count_is_refused_with_its_line(tmp_path: Path, trial: str):
    with pytest.raises(InputError) as refused:
        labels(tmp_path, trial)
    assert (
        str(refused.value) == f"{tmp_path}/labels.csv:2: trial: expected a whole number from 0, got {trial!r}"
    )


def test_a_trial_is_read_from_0(tmp_path: Path):
    assert [labels(tmp_path, trial)[0].trial for trial in ("0", "3", "")] == [0, 3, None]


def test_a_spreadsheet_has_spaces_in_its_header_a_title_and_blank_rows(tmp_path: Path):
    file = tmp_path / "labels.csv"
    file.write_text("Labels of May,,\nThread ID,Verdict,Reviewer\n7,pass,ann\n,,\n8,fail,bob\n")
    rows = read_records(label_table(file, Scale.from_ends(), {}), LabelRow)
    assert [(row.id, row.score, row.by, row.line) for row in rows] == [
        ("7", 1.0, "ann", 3),
        ("8", 0.0, "bob", 5),
    ]


def label_of(**cells: object) -> LabelRow:
    rows = MemoryRows("labels", lambda: [{"id": "a", "label": 1, **cells}])
    (row,) = read_records(label_table(rows, Scale.from_ends(), {}), LabelRow)
    return row


@pytest.mark.parametrize("trial", [1.5, math.inf, "1.5"])
def test_a_trial_is_not_rounded(trial: object):
    with pytest.raises(InputError, match="attempt: expected a whole number from 0"):
        label_of(attempt=trial)


def test_a_trial_may_be_written_with_a_decimal_point_and_a_cell_be_blank():
    assert label_of(trial="2.0").trial == 2
    assert label_of(trial=math.nan, system=math.nan, reason=" ") == label_of()
    with pytest.raises(InputError, match="id: expected an id, got nothing"):
        label_of(id=" ")


def of_two_people(tmp_path: Path, rows: str) -> list[tuple[str, str, float | None]]:
    file = tmp_path / "people.csv"
    file.write_text(f"id,annotator_1,annotator_2\n{rows}")
    labels = read_records(label_table(file, Scale.from_ends(), {}), LabelRow)
    return [(row.id, row.by, row.score) for row in labels if row.is_usable]


def test_a_row_that_nobody_graded_is_no_tie(tmp_path: Path):
    assert of_two_people(tmp_path, "a,,\n") == []


def test_a_tie_of_two_columns_is_given_once(tmp_path: Path):
    people = [("a", "annotator_1", 1.0), ("a", "annotator_2", 0.0)]
    assert of_two_people(tmp_path, "a,1,0\n") == [*people, ("a", "majority", None)]


def test_an_id_may_be_written_with_a_decimal_point():
    assert (label_of(id=7.0).id, label_of(id=7.5).id, label_of(id="7.0").id) == ("7", "7.5", "7.0")


def grades_of(text: str) -> list[tuple[str, float | None]]:
    """The people and grades in a table whose lines are separated by blanks."""
    head, *lines = [line.split(",") for line in text.split()]
    rows = MemoryRows("labels", lambda: [dict(zip(head, line, strict=True)) for line in lines])
    table = label_table(rows, Scale.from_ends(words={"unsure": None}), {})
    return [(row.by, row.score) for row in read_records(table, LabelRow) if row.is_usable]


def test_a_word_mapped_to_no_grade_withdraws_an_earlier_grade_of_the_person():
    rows = "id,label,annotator a,1,ann a,0,bob a,unsure,bob"
    assert grades_of(rows) == [("ann", 1.0)]
    assert grades_of(f"{rows} a,0,bob")[:2] == [("ann", 1.0), ("bob", 0.0)]


@pytest.mark.parametrize("cell", ["", "n/a"])
def test_a_cell_that_says_nothing_withdraws_no_grade(cell: str):
    assert grades_of(f"id,label,annotator a,1,ann a,0,bob a,{cell},bob") == [
        ("ann", 1.0),
        ("bob", 0.0),
        ("majority", None),
    ]


def test_the_majority_of_columns_is_counted_anew_without_a_withdrawn_grade():
    rows = "id,annotator_1,annotator_2,annotator_3 a,1,0,0 a,,,unsure"
    assert grades_of(rows) == [("annotator_1", 1.0), ("annotator_2", 0.0), ("majority", None)]
