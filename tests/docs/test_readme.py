"""The README is what a new user types: its examples run, and what it shows is what is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import fiducial

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def records(block: str) -> list[object]:
    """The JSON values of a block, one after the other, whatever lines they are on."""
    decoder, values, position = json.JSONDecoder(), list[object](), 0
    while position < len(block):
        value, position = decoder.raw_decode(block, position)
        values.append(value)
        position += len(block[position:]) - len(block[position:].lstrip())
    return values


def test_the_example_records_are_scored(tmp_path: Path):
    cases, outputs = (records(block) for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL))
    for name, rows in (("cases.jsonl", cases), ("outputs.jsonl", outputs)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    args = ("--outputs", tmp_path / "outputs.jsonl", "--out", tmp_path / "verdicts.jsonl")
    result = fiducial("check", tmp_path / "cases.jsonl", *args)
    assert result.code == 0, result.err
    scores = [json.loads(line)["score"] for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert scores == [1.0, 0.0]


def test_the_demo_output_shown_is_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (shown,) = re.findall(r"<!-- demo -->\n```text\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    printed = fiducial("demo", "--out", "demo").out
    for piece in re.split(r"^ *\[\.\.\.\]\n", shown, flags=re.MULTILINE):
        assert piece.strip("\n") in printed
        printed = printed.partition(piece.strip("\n"))[2]
    assert printed.strip() == ""


def test_every_page_of_the_documentation_is_linked():
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages
    assert pages - set(re.findall(r"\]\(([^)#]+)", README)) == set()


def test_every_command_named_exists():
    for name in set(re.findall(r"`fiducial ([a-z]+)", README)):
        assert fiducial(name, "--help").code == 0, name
