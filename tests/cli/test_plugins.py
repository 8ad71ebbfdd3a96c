from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import fiducial
from installed_plugins import Install

CHECKER = """
from fiducial.plugins import CHECKERS

@CHECKERS.registering("sql")
def same_rows(case, output):
    return True
"""


def test_what_is_found_is_listed_with_its_source_and_what_is_not_with_the_reason(
    install: Install, tmp_path: Path
):
    (tmp_path / "rows.py").write_text(CHECKER, encoding="utf-8")
    install("worlds", "Garden", "no_such_module:Garden")
    shown = fiducial("plugins", "--plugin", tmp_path / "rows.py")
    assert shown.code == 0
    checker, world = shown.out.splitlines()
    assert checker.split()[:2] == ["checkers", "sql"]
    assert checker.endswith(":same_rows")
    assert world == (
        "worlds    Garden  no_such_module:Garden  not loaded: ModuleNotFoundError: No module named 'no_such_module'"
    )


def test_a_machine_reads_the_same_as_json(install: Install):
    install("worlds", "Garden", "no_such_module:Garden")
    (found,) = json.loads(fiducial("plugins", "--json").out)
    assert found == {
        "group": "worlds",
        "name": "Garden",
        "source": "no_such_module:Garden",
        "problem": "ModuleNotFoundError: No module named 'no_such_module'",
    }


def test_where_nothing_is_added_the_page_that_shows_how_is_named(install: Install):
    assert fiducial("plugins").out == "no plugins; docs/extending.md shows how to write one\n"


@pytest.mark.parametrize(
    "command", [("check", "c.jsonl", "--outputs", "o.jsonl", "--out", "v"), ("cache", "info")]
)
def test_every_command_takes_plugins_and_says_in_one_line_what_is_wrong_with_one(
    command: tuple[str, ...], own_module: Callable[[str, str], Path], install: Install
):
    path = own_module("rows", "import no_such_module")
    shown = fiducial(*command, "--plugin", path)
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == (
        f"fiducial: {path}: cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'\n"
    )
