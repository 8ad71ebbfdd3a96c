"""Options of commands on calibration tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import ColumnsError
from .label_options import grade_arguments, grade_options, grade_words, score_scale_option
from .notes import note
from .param_types import INPUT, INPUT_FILE, Whole
from .printing import command_line, propose_tables, verbose_option
from .shared_options import compose, json_option, option, pairs, pass_at_option

if TYPE_CHECKING:
    from ..api.tables import Table


Command = TypeVar("Command", bound=Callable[..., Any])

column_option = option(
    "--map",
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="Name a column that is not recognised: score=verdict, label=gold; cluster=item_id treats items as independent.",
)

_ACCEPTS = f"{__name__}.accept_edited"


def _accept_edited(ctx: click.Context, _: click.Parameter, accepted: bool) -> None:  # noqa: FBT001 - as click has it
    ctx.meta[_ACCEPTS] = accepted


def accepts_edited() -> bool:
    """Return whether ``--accept-edited`` was given."""
    return click.get_current_context().meta.get(_ACCEPTS, False)


labels_option = option(
    "--labels",
    type=INPUT_FILE,
    multiple=True,
    help="Trusted labels: a CSV, JSON Lines or Parquet table with id, label (and system), or verdicts (JSON Lines); may be given several times.",
)

_TABLE_OPTIONS = (
    click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=INPUT),
    labels_option,
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
    """Return a decorator that adds TABLE... and the options for reading tables.

    With ``resamples``, it also adds --seed and --replicates.
    """
    return compose(*_TABLE_OPTIONS, *(_RESAMPLING_OPTIONS if resamples else ()))


def load_table(
    tables: tuple[Path, ...], columns: tuple[str, ...], labels: tuple[Path, ...], **reading: Any
) -> Table:
    """Read the tables of a command line as `fiducial.api.tables.read_calibration_table` does.

    Notes on how they were read go to stderr.
    """
    from ..api.reading import other_content
    from ..api.tables import read_calibration_table

    _remember_arguments(tables, columns, labels)
    try:
        table = read_calibration_table(
            tables,
            labels=labels or None,
            map=pairs("--map", columns),
            accept_edited=accepts_edited(),
            **grade_arguments(),
            **reading,
        )
    except ColumnsError as error:
        if content := other_content(tables):
            error.message, error.field = content, None
        elif error.options:
            error.message = error.message.removesuffix(error.options) + f"`{command_line()} {error.options}`"
        raise
    for hint in (*table.notes, *table.warnings):
        note(hint.replace("`--map ", f"`{command_line()} --map ", 1))
    return table


def _remember_arguments(tables: tuple[Path, ...], columns: tuple[str, ...], labels: tuple[Path, ...]) -> None:
    """Keep the table arguments for the commands that the result proposes."""
    names = [str(table) for table in tables]
    options = [word for column in columns for word in ("--map", column)]
    options += [word for each in labels for word in ("--labels", str(each))]
    propose_tables(plan=[*names, *options, *grade_words()], review=names)
