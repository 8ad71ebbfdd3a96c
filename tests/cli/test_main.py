from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command import fiducial

from fiducial.cli.main import cli


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("frobnicate",), "fiducial: No such command 'frobnicate'. (see `fiducial --help`)"),
        (("rn",), "fiducial: No such command 'rn' (did you mean 'run'?) (see `fiducial --help`)"),
        (
            ("check", ".", "--out", "x"),
            "fiducial: Missing option '--outputs'. For example: `fiducial check cases.jsonl --outputs outputs.jsonl --out verdicts.jsonl` (see `fiducial check --help`)",
        ),
        (
            ("audit", "mutate", "--out", "x"),
            "fiducial: Missing argument 'CASES'. For example: `fiducial audit mutate cases.jsonl --outputs right.jsonl --out probes` (see `fiducial audit mutate --help`)",
        ),
        (
            ("check", ".", "--outputs", ".", "--out", "x", "--rules", "loose"),
            "fiducial: Invalid value for '--rules': 'loose' is not one of 'bfcl', 'strict'. (see `fiducial check --help`)",
        ),
    ],
)
def test_bad_usage_is_exit_code_2_and_one_line_that_says_where_to_look(args: tuple[str, ...], line: str):
    result = fiducial(*args)
    assert (result.code, result.err, result.out) == (2, f"{line}\n", "")


@pytest.mark.parametrize(
    ("args", "proposed"),
    [
        (("plan", "--draw", "5"), "'--next'"),
        (("plan", "--dea", "0.9,0.8"), "'--expensive'"),
        (("calibrate", "x", "--colum", "a=b"), "'--map'"),
        (("gate", "x", "--mn", "1"), "'--min'"),
    ],
)
def test_only_current_names_of_options_are_proposed(args: tuple[str, ...], proposed: str):
    result = fiducial(*args)
    assert (result.code, "Did you mean" in result.err, proposed in result.err) == (2, True, True)
    assert not {former for former in ("'--dear'", "'--column'") if former in result.err}


@pytest.mark.parametrize("args", [(), ("audit",), ("cases",)])
def test_a_group_alone_shows_what_it_has(args: tuple[str, ...]):
    result = fiducial(*args)
    assert (result.code, "--help" in result.out + result.err) == (2, True)


def commands(group: click.Group = cli, name: str = "fiducial") -> Iterator[tuple[str, click.Command]]:
    """All commands by what is typed, groups before those in them."""
    for list_command in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), list_command)
        assert command is not None
        yield f"{name} {list_command}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {list_command}")


def test_a_group_says_what_each_of_its_commands_is_for_without_breaking_off():
    groups = [name for name, command in commands() if isinstance(command, click.Group)]
    assert "fiducial audit" in groups
    for name in groups:
        listed = fiducial(*name.split()[1:], "--help").out.partition("Commands:\n")[2]
        assert [line for line in listed.splitlines() if line.endswith("...")] == []


def test_help_names_the_arguments_of_a_command_as_its_usage_does():
    for name, command in commands():
        usage = fiducial(*name.split()[1:], "--help").out.partition("\n\n")[0]
        summary = (command.help or "").partition("\n")[0]
        named = re.findall(r"(?<![$`A-Z_])[A-Z]+_[A-Z_]+", summary)
        assert [word for word in named if word not in usage] == [], name


def test_the_help_of_every_command_shows_it_in_an_example():
    single = [name for name, command in commands() if not isinstance(command, click.Group)]
    assert "fiducial audit run" in single
    for name in single:
        shown = fiducial(*name.split()[1:], "--help")
        assert (shown.code, name in shown.out.partition("Example")[2]) == (0, True), name


def test_a_line_that_is_cut_off_is_named_with_the_column_where_it_ends(tmp_path: Path):
    (tmp_path / "c.jsonl").write_text('{"id": "a", \n')
    result = fiducial("check", tmp_path / "c.jsonl", "--outputs", tmp_path / "c.jsonl", "--out", "x")
    assert (result.code, "c.jsonl:1: not JSON: " in result.err, "at column 13" in result.err) == (
        2,
        True,
        True,
    )


NOT_FOR_PROBES = (
    "fiducial.judges.prompt_judge fiducial.judges.judge_prompt fiducial.judges.transport.connect "
    "fiducial.calibration.intervals fiducial.formats"
)


def loaded(*steps: tuple[str, str]) -> list[list[str]]:
    """Import modules in a fresh process; return which of the named ones each has loaded."""
    code = ["import sys"]
    for imported, named in steps:
        code += [f"import {imported}", f"print(*(name for name in {named.split()} if name in sys.modules))"]
    told = subprocess.run([sys.executable, "-c", "\n".join(code)], check=True, capture_output=True, text=True)
    return [line.split() for line in told.stdout.split("\n")[:-1]]


def test_the_list_of_commands_loads_no_records_and_making_probes_no_judge_and_no_way_to_a_model():
    assert loaded(
        ("fiducial.cli.main", "fiducial.records fiducial.report fiducial.calibration fiducial.api.run"),
        ("fiducial.cli.audit, fiducial.api.mutating", NOT_FOR_PROBES),
    ) == [[], []]


def test_a_run_of_judges_loads_no_report_before_the_first_call_and_no_numpy_before_a_number_needs_it():
    assert loaded(
        (
            "fiducial.cli.judge, fiducial.cli.evaluate",
            "fiducial.report.html fiducial.report.next_step fiducial.deterministic",
        ),
        ("fiducial.api.run_files, fiducial.report.from_run", "numpy pandas scipy openai"),
    ) == [[], []]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("run --k 3", "`fiducial trials` has --k."),
        ("calibrate --only a", "`fiducial run`, `fiducial check`, `fiducial judge` and others have --only."),
        ("check --fail-under pass_rate=1", "`fiducial run`, `fiducial calibrate`, `fiducial judge` and others have --fail-under."),
    ],
)  # fmt: skip
def test_an_option_of_another_command_names_it(typed: str, told: str):
    result = fiducial(*typed.split())
    assert result.code == 2
    assert told in result.err
    assert "have" not in fiducial("check", "--nowhere-known").err
