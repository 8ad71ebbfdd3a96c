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
def command(*, run: Path, to: str, out: Path | None, endpoint: str | None, **chosen: Any) -> None:
    """Write the verdicts of RUN (a run folder, or an imported one) for another tool."""
    from ..api.exporting import export, send_otlp

    if endpoint is not None:
        if to != "otlp" or out is not None:
            raise UsageError("--endpoint goes with --to otlp, and without --out")
        sent = counted(send_otlp(run, endpoint, **chosen), "record")
        click.echo(f"{sent} sent to {visible(endpoint)}")
        return
    if out is None:
        raise UsageError(f"--to {to} needs --out FILE{', or --endpoint URL' if to == 'otlp' else ''}")
    written = export(run, to, out, **chosen)
    click.echo(visible(f"{counted(written.rows, 'row')} as {to} in {', '.join(written.files)}"))
    for reason, count in written.left_out.items():
        click.echo(f"left out: {count:,} {reason}")
