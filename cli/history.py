"""`fiducial history`: show the runs of a folder over time."""

from __future__ import annotations

from pathlib import Path

import click

from .param_types import EXISTING_FOLDER, OUT_FILE
from .printing import emit_page, verbose_option
from .shared_options import json_option, option

_EXAMPLE = """\b
Examples:
  fiducial history runs
  fiducial history runs --html history.html
  fiducial history runs --markdown >> "$GITHUB_STEP_SUMMARY"
"""


@click.command("history", epilog=_EXAMPLE)
@click.argument("folder", type=EXISTING_FOLDER)
@option("--html", type=OUT_FILE, help="Write it as a page, with a line for each rate.")
@option("--markdown", is_flag=True, help="Print it in GitHub's Markdown, as a summary for a pull request.")
@json_option
@verbose_option
def command(folder: Path, html: Path | None, *, markdown: bool, json_file: str | None) -> None:
    """Show the finished runs in FOLDER over time: rates, changes, drifted judges."""
    from ..api.differences import history

    emit_page(history(folder), html, markdown=markdown, json_file=json_file)
