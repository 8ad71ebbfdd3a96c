"""Options of commands on calibration tables; output of all commands as text and JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..api.paths import redacted, written_path
from ..errors import ColumnsError
from ..records import atomic_write
from .label_options import grade_options, grades_given, grades_typed, score_scale_option
from .param_types import EXISTING, EXISTING_FILE, Whole
from .shared_options import compose, json_option, option, pairs, pass_at_option

if TYPE_CHECKING:
    from ..api.display import Document, Shown, ShownOnPage
    from ..api.tables import Table


_CREDENTIALS = re.compile(r"(?<!abfs:)(?<!abfss:)//[^/@\s]+@")


def command_line() -> str:
    """Return the command as typed, for the record, without credentials in URLs."""
    args = (each if "http" in each else redacted(each) for each in sys.argv[1:])
    return _CREDENTIALS.sub("//***@", shlex.join(["fiducial", *args]))


def echo_answer(lines: Sequence[str]) -> None:
    """Print lines; on a terminal those of the first paragraph are bold, unless NO_COLOR is set.

    Indented lines continue a paragraph.
    """
    bold = not os.environ.get("NO_COLOR")
    for number, line in enumerate(lines):
        bold = bold and bool(line.strip()) and (number == 0 or line.startswith(" "))
        click.echo(click.style(line, bold=True) if bold else line)


Command = TypeVar("Command", bound=Callable[..., Any])

column_option = option(
    "--map",
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="Name a column that is not recognised: score=verdict, label=gold; cluster=item_id treats items as independent.",
)

_TABLES = f"{__name__}.tables"
_PROPOSED = re.compile(r"((?:`|  )fiducial )(plan|review) (?:TABLE|RUN)\b")
"""A proposed command with a placeholder, since a result does not know its table's path."""

_ACCEPTS = f"{__name__}.accept_edited"


def _accept_edited(ctx: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001 - as click has it
    ctx.meta[_ACCEPTS] = given


_VERBOSE = f"{__name__}.verbose"


def _keep_verbose(ctx: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001 - as click has it
    ctx.meta[_VERBOSE] = given


verbose_option = option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=_keep_verbose,
    help="Print everything instead of one screen.",
)


def is_verbose() -> bool | None:
    """Return whether ``-v`` was given; None for a command without it."""
    return click.get_current_context().meta.get(_VERBOSE)


def accepts_edited() -> bool:
    """Return whether ``--accept-edited`` was given."""
    return click.get_current_context().meta.get(_ACCEPTS, False)


_TABLE_OPTIONS = (
    click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=EXISTING),
    option("--labels", type=EXISTING_FILE,
           help="Trusted labels: a CSV, JSON Lines or Parquet table with id, label (and system), or verdicts (JSON Lines)."),
    column_option,
    grade_options,
    score_scale_option,
    pass_at_option,
    option("--accept-edited", is_flag=True, expose_value=False, callback=_accept_edited,
           help="Accept run folders whose verdicts were edited by hand."),
    json_option,
    verbose_option,
)  # fmt: skip

_RESAMPLING_OPTIONS = (
    option("--seed", type=int, default=0, help="Seed of the bootstrap."),
    option("--replicates", type=Whole(100, 1_000_000), default=2_000, help="Bootstrap replicates."),
)


def table_options(*, resamples: bool) -> Callable[[Command], Command]:
    """Return the arguments TABLE..., --labels, --column, --pass-at and --json.

    With ``resamples``, --seed and --replicates are added.
    """
    return compose(*_TABLE_OPTIONS, *(_RESAMPLING_OPTIONS if resamples else ()))


def load_table(
    tables: tuple[Path, ...], columns: tuple[str, ...], labels: Path | None, **reading: Any
) -> Table:
    """Read the tables of a command line as `fiducial.api.tables.read` does.

    Notes about how they were read go to stderr.
    """
    from ..api.tables import read

    _keep_words(tables, columns, labels)
    try:
        table = read(
            tables,
            labels=labels,
            map=pairs("--map", columns),
            accept_edited=accepts_edited(),
            **grades_given(),
            **reading,
        )
    except ColumnsError as error:
        if error.options:
            error.message = error.message.removesuffix(error.options) + f"`{command_line()} {error.options}`"
        raise
    for note in table.notes:
        click.echo(f"note: {note.replace('`--map ', f'`{command_line()} --map ', 1)}", err=True)
    return table


def _keep_words(tables: tuple[Path, ...], columns: tuple[str, ...], labels: Path | None) -> None:
    """Keep the table arguments for the commands that a result proposes."""
    names = [str(table) for table in tables]
    options = [word for column in columns for word in ("--map", column)]
    options += [] if labels is None else ["--labels", str(labels)]
    meta = click.get_current_context().meta
    meta[_TABLES] = {"plan": shlex.join([*names, *options, *grades_typed()]), "review": shlex.join(names)}


def _with_tables(text: str) -> str:
    """Replace the placeholders in proposed commands by the table arguments."""
    words = click.get_current_context().meta.get(_TABLES)
    if words is None:
        return text
    return _PROPOSED.sub(lambda found: f"{found[1]}{found[2]} {words[found[2]]}", text)


def emit(
    found: Shown,
    json_file: str | None,
    *,
    full: Document | None = None,
    screen: Callable[[int], Document] | None = None,
    closing: Sequence[str] = (),
    wrapped: bool = True,
) -> None:
    """Print a result on one screen, or everything with ``-v``; write its JSON if requested.

    Commands without ``-v`` print everything. With ``--json -`` only the JSON is printed.

    Args:
        found: The result.
        json_file: Path of its JSON, if any.
        full: The document printed with ``-v``; by default the result's.
        screen: Makes a screen of at most so many lines; by default the result's.
        closing: Lines after either.
        wrapped: Break paragraphs to the screen's width; False if they hold paths to copy.
    """
    from ..api.display import SCREEN, WIDTH, as_lines

    if json_file is not None:
        text = json.dumps(found.to_dict(), indent=2, allow_nan=False)
        if json_file == "-":
            click.echo(text)
            return
        with atomic_write(written_path(json_file)) as file:
            file.write(f"{text}\n".encode())
    whole = list(
        as_lines(
            found.document() if full is None else full,
            full=is_verbose() or False,
            width=WIDTH if wrapped and not is_verbose() else None,
        )
    )
    if is_verbose() is False:
        room = SCREEN - 1 - len(closing)
        lines = list(as_lines((screen or found.screen)(room), width=WIDTH))
        whole = lines if lines == whole else [*lines, "(-v prints everything)"]
    echo_answer(_with_tables("\n".join([*whole, *as_lines(closing)])).split("\n"))


def emit_page(
    found: ShownOnPage,
    html: Path | None,
    *,
    json_file: str | None,
    markdown: bool = False,
    closing: Sequence[str] = (),
) -> None:
    """Print a result, or its Markdown, and write its page if one is named.

    The path of the page goes to stderr if stdout is Markdown or JSON.
    """
    if markdown:
        click.echo(found.to_markdown())
    else:
        emit(found, json_file, closing=closing)
    if html is not None:
        click.echo(f"report: {found.report(html)}", err=markdown or json_file == "-")


def gate_failures(lines: Iterable[str]) -> int:
    """Print the gates that failed, and return the exit code."""
    code = 0
    for line in lines:
        click.echo(line, err=True)
        code = 1
    return code
