"""Rows of files of any suffix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.records.table_rows import file_rows


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": "a", "score": 1, "score": 0}]',
        '[\n  {"id": "a"},\n  {"id": "b", "score": 1, "score": 0}\n]\n',
        r'[{"id": "\u003a", "score": 1, "score": 0}]',
        '{"id": "a", "score": 1, "score": 0}',
    ],
)
def test_a_key_that_stands_twice_in_one_object_is_refused_in_an_array_too(tmp_path: Path, text: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    with pytest.raises(InputError, match="the key 'score' stands twice in one object"):
        list(file_rows(file))


@pytest.mark.parametrize("text", [r'[{"id": "a:b", "note": "\u003a"}]', '[{"id": {"a": 1}}, {}]', "[]"])
def test_rows_of_an_array_are_read_as_they_stand(tmp_path: Path, text: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    assert [row for _, row in file_rows(file)] == json.loads(text)


def test_a_repeated_name_is_reported_on_the_line_of_the_header(tmp_path: Path):
    file = tmp_path / "t.csv"
    file.write_text("Grades of May,,\n,,\nid,score,score\na,1,0\n")
    with pytest.raises(InputError) as refused:
        list(file_rows(file))
    assert str(refused.value) == f"{file}:3: score: the header names this column twice"
