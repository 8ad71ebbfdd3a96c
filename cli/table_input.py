"""What the commands on calibration tables share: their arguments, and how JSON leaves them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import UsageError
from ..records import atomic_write
from .options import Whole, json_option, pass_at_option

if TYPE_CHECKING:
    from ..api.shown import Document, Shown
    from ..api.tables import Table

Command = TypeVar("Command", bound=Callable[..., Any])

_CONTRACT = ("item_id", "judge", "score", "label", "cluster", "system", "repeat", "order")

_NUMBERS = (
    "checker_score",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "label_probability",
    "label_round",
)

column_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=THEIRS",
    help="Where a table names a column differently: label=gold; cluster=item_id takes items as independent.",
)

_ACCEPTS = f"{__name__}.accept_edited"


def _accept_edited(ctx: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001 - as click has it
    ctx.meta[_ACCEPTS] = given


def accepts_edited() -> bool:
    """Whether ``--accept-edited`` was given."""
    return click.get_current_context().meta.get(_ACCEPTS, False)


_TABLE_OPTIONS = (
    click.argument(
        "tables", metavar="TABLE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
    ),
    click.option(
        "--labels",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Verdicts (JSONL) that are trusted: labels of the items named case_id|system|trial, as of run folders. "
        "A table with ids of its own takes labels as a column.",
    ),
    column_option,
    pass_at_option,
    click.option(
        "--accept-edited",
        is_flag=True,
        expose_value=False,
        callback=_accept_edited,
        help="Take run folders whose verdicts were changed by hand since the run wrote them.",
    ),
    json_option,
)

_RESAMPLING_OPTIONS = (
    click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap."),
    click.option(
        "--replicates",
        type=Whole(100, 1_000_000),
        default=2_000,
        show_default=True,
        help="Bootstrap replicates.",
    ),
)


def table_options(*, resamples: bool) -> Callable[[Command], Command]:
    """Add the arguments TABLE..., --labels, --column, --pass-at and --json.

    Args:
        resamples: Whether to add --seed and --replicates too.

    Returns:
        The decorator.
    """

    def decorate(command: Command) -> Command:
        for option in reversed(_TABLE_OPTIONS + (_RESAMPLING_OPTIONS if resamples else ())):
            command = option(command)
        return command

    return decorate


def load_table(
    tables: tuple[Path, ...],
    columns: tuple[str, ...],
    labels: Path | None,
    *,
    draws: tuple[Path, ...] = (),
    lexical: bool = False,
    open_only: bool = False,
    outputs: bool = False,
    adjudications: Path | None = None,
) -> Table:
    """Read the tables of a command line; see `fiducial.api.tables.read`.

    Raises:
        UsageError: A ``--column`` is not ``NAME=THEIRS`` with a name of the contract.
        InputError: A table cannot be read.
    """
    from ..api.tables import labels_elsewhere, read  # noqa: PLC0415 - numpy and scipy are slow to import

    table = read(
        tables,
        labels=labels,
        columns=_parse_columns(columns),
        draws=draws,
        accept_edited=accepts_edited(),
        lexical=lexical,
        open_only=open_only,
        outputs=outputs,
        adjudications=adjudications,
    )
    if labels is not None:
        elsewhere, given = labels_elsewhere(table, labels)
        if elsewhere:
            click.echo(
                f"note: {elsewhere:,} of {given:,} labels are of no item that is looked at here", err=True
            )
    return table


def _parse_columns(columns: tuple[str, ...]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for given in columns:
        name, equals, theirs = given.partition("=")
        known = name in _CONTRACT or name in _NUMBERS or name.startswith(("person:", "baseline:"))
        if not equals or not theirs or not known:
            names = ", ".join((*_CONTRACT, *_NUMBERS, "person:WHO", "baseline:WHAT"))
            raise UsageError(f"--column expects NAME=THEIRS with NAME one of {names}; got {given!r}")
        mapping[name] = theirs
    return mapping


def emit(found: Shown, json_file: str | None, document: Document | None = None) -> None:
    """Print a result, and write its JSON where it is wanted; with ``--json -`` the JSON is all that is printed.

    Args:
        found: The result.
        json_file: The option's value.
        document: What is printed, where it is not just the result.
    """
    from ..api.shown import as_lines  # noqa: PLC0415 - not needed for --help

    if json_file is not None:
        text = json.dumps(found.to_dict(), indent=2, allow_nan=False)
        if json_file == "-":
            click.echo(text)
            return
        with atomic_write(Path(json_file)) as file:
            file.write(f"{text}\n".encode())
    click.echo("\n".join(as_lines(found.document() if document is None else document)))


def gate_failures(lines: Iterable[str]) -> int:
    """Say which gates failed, and with which code to leave."""
    code = 0
    for line in lines:
        click.echo(line, err=True)
        code = 1
    return code
