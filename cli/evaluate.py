"""Shared steps of `run`, `judge` and `demo`: evaluate, report, print results, set exit code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import click
import msgspec

from ..api.cascading import after_first_judge
from ..api.gates import UngradedRule, gate_notes, parse_run_gates, run_gate_failures
from ..api.run_files import GENERATED, Access, Plan, forecast, plan_of, run
from ..errors import UsageError
from ..records import InputPath
from ..settings.verbs.judge import JudgeSettings
from ..settings.verbs.run import RunSettings
from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL, EXIT_UNGRADED, EXIT_USAGE
from .generate import forecast_first, generate_first, require_no_generating_options
from .label_options import grade_arguments
from .model_options import jury_of, model_access
from .notes import note, say
from .printing import command_line, echo_answer, write_json

_WIDTH = 80
"""Default width of a terminal, in columns."""


def labels_of(labels: Path | None) -> InputPath | None:
    """Return the source of ``--labels``: verdicts, or a table of grades."""
    from ..api.label_sources import label_input, unread_note

    source = None if labels is None else label_input(labels, **grade_arguments())
    if label_note := unread_note(source):
        note(f"--labels: {label_note}")
    return source


def evaluate_command_line(options: RunSettings | JudgeSettings) -> int:
    """Run, or with ``--dry-run`` forecast, a command line of `run` or `judge`."""
    if not options.generates:
        _require_outputs(options)
    jury = jury_of(options)
    plan = plan_of(options, command=command_line(), labels=labels_of(options.labels), jury=jury)
    if isinstance(options, JudgeSettings):
        plan = after_first_judge(plan, options.unsure_of, options.max_error)
    access = cache(lambda: model_access(options))  # once: all models share its budget
    generation = None
    if isinstance(options, RunSettings) and options.generates:
        if not options.dry_run:
            generation = generate_first(options, access)
            if not generation.tally.kept + generation.tally.made:
                return EXIT_PARTIAL
        elif not forecast_first(options, access):
            return EXIT_OK
        plan = msgspec.structs.replace(plan, outputs=[*plan.outputs, plan.out / GENERATED])
    if options.dry_run:
        cost_forecast = forecast(plan, access(), progress=True)
        write_json(cost_forecast, options.json_file)
        if options.json_file != "-":
            click.echo(str(cost_forecast))
        return EXIT_OK
    code = evaluate(
        plan,
        access,
        fail_under=options.fail_under,
        min_graded=options.min_graded,
        ungraded=options.ungraded,
        verbose=options.verbose,
        quiet=options.quiet,
        json_file=options.json_file,
    )
    return EXIT_PARTIAL if not code and generation is not None and generation.tally.without_output else code


def _require_outputs(options: RunSettings | JudgeSettings) -> None:
    if not options.outputs:
        raise UsageError(
            "name outputs with --outputs FILE, or what generates them: --generate MODEL or --agent COMMAND"
        )
    require_no_generating_options()


def evaluate(
    plan: Plan,
    access: Access,
    *,
    fail_under: Sequence[str] = (),
    min_graded: float | None = None,
    ungraded: UngradedRule = "fail",
    verbose: bool = False,
    quiet: bool = False,
    json_file: str | None = None,
    progress: bool | None = True,
) -> int:
    """Run a plan, print its results, and return the exit code.

    Args:
        plan: The run's settings.
        access: Access to a model.
        fail_under: Gates, as typed.
        min_graded: Lowest share of outputs that must have a score.
        ungraded: How a gate on all outputs counts missing, unreadable and refused ones.
        verbose: Print everything instead of one screen.
        quiet: Print only failed gates.
        json_file: File for the result as JSON; ``-`` prints it instead of the screen.
        progress: Whether to show progress unless ``quiet``; None shows it only on a terminal.
    """
    gates = parse_run_gates(fail_under) if fail_under else {}
    summary = run(plan, access, progress=False if quiet else progress)
    # Loaded while the first replies are awaited.
    from ..api.display import as_lines
    from ..api.run_display import closing_lines, full_document, screen_of_run

    failures: list[str] = []
    if gates or min_graded is not None:
        failures = run_gate_failures(gates, min_graded, summary, ungraded, plan.out)
    notes = failures + (list(gate_notes(gates, summary)) if gates else [])
    closing = list(closing_lines(plan))
    if verbose:
        lines = [*as_lines(full_document(plan, summary), full=True), *as_lines([*notes, *closing])]
    elif quiet:
        lines = list(as_lines(failures))
    else:
        report = f"{closing[0]}   (-v prints everything)"
        lines = [*as_lines(screen_of_run(plan, summary), width=_WIDTH), *as_lines([*notes, report])]
    if json_file is not None:
        from ..api.run import Run

        write_json(Run(plan.out), json_file)
    if json_file == "-":
        lines = []
        click.echo("".join(f"{line}\n" for line in as_lines(failures)), err=True, nl=False)
    echo_answer(lines)
    if summary.not_judged is not None:
        say(f"fiducial: {summary.not_judged}")
        return EXIT_USAGE
    if failures:
        return EXIT_GATE
    if any(use.graded_nothing for use in summary.judges):
        return EXIT_UNGRADED
    return EXIT_PARTIAL if summary.counts.failed else EXIT_OK
