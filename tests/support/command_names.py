"""Names of all commands of the command line, and the lines in `every_command` that type them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import click
from every_command import COMMANDS

from fiducial.cli.main import cli


def every_name() -> list[str]:
    """Return the names of all commands that the command line has, as ``audit run``."""
    return [*_names_below(cli, click.Context(cli), ())]


def _names_below(command: click.Command, context: click.Context, path: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from _names_below(below, context, (*path, name))


def lines_of(name: str) -> list[str]:
    """Return which of `COMMANDS` type a command of `every_name`."""
    return [each for each, line in COMMANDS.items() if f"{line} ".startswith(f"{name} ")]


def lacks_package(line: str) -> bool:
    """Return whether a line needs an optional package that is not installed here."""
    return line in lines_of("mcp") and find_spec("mcp") is None
