"""`fiducial audit export` and `import`: audit another tool's judge with fiducial's probes."""

from __future__ import annotations

from pathlib import Path

import click

from ..api.terminal_text import visible
from .param_types import EXISTING_FOLDER, INPUT, OUT_FOLDER, Whole
from .printing import emit
from .shared_options import json_option, option

_EXPORT = """\b
Examples:
  fiducial audit export probes --to inspect --out theirs     (inspect score theirs/log.json --scorer YOURS)
  fiducial audit export probes --to promptfoo --out theirs   (add your assertions to defaultTest.assert)
  fiducial audit export probes --to azure --out theirs       (evaluate(data="theirs/rows.jsonl", ...))
"""


@click.command("export", short_help="Write probes for another tool's judge.", epilog=_EXPORT)
@click.argument("probes", type=EXISTING_FOLDER)
@option("--to", required=True, metavar="TOOL", help="inspect, promptfoo or azure.")
@option("--out", type=OUT_FOLDER, required=True, help="The folder to write.")
@option("--sample", type=Whole(1), default=100, help="Maximum probes per operator.")
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
@click.argument("probes", type=EXISTING_FOLDER)
@click.argument("results", type=INPUT)
@option("--out", type=OUT_FOLDER, required=True, help="A folder for verdicts and audit.")
@option("--as", "as_", metavar="SOURCE", help="Format of the results.  [default: from the content]")
@json_option
def import_results(*, probes: Path, results: Path, out: Path, as_: str | None, json_file: str | None) -> None:
    """Analyse verdicts of another tool's judges on PROBES from `fiducial audit export`."""
    from ..api.audits import import_audit

    emit(import_audit(probes, results, out, as_=as_), json_file)
