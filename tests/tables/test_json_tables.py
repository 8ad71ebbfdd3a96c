"""Tables in one JSON object, in the forms that scripts and data frames write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.tables.json_tables import rows_in

ROWS = [{"question": "Where is it?", "answer": "in Rome"}, {"question": "Who is it?", "answer": "me"}]


def _read(value: Any, folder: Path, **options: Any) -> fd.Reading:
    path = folder / "rows.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return fd.read(path, **options)


def _answers(reading: fd.Reading) -> list[tuple[Any, str | None]]:
    questions = {case.id: case.messages[0] for case in reading.cases}
    return [(questions[output.case_id], output.text) for output in reading.outputs]


EXPECTED = [({"role": "user", "content": row["question"]}, row["answer"]) for row in ROWS]


@each_row("orient", ["columns", "records", "split", "index", "table"])
def test_every_form_of_a_data_frame_is_read_as_its_rows(orient: Any, tmp_path: Path):
    import pandas as pd

    text = pd.DataFrame(ROWS).to_json(orient=orient)
    assert text is not None
    assert _answers(_read(text, tmp_path)) == EXPECTED


@pytest.mark.parametrize("table", [
    {"results": ROWS, "created": "today"},
    {"question": [row["question"] for row in ROWS], "answer": [row["answer"] for row in ROWS]},
])  # fmt: skip
def test_rows_under_a_key_and_lists_of_cells_are_read_as_rows(table: Any, tmp_path: Path):
    assert _answers(_read(table, tmp_path)) == EXPECTED


def test_keys_of_objects_are_the_ids_of_their_rows(tmp_path: Path):
    reading = _read({"a-1": ROWS[0], "a-2": {**ROWS[1], "id": "b"}}, tmp_path)
    assert [case.id for case in reading.cases] == ["a-1", "b"]


@pytest.mark.parametrize("row", [
    {"question": {"text": "Where is it?"}, "answer": {"text": "in Rome"}},
    {"question": "Where is it?", "answer": "in Rome", "results": [{"query": "Rome"}]},
    {"frage": "Where is it?", "antwort": "in Rome", "results": [{"query": "Rome"}]},
])  # fmt: skip
def test_one_row_with_nested_values_stays_one_row(row: dict[str, Any], tmp_path: Path):
    named = {"frage": "query", "antwort": "response"} if "frage" in row else None
    assert _answers(_read(row, tmp_path, map=named)) == EXPECTED[:1]


def test_a_row_of_another_length_than_the_columns_is_listed(tmp_path: Path):
    table = {"columns": ["question", "answer"], "data": [["a", "b"], ["c"]]}
    reading = _read(table, tmp_path, as_="json")
    assert [output.text for output in reading.outputs] == ["b"]
    assert [(skipped.field, skipped.reason) for skipped in reading.skipped] == [
        ("data[1]", "expected a list of 2 cells, one per column")
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"results": {"q1": {"question": "a", "answer": "b"}, "q2": {"question": "c", "answer": "d"}}},
        {"results": {"samples": [{"id": "q1", "question": "a", "answer": "b"}, {"id": "q2", "question": "c", "answer": "d"}]}},
        {"config": {"model": "m", "seed": 1}, "items": {"q1": {"score": 1}, "q2": {"score": 0}}},
    ],
)  # fmt: skip
def test_rows_may_be_in_an_object_of_a_document(document: dict[str, Any]):
    found = rows_in(document, {}, is_document=True)
    assert [row["id"] for _, row in found or ()] == ["q1", "q2"]


def test_rows_in_two_objects_of_a_document_are_not_guessed_at():
    rows = {"q1": {"score": 1}, "q2": {"score": 0}}
    assert rows_in({"train": rows, "test": rows}, {}, is_document=True) is None
