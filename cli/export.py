"""`fiducial export`: export verdicts in other tools' formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..api.terminal_text import counted, visible
from ..errors import UsageError
from ..settings.verbs.export import ExportSettings
from .declared_options import options_of

_EXAMPLE = """\b
Examples:
  fiducial export run --to inspect --out log.json                (inspect view, inspect score --model none/none)
  fiducial export run --to precomputed_scores --judge rubric/reasons@m --system me --out scores.jsonl
  fiducial export run --to otlp --endpoint http://localhost:4318/v1/logs
"""


@click.command("export", epilog=_EXAMPLE)
@options_of(ExportSettings)
def command(*, run: Path, to: str, out: Path | None, endpoint: str | None, **selection: Any) -> None:
    """Write the verdicts of RUN (a run folder, or an imported one) for another tool."""
    from ..api.exporting import export, send_otlp

    if endpoint is not None:
        if to != "otlp" or out is not None:
            raise UsageError("--endpoint goes with --to otlp, and without --out")
        record_count = counted(send_otlp(run, endpoint, **selection), "record")
        click.echo(f"{record_count} sent to {visible(endpoint)}")
        return
    if out is None:
        raise UsageError(f"--to {to} needs --out FILE{', or --endpoint URL' if to == 'otlp' else ''}")
    result = export(run, to, out, **selection)
    click.echo(visible(f"{counted(result.rows, 'row')} as {to} in {', '.join(result.files)}"))
    for reason, count in result.left_out.items():
        click.echo(f"left out: {count:,} {reason}")
