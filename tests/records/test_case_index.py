from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import InputError, RecordError
from fiducial.records import Case, CaseIndex, case_index, write_records


def write_cases(path: Path, *ids: str) -> Path:
    write_records(path, [Case(id=case_id, kind="no_call", tags={"n": case_id}) for case_id in ids])
    return path


def test_cases_are_found_by_id_in_any_order(tmp_path: Path):
    with CaseIndex(write_cases(tmp_path / "cases.jsonl", "a", "b", "ü")) as cases:
        assert [cases[case_id].tags["n"] for case_id in ("ü", "a", "b", "a")] == ["ü", "a", "b", "a"]
        assert (len(cases), list(cases), "b" in cases, "c" in cases) == (3, ["a", "b", "ü"], True, False)


def test_an_id_that_comes_twice_is_an_error_that_names_both_lines(tmp_path: Path):
    path = write_cases(tmp_path / "cases.jsonl", "a", "b", "a")
    with pytest.raises(RecordError) as caught:
        CaseIndex(path)
    assert str(caught.value) == f"{path}:3: id: the id 'a' is already on line 1; ids are unique"


def test_more_cases_than_are_kept_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(case_index, "_CACHE_BYTES", 10_000)
    ids = [str(number) for number in range(2000)]
    with CaseIndex(write_cases(tmp_path / "cases.jsonl", *ids)) as cases:
        assert [cases[case_id].id for case_id in ids + ids[:3]] == ids + ids[:3]


def test_an_unknown_id_is_a_key_error(tmp_path: Path):
    with CaseIndex(write_cases(tmp_path / "cases.jsonl", "a")) as cases, pytest.raises(KeyError):
        cases["b"]


def test_an_empty_file_is_an_error(tmp_path: Path):
    path = tmp_path / "cases.jsonl"
    path.touch()
    with pytest.raises(InputError, match="empty"):
        CaseIndex(path)
