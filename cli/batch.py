"""``fiducial batch``: write a judge's requests as batch files, and read their results back.

Results are read into a run folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..settings.verbs.batch import BatchExportSettings, BatchImportSettings
from .declared_options import options_of, scale_for
from .model_options import select_options
from .printing import command_line
from .shared_options import (
    MultiValueCommand,
)

_EXPORT_EXAMPLE = """\b
Examples:
  fiducial batch export cases.jsonl --outputs outputs.jsonl --judge groundedness --model gpt-4.1-mini --out requests.jsonl
  vllm run-batch -i requests.jsonl -o results.jsonl --model gpt-4.1-mini
"""
_IMPORT_EXAMPLE = """\b
Example:
  fiducial batch import cases.jsonl --outputs outputs.jsonl --judge groundedness --model gpt-4.1-mini \\
      --results results.jsonl --out judged
"""


@click.group(no_args_is_help=True)
def command() -> None:
    """Judge through batch files in OpenAI's format: export, have them answered, import.

    `fiducial judge --batch` does all three at a provider's batch endpoint.
    """


@command.command(cls=MultiValueCommand, epilog=_EXPORT_EXAMPLE)
@options_of(BatchExportSettings)
@scale_for("judges")
def export(*, out: Path, **options: Any) -> None:
    """Write judge requests as batch files.

    Each request is named by a hash of its content (`custom_id`): equal requests have equal names in every export and are written once.
    With earlier results, only missing replies are requested, and unreadable ones once more.
    """
    from ..api.batches import export_batch
    from ..api.terminal_text import counted

    files = export_batch(out, progress=True, **options)
    for file in files:
        click.echo(f"{file.path}: {counted(file.requests, 'request')}")
    if not files:
        click.echo("no request remains; no file was written")


@command.command(
    name="import",
    short_help="Read batch results into a run folder.",
    cls=MultiValueCommand,
    epilog=_IMPORT_EXAMPLE,
)
@options_of(BatchImportSettings)
@scale_for("judges")
def import_(**options: Any) -> int:
    """Read batch results into a run folder, as `fiducial judge` writes it.

    Requests without a result, or with an error, are `failed`; importing again with more results replaces them.
    """
    from ..api.batches import access_to_results
    from ..api.checking import worlds_of
    from ..api.run_files import plan_of
    from .evaluate import evaluate

    settings = select_options(BatchImportSettings, options)
    environments = worlds_of(settings.worlds)
    plan = plan_of(settings, command=command_line(), labels=settings.labels, environments=environments)
    notes: list[str] = []
    access = access_to_results(
        settings.results,
        settings.record,
        served_by=settings.expect_served_by,
        model=settings.model,
        on_note=notes.append,
    )
    code = evaluate(
        plan,
        access,
        fail_under=settings.fail_under,
        min_graded=settings.min_graded,
        ungraded=settings.ungraded,
        verbose=settings.verbose,
        quiet=settings.quiet,
    )
    for line in notes:
        click.echo(line, err=True)
    return code
