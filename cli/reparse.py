"""``fiducial judge --reparse``: what reading a run's replies again changed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from ..api.progress import shown_progress
from ..api.text import visible
from ..evaluation.reparsing import reparse
from ..judges.prices import price_list
from ..report.document import as_lines
from ..report.from_run import report_on
from ..report.summary_words import summary_document
from .exit_codes import EXIT_OK, EXIT_PARTIAL


def show_reparsed(folder: Path) -> int:
    """Read a run's replies again, and show what it comes to.

    Args:
        folder: The run folder.

    Returns:
        The exit code.
    """
    with shown_progress(wanted=True) as progress:
        found, conclusion = reparse(folder, progress, lambda: datetime.now(UTC), prices=price_list())
    report = report_on(folder)
    for line in as_lines(summary_document(conclusion)):
        click.echo(visible(line))
    for entry in found:
        left = f"; {entry.without:,} without a stored reply, left as they are" if entry.without else ""
        click.echo(
            f"{entry.by}: {entry.replies:,} replies read again, {entry.changed:,} verdicts changed{left}"
        )
    click.echo(f"report: {report}")
    return EXIT_PARTIAL if conclusion.failed else EXIT_OK
