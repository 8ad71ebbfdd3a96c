"""`fiducial import`: import other tools' files as cases, outputs and verdicts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import click

from ..api.terminal_text import visible
from ..errors import InputError, UsageError
from ..records.json_text import encode_json
from ..settings.verbs.import_ import ImportSettings
from .declared_options import options_of
from .label_options import grade_arguments, header_arguments
from .printing import command_line, echo_json
from .shared_options import MultiValueCommand, pairs

_EXAMPLE = """\b
Examples:
  fiducial import inspect logs/2026-11-22_shop.eval --out shop
  fiducial import promptfoo results.json --out shop
  fiducial import answers.csv --map answer=response --out shop        (the format is found)
  fiducial import support.jsonl --join expected.csv --out shop        (a log of chats; expected calls of its sessions)
"""

_MAP_OPTIONS = re.compile(r"(?:--map (?:'[^']*'|(?!\S+=COLUMN\b)[^\s'=]+=\S+)(?: |$))+$")
"""Options at the end of a message, if all of them name columns; an option with the placeholder COLUMN does not."""


class ImportCommand(MultiValueCommand):
    """Command whose help names every source that can be read."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help with the sources."""
        from ..api.reading import source_names

        assert self.help is not None
        self.help = self.help.replace("SOURCES", ", ".join(source_names()))
        return super().get_help(ctx)


def _parameter(name: str) -> click.Parameter:
    return next(param for param in click.get_current_context().command.params if param.name == name)


@click.command("import", epilog=_EXAMPLE, cls=ImportCommand)
@options_of(ImportSettings)
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    explain: bool,
    as_: str | None,
    columns: tuple[str, ...],
    criterion: str | None,
    system: str | None,
    unit: Literal["session", "turn"],
    join: Path | None,
    grade_by: Literal["reference", "context"],
    as_json: bool,
) -> None:
    """Import other tools' files; PATH is a file, or a folder of related files.

    SOURCE is one of SOURCES, or a custom format. The folder gets cases.jsonl, outputs.jsonl, verdicts.jsonl (if there are scores),
    labels.jsonl (people's labels among them), clusters.json (if rows name a group), import.json (its columns, for --explain), and
    skipped.jsonl, which lists every skipped record with file, line, field and reason.
    """
    from ..api.reading import explain_import, import_files, import_lines, is_source, source_names
    from ..records import nearest

    if explain:
        for line in (line for path in paths for line in explain_import(path)):
            click.echo(visible(line))
        return
    if out is None:
        raise click.MissingParameter(param=_parameter("out"), ctx=click.get_current_context())
    first, *other_paths = paths
    if other_paths and is_source(first):
        if as_ is not None:
            raise UsageError(f"--as {as_}: the source is named already, {first}")
        as_, paths = first, tuple(other_paths)
    elif other_paths and not Path(first).exists() and (hint := nearest(first, source_names())):
        raise UsageError(f"{first}: neither a source nor a file{hint}")
    try:
        summary = import_files(
            paths,
            out,
            as_=as_,
            map=pairs("--map", columns),
            criterion=criterion,
            system=system,
            unit=unit,
            join=join,
            grade_by=grade_by,
            **grade_arguments(),
            **header_arguments(),
        )
    except InputError as error:
        error.message = _MAP_OPTIONS.sub(lambda maps: f"`{command_line()} {maps[0]}`", error.message)
        raise
    if as_json:
        echo_json(encode_json(summary).decode())
        return
    for line in import_lines(summary, command_line()):
        click.echo(visible(line))
