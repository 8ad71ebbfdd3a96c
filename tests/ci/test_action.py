"""Steps of the GitHub Action, run in order with a `gh` that records its calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
CASES = [
    {
        "id": f"trip-{number}",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": "Book a night in Rome."}],
        "tools": [
            {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        ],
        "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
    }
    for number in range(8)
]


@pytest.fixture
def action() -> dict[str, Any]:
    return YAML(typ="safe").load(ROOT / "action.yml")  # pyright: ignore[reportUnknownMemberType] - ruamel.yaml has no types


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with eight cases, of which the agent got seven right."""
    lines = [json.dumps(case) for case in CASES]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    outputs = [
        {"case_id": c["id"], "system": "bot", "tool_calls": [{"name": "book", "arguments": {"city": city}}]}
        for c, city in zip(CASES, ["Milan"] + ["Rome"] * 7, strict=True)
    ]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, outputs)))
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@" >> gh-calls\n')
    (commands / "gh").chmod(0o755)
    return tmp_path


def play(action: dict[str, Any], folder: Path, **inputs: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the steps except the installation; return each one's result by name.

    A failed step ends the run.
    """
    values = {
        name: str(each.get("default", "")).replace("${{ runner.temp }}", str(folder))
        for name, each in action["inputs"].items()
    } | inputs
    written = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    ended: dict[str, subprocess.CompletedProcess[str]] = {}
    for step in action["runs"]["steps"][1:]:
        status = written["GITHUB_OUTPUT"].read_text().strip() if written["GITHUB_OUTPUT"].exists() else ""
        known = {f"inputs.{name}": value for name, value in values.items()} | {
            "steps.run.outputs.status": status.partition("=")[2],
            "github.event.pull_request.html_url": "https://code.example/pull/7",
        }
        if "!= '2'" in step.get("if", "") and status == "status=2":
            continue
        environment: dict[str, str] = {
            name: known.get(text.strip("${} "), str(text)) for name, text in step.get("env", {}).items()
        }
        paths = [str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        ended[step["name"]] = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env={**os.environ, **environment, "PATH": os.pathsep.join(paths), "RUNNER_TEMP": str(folder)}
            | {name: str(path) for name, path in written.items()},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended[step["name"]].returncode:
            break
    return ended


def test_a_run_is_summarized_and_commented_on_and_its_gate_fails_the_step(
    action: dict[str, Any], folder: Path
):
    ended = play(action, folder, run="cases.jsonl --outputs outputs.jsonl --fail-under pass_rate=0.9")
    assert [step.returncode for step in ended.values()] == [0, 0, 0, 1]
    summary = (folder / "GITHUB_STEP_SUMMARY").read_text()
    assert "bot" in summary
    assert "0.88" in summary
    assert (folder / "fiducial.md").read_text() == summary
    called = (folder / "gh-calls").read_text().splitlines()
    assert called[:3] == ["pr", "comment", "https://code.example/pull/7"]
    assert called[-1] == str(folder / "fiducial.md")


def test_bad_input_is_not_commented_on_and_fails_with_its_line(action: dict[str, Any], folder: Path):
    ended = play(action, folder, run="cases.jsonl --outputs nothing.jsonl")
    assert list(ended) == ["Run", "Gate"]
    assert "nothing.jsonl" in ended["Run"].stderr
    assert ended["Gate"].returncode == 2
    assert not (folder / "gh-calls").exists()


def test_an_earlier_run_is_reported_against(action: dict[str, Any], folder: Path):
    files = (folder / "cases.jsonl", "--outputs", folder / "outputs.jsonl")
    assert fiducial("run", *files, "--out", folder / "before").code == 0
    text = (folder / "outputs.jsonl").read_text()
    (folder / "outputs.jsonl").write_text(text.replace("Milan", "Rome"))
    play(action, folder, run="cases.jsonl --outputs outputs.jsonl", out="after", before="before")
    assert "1 fix" in (folder / "GITHUB_STEP_SUMMARY").read_text()


def test_a_run_that_is_worse_than_the_one_before_fails_the_step(action: dict[str, Any], folder: Path):
    files = (folder / "cases.jsonl", "--outputs", folder / "outputs.jsonl")
    assert fiducial("run", *files, "--out", folder / "before").code == 0
    text = (folder / "outputs.jsonl").read_text()
    same = play(action, folder, run="cases.jsonl --outputs outputs.jsonl", out="same", before="before")
    assert same["Gate"].returncode == 0
    (folder / "outputs.jsonl").write_text(text.replace("Rome", "Milan"))
    worse = play(action, folder, run="cases.jsonl --outputs outputs.jsonl", out="worse", before="before")
    assert worse["Gate"].returncode == 1
    assert (folder / "fiducial.md").read_text().startswith("Fails: ")
    strict = {"out": "again", "before": "before", "gate": "--max-drop 0.5; touch evaluated"}
    refused = play(action, folder, run="cases.jsonl --outputs outputs.jsonl", **strict)
    assert (refused["Gate"].returncode, (folder / "evaluated").exists()) == (2, False)


def test_arguments_are_split_and_not_evaluated(action: dict[str, Any], folder: Path):
    ended = play(action, folder, run="'cases.jsonl' --outputs '$(touch evaluated)'; touch evaluated")
    assert ended["Gate"].returncode == 2
    assert not (folder / "evaluated").exists()


def test_no_expression_stands_within_a_script(action: dict[str, Any]):
    assert [step["name"] for step in action["runs"]["steps"] if "${{" in step["run"]] == []


def test_no_program_of_the_checkout_is_imported(action: dict[str, Any], folder: Path):
    for name in ("shlex.py", "os.py", "pip/__init__.py", "pip/__main__.py", "sitecustomize.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("open('imported', 'a').write(__name__)\n")
    install, *others = action["runs"]["steps"]
    first = {"inputs": action["inputs"], "runs": {"steps": [None, install]}}
    play(first, folder, install="--version")  # fails where pip is not installed
    ended = play(action, folder, run="cases.jsonl --outputs outputs.jsonl --fail-under pass_rate=0.2")
    assert (install["name"], list(ended)) == ("Install", [step["name"] for step in others])
    assert {step.returncode for step in ended.values()} == {0}
    assert not (folder / "imported").exists()


@pytest.mark.parametrize("kind", ["folder", "file", "link", "dangling link"])
def test_a_run_folder_that_exists_is_refused(action: dict[str, Any], folder: Path, kind: str):
    out = folder / "theirs"
    if kind == "folder":
        out.mkdir()
    elif kind == "file":
        out.touch()
    else:
        out.symlink_to(folder if kind == "link" else folder / "nowhere")
    ended = play(action, folder, run="cases.jsonl --outputs outputs.jsonl", out=str(out))
    assert (list(ended), ended["Gate"].returncode) == (["Run", "Gate"], 2)
    assert str(out) in ended["Run"].stderr


def test_the_run_folder_is_outside_of_the_checkout_by_default(action: dict[str, Any]):
    assert action["inputs"]["out"]["default"].startswith("${{ runner.temp }}/")
