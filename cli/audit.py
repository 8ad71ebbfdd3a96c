"""`fiducial audit`: test judges with probes whose labels are certain."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from ..errors import as_named
from ..settings.verbs.audit import AuditMutateSettings, AuditRunSettings
from .audit_claims import alternative, certify_run, verify
from .audit_exchange import export_probes, import_results
from .card_commands import card_command, table_command
from .declared_options import options_of, scale_for
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import model_access, select_options
from .option_sources import require_untyped
from .printing import command_line, emit
from .shared_options import (
    MultiValueCommand,
)

_MUTATE = """\b
Examples:
  fiducial audit mutate cases.jsonl --outputs right.jsonl --out probes
  fiducial audit mutate cases.jsonl --out probes        (right outputs are made of the references)
  fiducial audit mutate cases.jsonl --operator my_operators:TYPO --only my_typo --out probes
  fiducial audit mutate --lifelike 10 --out lifelike    (faults like those of real agents, in cases drawn for them)
"""

_RUN = """\b
Examples:
  fiducial audit run probes --judge tool_call_accuracy --model gpt-4.1-mini --out audit
  fiducial audit run probes --judge tool_call_accuracy/direct tool_call_accuracy/reasons --model my-model \\
      --base-url http://127.0.0.1:8000/v1 --sample 50 --repeats 3 --out audit
  fiducial audit run --ladder --judge tool_call_accuracy --model my-model --out ladder --dry-run
  fiducial audit run --ladder --only parallel_calls number_error --calls 200 --judge tool_call_accuracy \\
      --model my-model --out ladder
"""


class _LadderCommand(MultiValueCommand):
    flags_without_argument = frozenset({"--ladder"})


@click.group(no_args_is_help=True)
def command() -> None:
    """Test judges with probes whose labels are certain: planted faults, harmless twins, attacks."""


command.add_command(card_command)
command.add_command(table_command)
command.add_command(certify_run)
command.add_command(verify)
command.add_command(alternative)
command.add_command(export_probes)
command.add_command(import_results)


@command.command(
    "mutate",
    short_help="Make probes: planted faults, harmless twins, attacks.",
    cls=MultiValueCommand,
    epilog=_MUTATE,
)
@options_of(AuditMutateSettings)
def mutate_command(
    cases: Path | None,
    outputs: tuple[Path, ...],
    out: Path,
    seed: int,
    per_output: int,
    lifelike: int,
    only: tuple[str, ...],
    operator: tuple[str, ...],
    **options: Any,
) -> None:
    """Make probes from correct outputs: faults, harmless twins, attacks.

    Each mutant has one named fault; each attack has a control. The strict checker labels every probe; answers and statements are labelled
    by construction. A change that the checker grades otherwise than intended is discarded and listed in weaknesses.jsonl, as are faults
    that BFCL's rules miss.
    """
    from ..api.mutating import audit_commands, mutate

    if cases is None and not lifelike:
        context = click.get_current_context()
        argument = next(param for param in context.command.params if param.name == "cases")
        raise click.MissingParameter(ctx=context, param=argument, param_hint="'CASES'")
    probes = mutate(
        cases,
        outputs or None,
        out=out,
        only=only,
        operators=operator,
        seed=seed,
        per_output=per_output,
        lifelike=lifelike,
        progress=True,
        **options,
    )
    emit(probes, None, closing=[as_named(f"probes: {out}"), *map(as_named, audit_commands(probes, out))])


@command.command(
    "run",
    short_help="Ask judges about probes; find the hardest faults they notice.",
    cls=_LadderCommand,
    epilog=_RUN,
)
@options_of(AuditRunSettings)
@scale_for("judges")
def run(**values: Any) -> int:
    """Ask judges about probes: missed faults, rejected twins, successful attacks.

    Correct outputs are judged --repeats times to measure self-consistency. With --ladder faults get harder: each dial is asked
    about in rounds near the level at which 80 % are caught, which needs no PROBES. to_read.jsonl in the run folder lists the verdicts to
    review, missed faults first. Exit code 3: finished, but calls failed.
    """
    from ..api.auditing import audit_by, audit_plan, forecast_audit
    from ..api.progress_bars import show_progress

    options = select_options(AuditRunSettings, values)
    if not options.ladder:
        require_untyped(["calls", "evenly"], "goes with --ladder")
    plan = audit_plan(options, command=command_line())
    access = cache(lambda: model_access(options))  # once: all judges share its budget
    if options.dry_run:
        click.echo(str(forecast_audit(plan, access(), options.price)))
        return EXIT_OK
    audit = audit_by(plan, access, progress=True)
    with show_progress(enabled=True) as progress_display:
        progress_display.begin("writing the report", 0)
        report = audit.report(options.out / "report.html")
    closing = [
        f"records: {options.out} (to_read.jsonl lists survivors and false alarms)",
        f"report: {report}",
    ]
    if audit.failed:
        retry = (
            "the recording has no reply for them"
            if options.replay
            else "rerun the command to retry only these"
        )
        closing.append(f"verdicts missing because calls failed: {audit.failed:,}; {retry}")
    emit(audit, options.json_file, closing=closing)
    return EXIT_PARTIAL if audit.failed else EXIT_OK
