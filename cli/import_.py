"""`fiducial import`: what other tools wrote, as cases, outputs and verdicts."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from ..api.text import visible
from ..errors import UsageError
from .kinds import OUT_FOLDER
from .options import SpreadCommand, compose, option, pairs

_EXAMPLE = """\b
Examples:
  fiducial import inspect logs/2026-11-22_shop.eval --out shop
  fiducial import promptfoo results.json --out shop
  fiducial import answers.csv --map answer=response --out shop        (the format is found)
"""


@click.command("import", epilog=_EXAMPLE, cls=SpreadCommand)
@click.argument("given", metavar="[SOURCE] PATH...", nargs=-1, required=True)
@compose(
    option("--out", type=OUT_FOLDER, required=True, help="The folder for the records."),
    option("--as", "as_", metavar="SOURCE", help="The format, where PATH alone is given; found from the content when left out."),
    option("--map", "columns", multiple=True, metavar="NAME=NAME",
           help="What a column of a table is: answer=response; fields are query, response, accepted_answers, context, score and others."),
    option("--criterion", help="What a good answer achieves, for cases that have nothing else to be graded by."),
    option("--system", default="logged", help="Who answered, where the file does not say."),
    option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
)  # fmt: skip
def command(
    *,
    given: tuple[str, ...],
    out: Path,
    as_: str | None,
    columns: tuple[str, ...],
    criterion: str | None,
    system: str,
    as_json: bool,
) -> None:
    """Read what other tools wrote: PATH is a file, or a folder whose files belong together.

    SOURCE is one of inspect, promptfoo, openai, otlp, mlflow, langsmith, langfuse, azure, deepeval, pydantic-evals, braintrust, phoenix,
    ragas, csv, parquet, json, hf, or a format of your own. The folder gets cases.jsonl, outputs.jsonl, verdicts.jsonl (where there are
    scores) and skipped.jsonl, which lists what became no record with file, line, field and reason.
    """
    from ..api.reading import import_files, import_lines, is_source

    first, *rest = given
    if rest and is_source(first):
        if as_ is not None:
            raise UsageError(f"--as {as_}: the source is named already, {first}")
        as_, given = first, tuple(rest)
    imported = import_files(
        given, out, as_=as_, map=pairs("--map", columns), criterion=criterion, system=system
    )
    if as_json:
        click.echo(msgspec.json.encode(imported).decode())
        return
    for line in import_lines(imported):
        click.echo(visible(line))
