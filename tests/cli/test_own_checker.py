"""A run whose cases have a checker of the user's own, from a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Result, fiducial, verdicts_in
from installed_plugins import Install

from fiducial.records import write_records

CHECKER = """
import fiducial as fd
from pathlib import Path

@fd.checker("sql")
def same(case, output):
    if output.text == "broken" and not Path("mended").exists():
        raise RuntimeError("the database is down")
    return output.text == case.reference["query"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Install) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(CHECKER, encoding="utf-8")
    cases = [{"id": name, "kind": "sql", "reference": {"query": name}} for name in ("a", "b", "c")]
    texts = {"a": "a", "b": "broken", "c": "x"}
    write_records(tmp_path / "cases.jsonl", cases)
    outputs = [{"case_id": name, "system": "s", "text": text} for name, text in texts.items()]
    write_records(tmp_path / "outputs.jsonl", outputs)
    return tmp_path


def typed(command: str, out: str, *options: str) -> Result:
    files = ("cases.jsonl", "--outputs", "outputs.jsonl")
    return fiducial(command, *files, "--plugin", "own.py", "--out", out, *options)


def test_a_checker_that_raises_is_told_and_the_rest_is_checked(folder: Path):
    result = typed("check", "verdicts.jsonl")
    assert result.code == 3
    assert "  checked: 0.50 [0.09, 0.91], n 2 of 3 (1 failed)\n" in result.out
    told = " ".join(result.out.split())
    assert "1 check failed: the checker of kind sql raised RuntimeError: the database is down (" in told
    assert "1 output not checked, because a custom checker failed\n" in result.out
    rows = verdicts_in(folder)
    assert [(row.outcome, row.score) for row in rows] == [("graded", 1.0), ("failed", None), ("graded", 0.0)]


def test_the_same_command_checks_what_failed_alone_again(folder: Path):
    first = typed("run", "run")
    assert first.code == 3
    told = " ".join(first.out.split())
    assert (
        "custom checker failed: the checker of kind sql raised RuntimeError: the database is down (" in told
    )
    assert "the same command retries only these; a changed checker needs a new --out." in told
    Path("mended").touch()
    second = typed("run", "run")
    assert second.code == 0
    assert "of 3 outputs pass" in second.out
    assert len((folder / "run" / "verdicts.jsonl").read_text().splitlines()) == 4


def test_verdicts_of_two_versions_of_a_checker_are_not_mixed(folder: Path):
    typed("run", "run")
    identity = json.loads((folder / "run" / "run.json").read_text())["identity"]
    assert list(identity["checkers"]) == ["sql"]
    Path("own.py").write_text(CHECKER + "\n# changed\n", encoding="utf-8")
    again = typed("run", "run")
    assert (again.code, again.err.splitlines()[-1]) == (
        2,
        "fiducial: run: made by a run that differs in checkers; choose another --out, or remove it",
    )


def test_without_the_checker_the_kind_is_unknown(folder: Path):
    result = fiducial("check", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "v.jsonl")
    assert result.code == 2
    assert result.err.startswith("fiducial: cases.jsonl:1: kind: unknown kind 'sql'; known are tool_call, ")


def test_a_person_may_audit_it(folder: Path):
    Path("mended").touch()
    typed("run", "run")
    shown = fiducial("review", "run", plugin="own.py", by="ann", sample="decided", n="3", out="p.html")
    assert shown.code == 0, shown.err
    assert "Did it do what was asked?" in (folder / "p.html").read_text()
