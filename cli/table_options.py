"""Options of commands on calibration tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ColumnsError
from .forms import stored_values
from .label_options import grade_arguments, grade_options, header_arguments, without_open_choices
from .notes import note
from .printing import command_line, propose_tables
from .shared_options import pairs

if TYPE_CHECKING:
    from ..api.pair_results import RecordedPairs
    from ..api.tables import Table


def accepts_edited() -> bool:
    """Return whether ``--accept-edited`` was given."""
    return stored_values().get("accept_edited", False)


def load_pairs(
    tables: tuple[Path, ...], columns: tuple[str, ...], labels: tuple[Path, ...]
) -> RecordedPairs | None:
    """Read verdicts on pairs of outputs, if the tables of a command line contain them.

    Rows that are not used are noted on stderr.
    """
    from ..api.pair_results import recorded_pairs

    reading = {"labels": list(labels) or None, "map": pairs("--map", columns)}
    score_of_word = grade_arguments().get("map_label")
    recorded = recorded_pairs(list(tables), {**reading, **header_arguments(), "map_label": score_of_word})
    for sentence in () if recorded is None else recorded.left_out:
        note(sentence)
    return recorded


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
            **header_arguments(),
            **reading,
        )
    except ColumnsError as error:
        if content := other_content(tables):
            error.message, error.field, error.options = content, None, ""
        raise
    for hint in (*table.notes, *table.warnings):
        note(hint.replace("`--map ", f"`{command_line()} --map ", 1))
    return table


def show_choices(
    tables: tuple[Path, ...],
    columns: tuple[str, ...],
    labels: tuple[Path, ...],
    measure: Callable[[Table], str],
    **reading: Any,
) -> None:
    """Print the result of each choice that the tables leave open.

    Args:
        tables: The tables.
        columns: Columns that the user named.
        labels: Files of labels.
        measure: Function that returns a line about a table, read by one choice.
        **reading: Further options for reading the tables.
    """
    from ..api.choice_outcomes import choice_outcomes
    from ..api.tables import read_calibration_table
    from ..api.terminal_text import visible

    columns_by_field = pairs("--map", without_open_choices({"map": columns})["map"])
    typed_arguments: dict[str, Any] = {
        **grade_arguments(dry_run=True),
        **header_arguments(),
        **reading,
        "map": columns_by_field,
    }

    def read_and_measure(choice: Mapping[str, Any]) -> str:
        merged_choice: dict[str, Any] = {
            name: {**(typed_arguments.get(name) or {}), **value} if isinstance(value, Mapping) else value
            for name, value in choice.items()
        }
        arguments: dict[str, Any] = {**typed_arguments, **merged_choice, "accept_edited": accepts_edited()}
        return measure(read_calibration_table(tables, labels=labels or None, **arguments))

    lines = [*choice_outcomes(read_and_measure)]
    for line in lines or ["Nothing is left to choose."]:
        click.echo(visible(line))


def _remember_arguments(tables: tuple[Path, ...], columns: tuple[str, ...], labels: tuple[Path, ...]) -> None:
    """Keep the table arguments for the commands that the result proposes."""
    table_names = [str(table) for table in tables]
    from ..settings.typed_commands import proposed

    plan_command = proposed("plan", *table_names, columns=[*columns], labels=[*labels])
    propose_tables(plan=plan_command.also(*grade_options()), review=proposed("review", *table_names))
