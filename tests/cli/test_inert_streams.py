from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import click
import pytest
from command import fiducial

from fiducial.cli.inert_streams import InertStream, inert_streams
from fiducial.records import Case, Output, write_records

pytestmark = pytest.mark.attack("terminal and report")

NAMES = [
    "::stop-commands::x",
    "##[add-mask]0.5",
    "##vso[task.complete result=Succeeded]",
    " ::error file=a,line=1::x",
]


def obeyed(text: str) -> list[str]:
    """Return the lines in which a runner sees the beginning of a command."""
    return [
        line
        for line in text.splitlines()
        if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line
    ]


@pytest.mark.parametrize(
    "parts", ["::add-mask::x", "a\n  ::add-mask::x", "##[add-mask]x", "a" * 100 + "##vso[x]", "\r::x::"]
)
def test_a_command_is_broken_in_whatever_parts_it_is_written(parts: str):
    for size in range(1, len(parts)):
        written = io.StringIO()
        stream = InertStream(written)
        for start in range(0, len(parts), size):
            stream.write(parts[start : start + size])
        assert not obeyed(written.getvalue())
        assert written.getvalue().replace("\\", "") == parts


def test_colons_behind_a_long_line_are_no_command():
    written = io.StringIO()
    stream = InertStream(written)
    stream.writelines(["a" + " " * 1000, "::b"])
    assert written.getvalue() == "a" + " " * 1000 + "::b"


def test_a_command_of_our_own_is_one_line_with_the_data_s_commands_broken():
    written = io.StringIO()
    stream = InertStream(written)
    stream.write("unfinished")
    stream.write_command("::error title=x::a\n::stop-commands::y ##[add-mask]z")
    stream.write("::add-mask::x")
    assert written.getvalue().splitlines() == [
        "unfinished",
        "::error title=x::a ::stop-commands::y ##\\[add-mask]z",
        ":\\:add-mask::x",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_nothing_that_is_printed_gets_round_it_whatever_the_encoding(
    encoding: str, monkeypatch: pytest.MonkeyPatch
):
    raw = {name: io.BytesIO() for name in ("stdout", "stderr")}
    for name, stream in raw.items():
        monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, encoding=encoding))
    with inert_streams():
        for err in (False, True):
            click.echo("::add-mask::é\ud800", err=err)
            click.echo("##[add-mask]é", err=err)
    for name, stream in raw.items():
        getattr(sys, name).flush()
        assert stream.getvalue().startswith(b":\\:add-mask::")
        assert stream.getvalue().endswith((b"\n##\\[add-mask]\xc3\xa9\n", b"\n##\\[add-mask]\xe9\n"))


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """Cases and outputs whose every name is a command of a runner."""
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    write_records(
        cases,
        [
            Case(
                id=f"{name}{number}",
                kind="memory_answer",
                messages=[{"role": "user", "content": name}],
                reference={"answers": [f"{name}a"]},
                cluster=name,
                tags={name: name},
            )
            for name in NAMES
            for number in range(3)
        ],
    )
    write_records(
        outputs,
        [
            Output(case_id=f"{name}{number}", system=system, text=name, error=name if number == 2 else None)
            for name in NAMES
            for system in NAMES
            for number in range(3)
        ],
    )
    return cases, outputs


def test_no_command_prints_a_command_of_the_ci(hostile: tuple[Path, Path], tmp_path: Path):
    cases, outputs = hostile
    run = (
        "run",
        cases,
        "--outputs",
        outputs,
        "--judge",
        "memory_answer",
        "--model",
        "baseline",
        "--out",
        tmp_path / "r",
    )
    bad = tmp_path / "##[add-mask]bad.jsonl"
    bad.write_text(json.dumps({"case_id": "::x::", "##[add-mask]0.5": "::error::x"}))
    for command in (
        ("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl", "-v"),
        (*run, "-v"),
        run,
        ("report", tmp_path / "r"),
        ("report", tmp_path / "r", "--markdown"),
        ("report", tmp_path / "r", tmp_path / "r"),
        ("calibrate", tmp_path / "r"),
        ("compare", tmp_path / "r", "--by", "system", "-v"),
        ("compare", tmp_path / "r", "--by", "system", "--json", "-"),
        ("trials", tmp_path / "r"),
        ("history", tmp_path),
        ("check", cases, "--outputs", bad, "--out", tmp_path / "w.jsonl"),
        ("check", bad, "--outputs", outputs, "--out", tmp_path / "w.jsonl"),
        ("::x::",),
        ("check", "##[add-mask]x"),
    ):
        done = fiducial(*command)
        assert done.out + done.err
        assert not obeyed(done.out + "\n" + done.err), command


def test_json_on_the_screen_has_the_values_of_the_file(hostile: tuple[Path, Path], tmp_path: Path):
    cases, outputs = hostile
    fiducial("run", cases, "--outputs", outputs, "--out", tmp_path / "r")
    compared = ("compare", tmp_path / "r", "--by", "system", "--json")
    printed = fiducial(*compared, "-").out
    fiducial(*compared, tmp_path / "c.json")
    assert not obeyed(printed)
    assert json.loads(printed) == json.loads((tmp_path / "c.json").read_text())
    assert all(name in json.dumps(json.loads(printed)) for name in NAMES)
