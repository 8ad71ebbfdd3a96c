"""`fiducial export`: export verdicts in other tools' formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..api.terminal_text import counted, visible
from ..errors import UsageError
from .param_types import EXISTING_FOLDER, OUT
from .shared_options import compose, option

_EXAMPLE = """\b
Examples:
  fiducial export run --to inspect --out log.json                (inspect view, inspect score --model none/none)
  fiducial export run --to precomputed_scores --judge rubric/reasons@m --system me --out scores.jsonl
  fiducial export run --to otlp --endpoint http://localhost:4318/v1/logs
"""


@click.command("export", epilog=_EXAMPLE)
@click.argument("run", type=EXISTING_FOLDER)
@compose(
    option("--to", "to", required=True, metavar="FORM", help="inspect, precomputed_scores, otlp, mlflow, langfuse, junit, csv, parquet or hf."),
    option("--out", type=OUT, help="The file; a folder for hf, and for inspect with several systems."),
    option("--endpoint", metavar="URL", help="With --to otlp: send to a collector instead, by the official exporter."),
    option("--judge", metavar="NAME", help="Only verdicts of this judge."),
    option("--system", metavar="NAME", help="Only the outputs of this system."),
    option("--accept-edited", is_flag=True, help="Accept a run that was edited by hand."),
)  # fmt: skip
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
