"""Options that several commands share, so that they behave the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..tables.column_names import FIELDS
from ..tables.named_columns import UNREAD_FIELDS, require_chosen_columns
from .forms import scratch

SECTION = "section"
"""Attribute of an option: its heading in `--help`."""


class SectionedCommand(click.Command):
    """Command whose `--help` shows options with a ``section`` below the common ones."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, those of each section together."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(param, SECTION, "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


class MultiValueCommand(SectionedCommand):
    """Command whose repeatable options also take several values: ``--outputs a.jsonl b.jsonl``."""

    flags_without_argument: frozenset[str] = frozenset()
    """Flags that make the positional argument optional."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option's name before each further value, then parse as usual."""
        return super().parse_args(
            ctx,
            _repeat_names(
                args, self.params, positional_seen=not self.flags_without_argument.isdisjoint(args)
            ),
        )


def _repeat_names(args: list[str], params: list[click.Parameter], *, positional_seen: bool) -> list[str]:
    """Return a command line with each option's name repeated before each of its values.

    click takes one value per name: ``--outputs a b`` becomes ``--outputs a --outputs b``.
    """
    options = [param for param in params if isinstance(param, click.Option)]
    repeatable_options = {name for option in options if option.multiple for name in option.opts}
    options_with_value = {name for option in options if not option.is_flag for name in option.opts}
    words: list[str] = []
    open_option: str | None = None
    for index, arg in enumerate(args):
        if arg == "--":
            return [*words, *args[index:]]
        if arg.startswith("-") and arg != "-":
            name = arg.partition("=")[0]  # --outputs=a.jsonl b.jsonl
            open_option = name if name in options_with_value else None
        elif open_option is None:
            positional_seen = True
        elif words[-1] != open_option:
            # A second value. Only after the positional arguments is it certain that it belongs to the option.
            if open_option in repeatable_options and positional_seen:
                words.append(open_option)
            else:
                open_option = None
                positional_seen = True
        words.append(arg)
    return words


def numbers_by_name(option: str, form: str, values: Iterable[str]) -> dict[str, float]:
    """Parse the values of a repeatable option ``NAME=NUMBER``."""
    numbers: dict[str, float] = {}
    for text in values:
        name, _, value = text.partition("=")
        if not name:
            raise UsageError(f"{option} expects {form}, got {text!r}")
        if name in numbers:
            raise UsageError(f"{option} {text}: {name} has a value already; name each once")
        try:
            numbers[name] = float(value)
        except ValueError as error:
            raise UsageError(f"{option} expects {form}, got {text!r}") from error
        if not math.isfinite(numbers[name]):  # nan passes every comparison
            raise UsageError(f"{option} expects {form}, got {text!r}: {value} is not a finite number")
    return numbers


_ALIASES = {
    alias: field for field in ("response", "label", "score", "id") for alias in (field, *FIELDS[field])
}
"""Field by each of its names, for fields that may have several columns."""


def pairs(option: str, values: Iterable[str]) -> dict[str, str]:
    """Parse the values of a repeatable option ``FIELD=COLUMN``.

    A second column of answers, labels, scores or ids is returned reversed, ``{COLUMN: "response"}``.
    ``label=`` and ``score=`` without a column mean that no column contains them.
    """
    column_of_field: dict[str, str] = {}
    field_of_column: dict[str, str] = {}
    for text in values:
        field_name, equals, column = text.partition("=")
        require_chosen_columns({field_name: column})
        if equals and column == "" and field_name in UNREAD_FIELDS:
            column_of_field[field_name] = column
            continue
        if not (equals and field_name and column):
            raise UsageError(f"{option} expects FIELD=COLUMN (such as label=gold), got {text!r}")
        field = _ALIASES.get(field_name)
        # A column may be an id and another field at once: a question may identify its item.
        has_one_meaning = field != "id" and column not in _ALIASES
        if field is not None and has_one_meaning and field_of_column.setdefault(column, field) != field:
            raise UsageError(
                f"{option} {text}: {column} is {field_of_column[column]!r} already; name another column"
            )
        if column_of_field.setdefault(field_name, column) == column:
            continue
        if field is None:
            raise UsageError(
                f"{option} {text}: {field_name} is {column_of_field[field_name]!r} already; name one column"
            )
        if column_of_field.setdefault(column, field_name) != field_name:
            raise UsageError(
                f"{option} {text}: {column} is {column_of_field[column]!r} already; name another column"
            )
    return column_of_field


def keep_only(options: dict[str, Any]) -> None:
    """Replace cases, outputs and labels by the selected ones, if there is a selection."""
    only = options.pop("only")
    if not only:
        return
    from ..api.selecting import selected_files, selected_labels  # only a selection reads the inputs twice

    path = written_beside(options)
    cases, outputs = selected_files(options["cases"], options["outputs"], only, path)
    options["cases"] = (cases,)
    options["outputs"] = tuple(outputs)
    if options.get("labels") is not None:
        options["labels"] = selected_labels(options["labels"], cases, path)


def written_beside(options: Mapping[str, Any]) -> Path:
    """Return the path next to which selected inputs go: ``--out``, or scratch in a dry run."""
    return scratch(click.get_current_context()) if options.get("dry_run") else options["out"]
