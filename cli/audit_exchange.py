"""`fiducial audit export` and `import`: audit another tool's judge with fiducial's probes."""

from __future__ import annotations

from pathlib import Path

import click

from ..api.terminal_text import visible
from ..settings.verbs.audit import AuditExportSettings, AuditImportSettings
from .declared_options import options_of
from .printing import emit

_EXPORT = """\b
Examples:
  fiducial audit export probes --to inspect --out theirs     (inspect score theirs/log.json --scorer YOURS)
  fiducial audit export probes --to promptfoo --out theirs   (add your assertions to defaultTest.assert)
  fiducial audit export probes --to azure --out theirs       (evaluate(data="theirs/rows.jsonl", ...))
"""


@click.command("export", short_help="Write probes for another tool's judge.", epilog=_EXPORT)
@options_of(AuditExportSettings)
def export_probes(*, probes: Path, to: str, out: Path, sample: int) -> None:
    """Write probes for another tool's judge, without the labels."""
    from ..api.audits import commands_after_export
    from ..api.audits import export_probes as export

    for file in export(probes, to, out, sample=sample):
        click.echo(visible(f"written: {file}"))
    for line in commands_after_export(probes, to, out):
        click.echo(visible(line))


@click.command(
    "import",
    short_help="Analyse another tool's verdicts on probes.",
    epilog="Example: fiducial audit import probes theirs/scored.json --out audit",
)
@options_of(AuditImportSettings)
def import_results(*, probes: Path, results: Path, out: Path, as_: str | None, json_file: str | None) -> None:
    """Analyse verdicts of another tool's judges on PROBES from `fiducial audit export`."""
    from ..api.audits import import_audit

    emit(import_audit(probes, results, out, as_=as_), json_file)
