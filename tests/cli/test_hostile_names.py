"""Hostile names in data neither reach the terminal as controls nor stop a command.

They hold control characters, and text that UTF-8 cannot encode.
"""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from provider_server import ProviderServer, in_the_form_asked_for

from fiducial.cli.main import main

pytestmark = pytest.mark.attack("terminal and report")

NAME = "\ud800\x1b[2Jé"


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path]:
    """Two open and two decided cases whose every name is hostile."""
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    made = [
        {"id": f"{NAME}{n}", "kind": "open_answer", "cluster": NAME, "reference": {"criterion": NAME}}
        if n < 2
        else {"id": f"{NAME}{n}", "kind": "no_call", "cluster": NAME}
        for n in range(4)
    ]
    cases.write_text("".join(json.dumps(case) + "\n" for case in made))
    answers = [{"case_id": f"{NAME}{n}", "system": NAME, "text": NAME} for n in range(4)]
    outputs.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    return cases, outputs


def typed(*args: str | Path) -> tuple[int, bytes, bytes]:
    """Run a command whose streams encode what is printed, as those of a process do."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with (
        patch.object(sys, "argv", ["fiducial", *map(str, args)]),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
    ):
        try:
            main()
        except SystemExit as leave:
            code = leave.code or 0
    return code, printed(out), printed(err)


def printed(stream: TextIOWrapper) -> bytes:
    stream.seek(0)
    return bytes(stream.buffer.read())


def test_every_step_of_a_run_works_and_prints_nothing_that_a_terminal_obeys(
    inputs: tuple[Path, Path], server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    server.script = in_the_form_asked_for(lambda _seen: 1)
    cases, outputs = inputs
    folder = tmp_path / "run"
    judge = ("--judge", "rubric", "tool_call_accuracy", "--model", "m", "--base-url", server.base_url)
    run = ("run", cases, "--outputs", outputs, *judge, "--out", folder)
    commands = [
        ("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl"),
        run,
        run,
        ("report", folder),
        ("review", folder),
        ("calibrate", folder),
    ]
    for command in commands:
        code, out, err = typed(*command)
        assert (code, b"\x1b" in out + err, b"Traceback" in err) == (0, False, False), (command[0], err)
    assert "\\ud800\\u001b[2Jé: ".encode() in typed(*run)[1]
    assert "\\ud800\\u001b[2Jé\n".encode() in typed(*run, "-v")[1]


def test_an_error_names_a_hostile_field_without_obeying_it(inputs: tuple[Path, Path], tmp_path: Path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"case_id": f"{NAME}0", "system": "s", "\x1b[2J": 1}) + "\n")
    code, _, err = typed("check", inputs[0], "--outputs", bad, "--out", tmp_path / "out.jsonl")
    assert (code, b"\x1b" in err, b"\\x1b[2J" in err) == (2, False, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    command = [sys.executable, "-m", "fiducial", "prompts", "show", "groundedness"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"fiducial: No space left on device\n")


def test_files_and_folders_whose_names_are_no_utf8_are_read_and_written(
    inputs: tuple[Path, Path], tmp_path: Path
):
    named = [path.with_name(f"\udcff{path.name}") for path in inputs]
    for path, other in zip(inputs, named, strict=True):
        path.rename(other)
    out = tmp_path / "run\udcfe"
    run = ("run", named[0], "--outputs", named[1], "--judge", "rubric@baseline", "--out", out)
    for command in (
        run,
        run,
        ("report", out),
        ("calibrate", out),
        ("review", out, "--by", "\udcfd"),
        ("export", out, "--to", "hf", "--out", tmp_path / "hf\udcfe"),
        ("check", named[0], "--outputs", named[1], "--out", tmp_path / "checked\udcfe"),
        ("import", "json", named[1], "--out", tmp_path / "imported\udcfe"),
    ):
        code, _, err = typed(*command)
        assert b"Traceback" not in err, err
        assert code in {0, 2}, err
