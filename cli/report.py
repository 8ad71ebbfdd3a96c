"""`fiducial report`: the report of a run, made again."""

from __future__ import annotations

from pathlib import Path

import click

from .options import FOLDER, INPUT_FILE

_EXAMPLE = """\b
Example:
  fiducial report run --html report.html
"""


@click.command("report", epilog=_EXAMPLE)
@click.argument("run", type=FOLDER)
@click.option("--html", type=INPUT_FILE, help="The file to write.  [default: report.html in the run folder]")
def command(run: Path, html: Path | None) -> None:
    """Write the report of the run folder RUN as one HTML file that opens from the disk."""
    from ..api.evaluating import load_run  # noqa: PLC0415 - the template engine is slow to import

    click.echo(f"report: {load_run(run).report(html)}")
