"""The command line is a client of the public Python API and imports nothing behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CLI = Path(__file__).parents[2] / "cli"

PUBLIC = {"api", "errors", "proposed_steps", "records", "settings", "spelling", "tables", "version"}
"""Rooms that are there for users: the doors, the nouns, what can be set, what is raised, and which version this is."""


def rooms(path: Path) -> Iterator[str]:
    """The rooms of the package that a module imports from, at its top or anywhere else."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            yield from (
                [(node.module or "").partition(".")[0]] if node.module else [each.name for each in node.names]
            )
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [each.name for each in node.names]
            )
            yield from (name.split(".")[1] for name in names if name.startswith("fiducial."))


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda path: path.stem)
def test_a_command_imports_nothing_but_the_public_api(path: Path):
    assert set(rooms(path)) <= PUBLIC
