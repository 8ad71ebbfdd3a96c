"""Gzip files of tables and logs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import fiducial as fd
from fiducial.api.reading import import_files

TABLE = "question,answer\nWhat?,x\nWho?,y,z\n"
ROWS = [{"question": "What?", "answer": "x"}, {"question": "Who?", "answer": ""}]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)


@pytest.mark.parametrize(
    ("name", "text"),
    [("rows.csv", TABLE), ("rows.jsonl", LINES), ("rows.JSON", json.dumps(ROWS)), ("rows.tsv", TABLE)],
)
def test_a_packed_file_is_read_as_the_file_in_it(name: str, text: str, tmp_path: Path):
    plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    one, other = fd.read(plain), fd.read(packed)
    assert (other.format, other.cases, other.outputs) == (one.format, one.cases, one.outputs)
    assert [skipped.reason for skipped in other.skipped] == [skipped.reason for skipped in one.skipped]


def test_skipped_rows_name_the_packed_file(tmp_path: Path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode()))
    assert [(skipped.file, skipped.line) for skipped in fd.read(path).skipped] == [(str(path), 3)]
    import_files([path], tmp_path / "out")
    (listed,) = (tmp_path / "out" / "skipped.jsonl").read_text().splitlines()
    assert json.loads(listed)["file"] == str(path)


def test_a_packed_table_is_joined(tmp_path: Path):
    (tmp_path / "answers.csv").write_text("id,question,answer\na,What?,x\n")
    right = tmp_path / "right.csv.gz"
    right.write_bytes(gzip.compress(b"id,accepted_answers\na,x\n"))
    found = fd.read(tmp_path / "answers.csv", join=right)
    assert found.cases[0].reference == {"answers": ["x"]}


def test_a_file_of_several_members_is_read_whole(tmp_path: Path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(f"{json.dumps(row)}\n".encode()) for row in ROWS))
    assert len(fd.read(path).cases) == 2
