"""`--text`, and folders that were checked before there was one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd

TOOL = {"name": "save", "parameters": {"type": "object", "properties": {"key": {"type": "string"}}}}


def save(key: str) -> dict[str, Any]:
    return {"name": "save", "arguments": {"key": key}}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Arguments for two cases, and outputs of which one differs in form."""
    cases = [
        {"id": key, "kind": "tool_call", "tools": [TOOL], "reference": {"calls": [save(key)]}}
        for key in ("sk-AbC1", "x")
    ]
    outputs = [
        {"case_id": "sk-AbC1", "system": "s", "tool_calls": [save("sk-aBc1")]},
        {"case_id": "x", "system": "s", "tool_calls": [save("x")]},
    ]
    for name, rows in {"cases": cases, "outputs": outputs}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(tmp_path / "cases.jsonl"), "--outputs", str(tmp_path / "outputs.jsonl")]


def results(folder: str = "run") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "run.json").read_text())["results"][0]
    return found


def test_the_first_screen_gives_the_rate_either_way_and_names_both_rules_and_review(files: list[str]):
    result = fiducial("run", *files, "--out", "run")
    assert results()["form"] == {"outputs": 1, "loose": 1.0, "exact": 0.5, "imported": 0}
    words = " ".join(result.out.split())
    assert "1 output differs only in form: with `--text loose` 1.00, with `--text exact` 0.50" in words
    assert "fiducial review run" in words.partition("Next:")[2]


@pytest.mark.parametrize(("text", "rate"), [("loose", 1.0), ("exact", 0.5)])
def test_the_rule_settles_what_differs_in_form(files: list[str], text: str, rate: float):
    fiducial("run", *files, "--out", "run", "--text", text)
    assert (results()["overall"]["value"], results().get("form")) == (rate, None)


def test_another_rule_is_another_run(files: list[str]):
    fiducial("run", *files, "--out", "run")
    refused = fiducial("run", *files, "--out", "run", "--text", "loose")
    assert (refused.code, "differs in text" in refused.err) == (2, True)


def earlier_folder(files: list[str]) -> dict[str, Any]:
    """Make a folder as an earlier version left it."""
    fiducial("run", *files, "--out", "run", "--text", "loose")
    manifest: dict[str, Any] = json.loads(Path("run/run.json").read_text())
    for key in ("text", "rules_version"):
        del manifest["identity"][key]
    Path("run/run.json").write_text(json.dumps(manifest))
    return manifest


def test_a_folder_of_earlier_rules_goes_on_by_them_and_says_so(files: list[str]):
    earlier_folder(files)
    result = fiducial("run", *files, "--out", "run")
    assert (result.code, results()["overall"]["value"]) == (0, 1.0)
    assert "checked under earlier rules" in result.out
    assert "rules_version" not in json.loads(Path("run/run.json").read_text())["identity"]
    assert fiducial("run", *files, "--out", "run", "--text", "loose").code == 0


def test_a_folder_of_earlier_rules_does_not_go_on_by_exact_ones(files: list[str]):
    earlier_folder(files)
    refused = fiducial("run", *files, "--out", "run", "--text", "exact")
    assert (refused.code, "earlier rules" in refused.err) == (2, True)


def test_python_takes_the_rule_too():
    case = {"id": "c", "kind": "tool_call", "tools": [TOOL], "reference": {"calls": [save("Ab")]}}
    output = {"tool_calls": [save("ab")]}
    assert fd.check(case, output).outcome == "undecided"
    assert fd.check(case, output, text="loose").score == 1.0
    assert fd.check(case, output, text="exact").score == 0.0
