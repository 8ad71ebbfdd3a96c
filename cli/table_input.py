"""What the commands on calibration tables share: their arguments, and how JSON leaves them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import UsageError
from ..records import atomic_write
from ..report.text import visible
from .options import json_option, pass_at_option

if TYPE_CHECKING:
    from ..calibration import Table

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
    json_option,
)

_RESAMPLING_OPTIONS = (
    click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap."),
    click.option(
        "--replicates",
        type=click.IntRange(100, 1_000_000),
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
    draw: tuple[Path, ...] = (),
    *,
    open_only: bool = False,
    outputs: bool = False,
) -> Table:
    """Read the tables of a command line; for ``open_only`` and ``outputs`` see `read_table`.

    Raises:
        UsageError: A ``--column`` is not ``NAME=THEIRS`` with a name of the contract.
        InputError: A table cannot be read.
    """
    from ..calibration import read_table  # noqa: PLC0415 - numpy and scipy are slow to import

    table = read_table(
        tables,
        columns=_parse_columns(columns),
        labels=labels,
        draw=draw,
        open_only=open_only,
        outputs=outputs,
    )
    if labels is not None:
        _say_what_is_not_there(table, labels)
    return table


def _say_what_is_not_there(table: Table, labels: Path) -> None:
    """A word on labels that nothing is done with."""
    from ..calibration import read_labels  # noqa: PLC0415 - numpy and scipy are slow to import

    given = read_labels(labels)
    here = sum(item in given for item in table.item.values)
    if here < len(given):
        click.echo(
            f"note: {len(given) - here:,} of {len(given):,} labels are of no item that is looked at here",
            err=True,
        )


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


def emit(result: dict[str, Any], lines: list[str], json_file: str | None) -> None:
    """Print the lines, and write the JSON where it is wanted; with ``--json -`` the JSON is all that is printed."""
    text = json.dumps(result, indent=2, allow_nan=False)
    if json_file == "-":
        click.echo(text)
        return
    if json_file is not None:
        with atomic_write(Path(json_file)) as file:
            file.write(f"{text}\n".encode())
    click.echo(on_screen(lines))


def on_screen(lines: Iterable[str]) -> str:
    """Lines for the terminal; a line break in one is a name's, and must not make it look like two."""
    return visible("\n".join(line.replace("\n", "\\n") for line in lines))
