"""Printing of results: one screen or everything, JSON, pages, failed gates."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..api.inert_text import inert_json
from ..api.paths import written_path
from ..errors import UsageError
from ..proposed_steps import read_by
from ..records import atomic_write
from ..records.addresses import redact, redact_credentials
from .exit_codes import EXIT_GATE, EXIT_OK
from .forms import stored_values

if TYPE_CHECKING:
    from ..api.display import Document, Result, ResultOnPage
    from ..api.run import Run
    from ..proposed_steps import Command

_HTTP = re.compile(r"\bhttps?://")


_DISPLAY_OPTION = re.compile(r"-[vq]+|--verbose|--quiet")
"""Options that change nothing but what is printed."""


def command_line() -> str:
    """Return the command as typed, without display options and credentials in addresses.

    The query of an endpoint's address stays, since it may name the version of an API.
    """
    words = (word for word in sys.argv[1:] if not _DISPLAY_OPTION.fullmatch(word))
    args = (redact_credentials(word) if _HTTP.search(word) else redact(word) for word in words)
    return shlex.join(["fiducial", *args])


def echo_answer(lines: Sequence[str]) -> None:
    """Print lines; on a terminal those of the first paragraph are bold, unless NO_COLOR is set.

    Indented lines continue a paragraph.
    """
    bold = not os.environ.get("NO_COLOR")
    for number, line in enumerate(lines):
        bold = bold and bool(line.strip()) and (number == 0 or line.startswith(" "))
        click.echo(click.style(line, bold=True) if bold else line)


_READ_BY = f"{__name__}.read_by"
"""Key in click's context of the commands that read the tables of the running one."""


def is_verbose() -> bool | None:
    """Return whether ``-v`` was given, or None for a command without it."""
    return stored_values().get("verbose")


def propose_tables(**commands: Command) -> None:
    """Store the commands that read the tables of the running one, by verb, to be proposed."""
    click.get_current_context().meta[_READ_BY] = commands


def emit(
    result: Result,
    json_file: str | None,
    *,
    full: Callable[[], Document] | None = None,
    screen: Callable[[int], Document] | None = None,
    closing: Sequence[str] = (),
    wrapped: bool = True,
) -> None:
    """Print a result on one screen, or everything with ``-v``; write its JSON if requested.

    Commands without ``-v`` print everything. With ``--json -`` only the JSON is printed.

    Args:
        result: The result.
        json_file: Path of its JSON, if any.
        full: Function that makes the document printed with ``-v``; by default the result's.
        screen: Function that makes a screen of at most so many lines; by default the result's.
        closing: Lines after the screen or document.
        wrapped: Whether to break paragraphs at the screen's width; False if they contain paths to copy.
    """
    from ..api.display import SCREEN, WIDTH, as_lines

    write_json(result, json_file)
    if json_file == "-":
        return
    width = WIDTH if wrapped and not is_verbose() else None
    with read_by(click.get_current_context().meta.get(_READ_BY, {})):
        lines = list(as_lines((full or result.document)(), full=is_verbose() or False, width=width))
        if is_verbose() is False:
            room = SCREEN - 1 - len(closing)
            summary = list(as_lines((screen or result.screen)(room), width=WIDTH))
            lines = summary if summary == lines else [*summary, "(-v prints everything)"]
    echo_answer([*lines, *as_lines(closing)])


def echo_json(text: str) -> None:
    """Print JSON, in which no name is a command of the CI."""
    click.echo(inert_json(text))


def write_json(result: Result | Run, json_file: str | None) -> None:
    """Write the result's JSON to a file, or print it for ``-``."""
    if json_file is None:
        return
    text = json.dumps(result.to_dict(), indent=2, allow_nan=False)
    if json_file == "-":
        echo_json(text)
        return
    with atomic_write(written_path(json_file)) as file:
        file.write(f"{text}\n".encode())


def emit_page(
    result: ResultOnPage,
    html: Path | None,
    *,
    json_file: str | None,
    markdown: bool = False,
    closing: Sequence[str] = (),
) -> None:
    """Print a result, or its Markdown, and write its page if one is named.

    The path of the page goes to stderr if stdout is Markdown or JSON.
    """
    if markdown and json_file == "-":
        raise UsageError("--markdown and --json both print: name a file with --json FILE, or drop one")
    if markdown:
        write_json(result, json_file)
        click.echo(result.to_markdown())
    else:
        emit(result, json_file, closing=closing)
    if html is not None:
        click.echo(f"report: {result.report(html)}", err=markdown or json_file == "-")


def print_gate_failures(lines: Iterable[str]) -> int:
    """Print the gates that failed, and return the exit code."""
    code = EXIT_OK
    for line in lines:
        click.echo(line, err=True)
        code = EXIT_GATE
    return code
