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
    """Write the report of the run folder RUN, an audit's too, as one HTML file that opens from the disk."""
    from ..api.audits import load_audit  # noqa: PLC0415 - slow to import
    from ..api.evaluating import load_run  # noqa: PLC0415 - the template engine is slow to import

    if (audited := load_audit(run)) is not None:
        written = audited.report(html or run / "report.html")
    elif all_texts:
        written = load_run(run).report(html, texts=None)
    else:
        written = load_run(run).report(html)
    click.echo(f"report: {written}")
