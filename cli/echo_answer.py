"""Print an answer: on a terminal its first sentence is bold."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click


def echo_answer(lines: Sequence[str]) -> None:
    """Print lines; on a terminal those of the first paragraph are bold, unless NO_COLOR is set.

    A paragraph goes on in indented lines.
    """
    bold = not os.environ.get("NO_COLOR")
    for number, line in enumerate(lines):
        bold = bold and bool(line.strip()) and (number == 0 or line.startswith(" "))
        click.echo(click.style(line, bold=True) if bold else line)
