"""Notes and errors on stderr, apart from a command's results."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click


def note(text: str) -> None:
    """Print a note."""
    say(f"note: {text}")


def say(message: str) -> None:
    """Print a message on stderr, on a terminal broken at blanks to a screen's width.

    Elsewhere it is one line, which logs are searched for. A command in backticks is never broken, so that it can be copied.
    """
    lines: Iterable[str] = [message]
    if sys.stderr.isatty():
        from ..api.display import WIDTH, as_lines  # most commands end without a message

        lines = as_lines(lines, width=WIDTH)
    for line in lines:
        click.echo(line, err=True)
