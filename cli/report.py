"""`fiducial report`: rewrite the report of a run, or compare two runs."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import UsageError, as_named
from ..settings.verbs.report import ReportSettings
from .declared_options import options_of
from .option_sources import require_untyped
from .printing import emit_page

_EXAMPLE = """\b
Examples:
  fiducial report run --html report.html
  fiducial report run --items 10
  fiducial report run --markdown >> "$GITHUB_STEP_SUMMARY"
  fiducial report main-run branch-run --html difference.html
"""


@click.command("report", epilog=_EXAMPLE)
@options_of(ReportSettings)
def command(
    run: Path,
    after: Path | None,
    html: Path | None,
    *,
    all_texts: bool,
    items: int | None,
    markdown: bool,
    json_file: str | None,
    accept_edited: bool,
) -> None:
    """Write the report of the run (or audit) RUN as one HTML file.

    With a second run folder AFTER, compare them: regressions, fixes, the paired difference on common outputs, and changes in prompts,
    models, data, rules and versions. --json is for two runs.
    """
    if after is None and json_file is not None:
        raise UsageError(
            "--json compares two runs: name a second run folder, or use `fiducial calibrate RUN --json`"
        )
    if after is not None:
        require_untyped(["all_texts", "items", "accept_edited"], "is for the page of one run: name only one")
        from ..api.differences import diff

        emit_page(diff(run, after), html, markdown=markdown, json_file=json_file)
        return
    from ..api.run import Run, is_audit

    if is_audit(run):
        require_untyped(["items"], "is for a run, not an audit")
        from ..api.audits import load_audit

        result = load_audit(run)
    else:
        result = Run(run)
        if not accept_edited:
            result.require_unedited()
    if markdown:
        click.echo(result.to_markdown())
    if items is not None:
        from ..api.run_display import worst_of

        click.echo("\n".join(worst_of(run, items, markdown=markdown)))
    if html is None and markdown:
        return
    page = html or run / "report.html"
    report_path = (
        result.report(page, texts=None) if all_texts and isinstance(result, Run) else result.report(page)
    )
    click.echo(as_named(f"report: {report_path}"), err=markdown)
