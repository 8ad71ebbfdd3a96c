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
@click.option("--all-texts", is_flag=True, help="Pack the texts of all items; by default those of the 5,000 most worth reading.")  # fmt: skip
def command(run: Path, html: Path | None, *, all_texts: bool) -> None:
    """Write the report of the run folder RUN as one HTML file that opens from the disk."""
    from ..api.evaluating import load_run  # noqa: PLC0415 - the template engine is slow to import

    found = load_run(run)
    click.echo(f"report: {found.report(html, texts=None) if all_texts else found.report(html)}")
