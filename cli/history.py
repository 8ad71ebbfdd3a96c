"""`fiducial history`: show the runs of a folder over time."""

from __future__ import annotations

from pathlib import Path

import click

from ..settings.verbs.history import HistorySettings
from .declared_options import options_of
from .printing import emit_page

_EXAMPLE = """\b
Examples:
  fiducial history runs
  fiducial history runs --html history.html
  fiducial history runs --markdown >> "$GITHUB_STEP_SUMMARY"
"""


@click.command("history", epilog=_EXAMPLE)
@options_of(HistorySettings)
def command(folder: Path, html: Path | None, *, markdown: bool, json_file: str | None) -> None:
    """Show the finished runs in FOLDER over time: rates, changes, drifted judges."""
    from ..api.differences import history

    emit_page(history(folder), html, markdown=markdown, json_file=json_file)
