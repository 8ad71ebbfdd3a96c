"""Labels in several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.records import Verdict, read_records, write_records
from fiducial.records.output import ItemKey
from fiducial.records.scale import Scale
from fiducial.tables.label_table import LabelRow as Row
from fiducial.tables.label_table import LabelTable, label_table
from fiducial.tables.several_label_files import joined_label_files


def table(folder: Path, name: str, text: str) -> LabelTable:
    (folder / name).write_text(text)
    return label_table(folder / name, Scale.from_ends(), {})


def test_tables_are_joined_in_their_order_with_the_columns_of_all(tmp_path: Path):
    first = table(tmp_path, "first.csv", "id,label\na,1\nb,0\n")
    second = table(tmp_path, "second.csv", "id,label,system\nb,1,\n")
    joined = joined_label_files([first, second])
    assert isinstance(joined, LabelTable)
    assert [(row.id, row.score, row.line) for row in read_records(joined, Row)] == [
        ("a", 1.0, 0),
        ("b", 0.0, 0),
        ("b", 1.0, 0),
    ]
    assert joined.columns == {"id", "label", "system"}
    assert str(joined) == f"{tmp_path}/first.csv, {tmp_path}/second.csv"


def test_the_majority_is_that_of_people_in_all_files(tmp_path: Path):
    two = table(tmp_path, "two.csv", "id,label,annotator\na,1,ann\na,0,bob\n")
    third = table(tmp_path, "third.csv", "id,label,annotator\na,0,cara\n")
    rows = list(read_records(joined_label_files([two, third]), Row))
    assert [(row.by, row.score) for row in rows] == [
        ("ann", 1.0),
        ("bob", 0.0),
        ("cara", 0.0),
        ("majority", 0.0),
    ]


def test_files_of_verdicts_are_joined_and_mixed_with_no_table(tmp_path: Path):
    files = [tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]
    for file in files:
        write_records(file, [Verdict.on(ItemKey("a", "bot", 0), by=file.stem, source="human", score=1.0)])
    assert [record.by for record in read_records(joined_label_files(files), Verdict)] == ["ann", "bob"]
    grades = table(tmp_path, "grades.csv", "id,label\na,1\n")
    with pytest.raises(UsageError, match=r"ann.jsonl holds verdicts, .*grades.csv is a table"):
        joined_label_files([files[0], grades])
