"""`fiducial audit`: test judges with probes whose labels are certain."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from ..api.pass_thresholds import PassAt
from ..errors import as_named
from .audit_claims import alternative, certify_run, verify
from .audit_exchange import export_probes, import_results
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import JudgingOptions, model_access, model_options_repeating, select_options
from .option_sources import refuse_typed
from .param_types import EXISTING_FOLDER, FOLDER, INPUT_FILE, Whole
from .printing import command_line, emit, verbose_option
from .shared_options import (
    JUDGE_HELP,
    MultiValueCommand,
    compose,
    environment_option,
    json_option,
    name_options,
    option,
    out_option,
    pass_at_option,
    scale_option,
    workers_option,
)

_MUTATE = """\b
Examples:
  fiducial audit mutate cases.jsonl --outputs right.jsonl --out probes
  fiducial audit mutate cases.jsonl --out probes        (right outputs are made of the references)
  fiducial audit mutate cases.jsonl --operator my_operators:TYPO --only my_typo --out probes
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
@click.argument("cases", type=INPUT_FILE)
@compose(
    option("--outputs", type=INPUT_FILE, multiple=True, metavar="FILE...",
           help="Outputs to mutate; only those that pass under strict rules are used.  [default: made of the references]"),
    option("--out", type=FOLDER, required=True, help="The folder for the probes."),
    option("--seed", type=int, default=0, help="The same seed gives the same probes."),
    option("--per-output", type=Whole(1, 100), default=3, help="Maximum probes of one operator per correct output."),
    option("--only", multiple=True, metavar="OPERATOR...", help="Operators by name.  [default: all that apply]"),
    option("--operator", multiple=True, metavar="MODULE:NAME", help="A custom operator."),
)  # fmt: skip
@name_options
@workers_option
@verbose_option
def mutate_command(
    cases: Path,
    outputs: tuple[Path, ...],
    out: Path,
    seed: int,
    per_output: int,
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

    probes = mutate(
        cases,
        outputs or None,
        out=out,
        only=only,
        operators=operator,
        seed=seed,
        per_output=per_output,
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
@click.argument("probes", type=EXISTING_FOLDER, required=False)
@compose(
    option("--judge", "judges", multiple=True, required=True, metavar="JUDGE...", help=f"{JUDGE_HELP}."),
    scale_option("judges"),
    out_option(FOLDER, "The run folder; the same command resumes it."),
    option("--sample", type=Whole(1), default=100, help="Maximum probes per operator; verdicts made so far are reused with a larger number."),
    option("--ladder", is_flag=True, help="Also find the hardest level at which faults are caught, dial by dial."),
    option("--calls", type=Whole(1), default=300, help="With --ladder: questions of each dial to each judge; a later run with more continues."),
    option("--evenly", is_flag=True,
           help="With --ladder: fixed questions, evenly over all levels, so that replies can be recorded."),
    option("--only", multiple=True, metavar="NAME...", help="Operators and dials by name.  [default: all that apply]"),
)  # fmt: skip
@pass_at_option
@environment_option
@json_option
@verbose_option
@model_options_repeating(2)  # a judge contradicts itself only if it is asked again
def run(
    probes: Path | None,
    judges: tuple[str, ...],
    out: Path,
    sample: int,
    only: tuple[str, ...],
    pass_at: PassAt,
    json_file: str | None,
    **options: Any,
) -> int:
    """Ask judges about probes: missed faults, rejected twins, successful attacks.

    Correct outputs are judged --repeats times to measure self-consistency. With --ladder faults get harder: each dial is asked
    about in rounds near the level at which 80 % are caught, which needs no PROBES. to_read.jsonl in the run folder lists the verdicts to
    review, missed faults first. Exit code 3: finished, but calls failed.
    """
    from ..api.auditing import audit, forecast_audit

    if not options["ladder"]:
        refuse_typed(["calls", "evenly"], "goes with --ladder")
    judging = select_options(JudgingOptions, options)
    settings: dict[str, Any] = {
        "model": judging.model,
        "out": out,
        "command": command_line(),
        "sample": sample,
        "ladder": options["ladder"],
        "calls": options["calls"],
        "evenly": options["evenly"],
        "only": only,
        "repeats": judging.repeats,
        "pass_at": pass_at,
        "poll_seconds": judging.batch_poll_seconds,
        "judge_parameters": judging.judge_parameters,
        "worlds": judging.worlds,
    }
    access = cache(lambda: model_access(judging))  # once: all judges share its budget
    if judging.dry_run:
        click.echo(str(forecast_audit(probes, judges, access=access(), prices=judging.price, **settings)))
        return EXIT_OK
    audited = audit(probes, judges, access=access, progress=True, **settings)
    closing = [
        f"records: {out} (to_read.jsonl lists survivors and false alarms)",
        f"report: {audited.report(out / 'report.html')}",
    ]
    if audited.failed:
        retry = (
            "the recording has no reply for them"
            if judging.replay
            else "rerun the command to retry only these"
        )
        closing.append(f"verdicts missing because calls failed: {audited.failed:,}; {retry}")
    emit(audited, json_file, closing=closing)
    return EXIT_PARTIAL if audited.failed else EXIT_OK
