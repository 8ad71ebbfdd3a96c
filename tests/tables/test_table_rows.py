"""Rows of files of any suffix."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from each_row import each_row

from fiducial.errors import InputError
from fiducial.tables import gzipped
from fiducial.tables.table_rows import NumberedRow, UnreadRows, read_table_rows


def file_rows(path: Path) -> Iterator[NumberedRow]:
    return UnreadRows().without(read_table_rows(path), path)


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": "a", "score": 1, "score": 0}]',
        r'[{"id": "\u003a", "score": 1, "score": 0}]',
        '{"id": "a", "score": 1, "score": 0}',
    ],
)
def test_a_key_that_stands_twice_in_one_object_is_refused_in_an_array_too(tmp_path: Path, text: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    with pytest.raises(InputError, match="the key 'score' stands twice in one object"):
        list(file_rows(file))


def test_rows_beside_one_with_a_repeated_key_are_read(tmp_path: Path):
    file = tmp_path / "t.json"
    file.write_text('[\n  {"id": "a"},\n  {"id": "b", "score": 1, "score": 0}\n]\n')
    unread = UnreadRows()
    assert [row for _, row in unread.without(read_table_rows(file), file)] == [{"id": "a"}]
    assert unread.note() == (
        f"1 row skipped, the first: {file}: [1]: the key 'score' stands twice in one object; which one counts?"
    )


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


@each_row(
    ("text", "rows"),
    [
        ("\n\nid,score\na,1\n", [(4, {"id": "a", "score": "1"})]),
        ("Grades,\n\nid,score\na,1\n", [(4, {"id": "a", "score": "1"})]),
        ("id,\na,\nb,\n", [(2, {"id": "a"}), (3, {"id": "b"})]),
        (",\nid,\na,\n", [(3, {"id": "a"})]),
        ("id,\n" + "a,\n" * 200, [(line, {"id": "a"}) for line in range(2, 202)]),
        ("id\n\na\n", [(3, {"id": "a"})]),
        ("\n \n", []),
        ("", []),
    ],
)
def test_blank_lines_and_a_single_column_lose_no_row(
    tmp_path: Path, text: str, rows: list[tuple[int, dict[str, str]]]
):
    file = tmp_path / "t.csv"
    file.write_text(text)
    assert list(file_rows(file)) == rows


def test_an_array_may_hold_a_lone_surrogate_as_json_lines_may(tmp_path: Path):
    file = tmp_path / "t.json"
    file.write_text(r'[{"id": "\ud800"}]')
    assert [row for _, row in file_rows(file)] == [{"id": "\ud800"}]


def test_an_array_that_is_not_utf_8_is_refused_in_the_words_of_other_files(tmp_path: Path):
    file = tmp_path / "t.json"
    file.write_bytes(b'[{"id": "\xff"}]')
    with pytest.raises(InputError, match="not UTF-8: byte 0xff; save it as UTF-8"):
        list(file_rows(file))


@pytest.mark.parametrize(
    "text", ['{"results": [{"id": "a"}], "count": 1}', '{\n "rows": [\n  {"id": "a"}\n ]\n}']
)
def test_rows_under_the_only_key_with_objects_are_those_of_the_file(tmp_path: Path, text: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    assert [row for _, row in file_rows(file)] == [{"id": "a"}]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a", "turns": [{"n": 1}]}',
        '{"a": [{"n": 1}], "b": [{"n": 2}]}',
        '{"rows": []}',
        '{"rows": [{"n": 1}]}\n{"rows": [{"n": 2}]}',
    ],
)
def test_other_objects_are_rows_themselves(tmp_path: Path, text: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    assert [row for _, row in file_rows(file)] == [json.loads(line) for line in text.splitlines()]


def test_a_packed_table_is_read_within_the_limits_of_packed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"id,score\n" + b"a,1\n" * 1000))
    assert len(list(file_rows(path))) == 1000
    monkeypatch.setattr(gzipped, "MIN_UNPACKED", 1000)
    monkeypatch.setattr(gzipped, "UNPACKED_FACTOR", 2)
    with pytest.raises(InputError, match=r"t\.csv\.gz: unpacks to more than"):
        list(file_rows(path))
    path.write_bytes(gzip.compress(b"id,score\na,1\n")[:-4])
    with pytest.raises(InputError, match=r"t\.csv\.gz: not a whole gzip file; it may be cut off"):
        list(file_rows(path))


@each_row(
    ("text", "rows"),
    [
        ('{"id": {"0": "a", "1": "b"}, "score": {"0": 1, "1": 0}}', 2),
        ('{"item_id": ["a", "b"], "score": [1, 0]}', 2),
        ('{"q1": {"score": 1, "label": 0}, "q2": {"score": 0, "label": 0}}', 2),
        ('{"score": 0.5, "results": [{"id": "a", "score": 1}, {"id": "b", "score": 0}]}', 2),
        ('{"columns": ["id", "score"], "data": [["a", 1], ["b", 0]]}', 2),
        ('{"id": "a", "scores": {"j": {"score": 1}, "k": {"score": 0}}}', 1),
        ('{"id": "a", "label": 1}', 1),
        ('{"item_id": "a", "data": [1, 2], "score": 1}\n{"item_id": "b", "data": [3], "score": 1}', 2),
        ('{"item_id": "a", "turns": [{"question": "b"}], "score": 1}\n{"item_id": "b", "score": 1}', 2),
    ],
)
def test_rows_in_a_document_are_found_whatever_their_form(tmp_path: Path, text: str, rows: int):
    file = tmp_path / "t.json"
    file.write_text(text)
    found = [row for _, row in file_rows(file)]
    assert len(found) == rows
    assert all(row.keys() & {"id", "item_id"} for row in found)
