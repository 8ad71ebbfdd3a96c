from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import fiducial

from fiducial.cli.team_file import read_team_file
from fiducial.errors import InputError


def test_without_a_file_there_are_no_defaults(tmp_path: Path):
    assert read_team_file(tmp_path).path is None


def test_model_settings_reach_every_command_that_asks_a_model(tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text(
        '[model]\nmodel = "m"\nbase-url = "http://h/v1"\n[run]\nrules = "strict"\n'
    )
    model = {"model": "m", "base-url": "http://h/v1"}
    assert read_team_file(tmp_path).defaults == {
        "run": {**model, "rules": "strict"},
        "judge": model,
        "audit": {"run": model},
    }


def test_a_commands_parameters_do_not_reach_the_other_commands(tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text(
        "[model.judge-parameters]\ntemperature = 0\n[run.judge-parameters]\nseed = 1\n"
    )
    team, shared = read_team_file(tmp_path), {"judge-parameters": {"temperature": 0}}
    assert team.defaults["run"] == {"judge-parameters": {"temperature": 0, "seed": 1}}
    assert (team.defaults["judge"], team.defaults["audit"]["run"], team.model) == (shared, shared, shared)


@pytest.mark.parametrize("root", ["repository", "home"])
def test_the_file_of_a_parent_folder_is_found_within_the_project(tmp_path: Path, root: str):
    (tmp_path / "fiducial.toml").write_text("[check]\nrules = 'strict'\n")
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    if root == "repository":
        (tmp_path / ".git").mkdir()
    home = tmp_path if root == "home" else tmp_path / "elsewhere"
    assert read_team_file(folder, home).defaults == {"check": {"rules": "strict"}}


@pytest.mark.parametrize("root", ["repository", "home", "neither"])
def test_no_file_above_the_project_is_looked_at(tmp_path: Path, root: str):
    (tmp_path / "fiducial.toml").write_text("[check]\nrules = 'bfcl'\n")
    project = tmp_path / "project"
    folder = project / "a"
    folder.mkdir(parents=True)
    if root == "repository":
        (project / ".git").touch()  # a worktree has a file of this name
    assert read_team_file(folder, project if root == "home" else tmp_path / "elsewhere").path is None


@pytest.mark.attack("settings")
def test_tables_and_lists_that_are_nested_without_end_are_told_in_one_line(tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text("a=" + "[" * 50_000 + "]" * 50_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_team_file(tmp_path)


@pytest.mark.parametrize("content", ["rules = 'strict'", "[run", "\x00"])
def test_a_file_that_is_not_tables_is_an_error_that_names_it(tmp_path: Path, content: str):
    (tmp_path / "fiducial.toml").write_text(content)
    with pytest.raises(InputError, match=r"fiducial\.toml"):
        read_team_file(tmp_path)


@pytest.fixture
def team_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write the team's file, and work beside it."""
    monkeypatch.chdir(tmp_path)
    return (tmp_path / "fiducial.toml").write_text


def test_options_are_spelled_as_on_the_command_line(
    team_file: Callable[[str], int], inputs: tuple[Path, Path], tmp_path: Path
):
    cases, outputs = inputs
    team_file('[run]\njudge = "tool_call_accuracy"\nmodel = "baseline"\njudge-on = "7"\n')
    result = fiducial("run", "-v", cases, "--outputs", outputs, "--out", tmp_path / "run")
    assert (result.code, "tool_call_accuracy/lexical@baseline: 7 graded" in result.out) == (0, True)


@pytest.mark.parametrize("of_run", ["judge-parameters", "judge_parameters"])
def test_a_table_is_merged_whatever_the_spelling_of_its_name(tmp_path: Path, of_run: str):
    (tmp_path / "fiducial.toml").write_text(
        "[model.judge-parameters]\ntemperature = 0\nmax_tokens = 9\n"
        f"[run.{of_run}]\nmax_tokens = 7\n[run]\npass_at = 0.6\n"
    )
    table = read_team_file(tmp_path).defaults["run"]
    assert table == {"judge-parameters": {"temperature": 0, "max_tokens": 7}, "pass_at": 0.6}


def test_commands_of_a_group_have_tables_of_their_own(
    team_file: Callable[[str], int], inputs: tuple[Path, Path], tmp_path: Path
):
    cases, outputs = inputs
    fiducial("audit", "mutate", cases, "--outputs", outputs, "--out", tmp_path / "probes")
    team_file('[model]\nmodel = "nobody"\n[audit.run]\nmodel = "baseline"\njudge = ["tool_call_accuracy"]\n')
    result = fiducial("audit", "run", tmp_path / "probes", "--out", tmp_path / "audit")
    assert (result.code, "tool_call_accuracy/lexical@baseline" in result.out) == (0, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[plan]\nhalf-wit = 1", "fiducial.toml: [plan] half-wit: `fiducial plan` has no such option"),
        ("[plann]\nhalf-width = 1", "fiducial.toml: [plann]: `fiducial` has no such command"),
        ("[plan]\nhalf-width = [1, 2]", "fiducial.toml: [plan] half-width: expected one value, got [1, 2]"),
        ("[plan.half-width]\nx = 1", "fiducial.toml: [plan] half-width: expected one value, got {'x': 1}"),
        (
            "[model]\nname = 'm'",
            "fiducial.toml: [audit run] or [model] name: `fiducial audit run` has no such",
        ),
        ("[audit]\nrun = 1", "fiducial.toml: [audit] run: `fiducial audit` has no such command"),
        ("[audit.runn]\nmodel = 'm'", "fiducial.toml: [audit] runn: `fiducial audit` has no such command"),
    ],
)
def test_a_name_that_no_command_has_is_an_error(team_file: Callable[[str], int], content: str, message: str):
    team_file(content)
    command = ("plan", "--half-width", "0.1") if "plan" in content else ("audit", "run", "x", "--out", "y")
    result = fiducial(*command)
    assert (result.code, message in result.err) == (2, True)
