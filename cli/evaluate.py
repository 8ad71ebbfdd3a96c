"""Shared steps of `run`, `judge` and `demo`: evaluate, report, print results, set exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Unpack

import click

from ..api.gates import gates_of
from ..api.run_files import GENERATED, Access, CheckingStage, Plan, forecast, plan_of, run
from ..errors import UsageError
from ..records import InputPath
from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE
from .generate import foresee_first, generate_first
from .label_options import grades_given
from .model_options import RunOptions, jury_options_of, model_access
from .printing import command_line, echo_answer

_WIDTH = 80
"""Columns of a terminal that nobody made wider."""


def labels_of(labels: Path | None) -> InputPath | None:
    """Return the source of ``--labels``: verdicts, or a table of grades."""
    from ..api.label_sources import labels_told

    return None if labels is None else labels_told(labels, **grades_given())


def evaluate_as_asked(given: RunOptions, /, **stages: Unpack[CheckingStage]) -> int:
    """Run, or with ``--dry-run`` forecast, a command line of `run` or `judge`.

    ``stages`` are the fields of the plan that only one of the two commands has.
    """
    # Once, since all models share its budget.
    reached = cache(lambda: model_access(given))
    generated = None
    if not given.generates:
        _require_outputs(given)
    elif given.dry_run:
        if not foresee_first(given, reached):
            return EXIT_OK
    else:
        generated = generate_first(given, reached)
        if not generated.tally.kept + generated.tally.made:
            return EXIT_PARTIAL
    plan = plan_of(
        cases=given.cases,
        outputs=[*given.outputs, *([given.out / GENERATED] if given.generates else [])],
        out=given.out,
        command=command_line(),
        judges=given.judges,
        model=given.model,
        labels=labels_of(given.labels),
        pass_at=given.pass_at,
        repeats=given.repeats,
        judge_parameters=given.judge_parameters,
        prices=given.price,
        accept_edited=given.accept_edited,
        poll_seconds=given.batch_poll_seconds,
        **jury_options_of(given),
        environments=_worlds(given.worlds),
        **stages,
    )
    if given.dry_run:
        click.echo(str(forecast(plan, reached(), progress=True)))
        return EXIT_OK
    code = evaluate(
        plan,
        reached,
        fail_under=given.fail_under,
        min_graded=given.min_graded,
        verbose=given.verbose,
        quiet=given.quiet,
    )
    return EXIT_PARTIAL if not code and generated is not None and generated.tally.without_output else code


def _require_outputs(given: RunOptions) -> None:
    if not given.outputs:
        raise UsageError(
            "name outputs with --outputs FILE, or who generates them: --generate MODEL or --agent COMMAND"
        )
    if given.again:
        raise UsageError("--again makes the outputs of a model or agent anew: add --generate or --agent")


def evaluate(
    plan: Plan,
    access: Access,
    *,
    fail_under: Sequence[str] = (),
    min_graded: float | None = None,
    verbose: bool = False,
    quiet: bool = False,
    progress: bool | None = True,
) -> int:
    """Run a plan, print its results, and return the exit code.

    Args:
        plan: What to do.
        access: How a model is reached.
        fail_under: Gates, as typed.
        min_graded: The least share of outputs that must have a score.
        verbose: Tell everything, not a screen.
        quiet: Tell which gates fail, and nothing else.
        progress: Whether to show how far it is where nobody asks for quiet; None: on a terminal alone.
    """
    gates = gates_of(fail_under) if fail_under else {}
    found = run(plan, access, progress=False if quiet else progress)
    from ..api.display import as_lines  # loaded while the first replies are awaited

    failures = found.failing(gates, min_graded) if gates or min_graded is not None else []
    if verbose:
        lines = [*as_lines(found.in_full(), full=True), *as_lines([*failures, *found.closing()])]
    elif quiet:
        lines = list(as_lines(failures))
    else:
        report = f"report: {found.report}   (-v tells more)"
        lines = [*as_lines(found.document(), width=_WIDTH), *as_lines([*failures, report])]
    echo_answer(lines)
    if found.summary.not_judged is not None:
        click.echo(f"fiducial: {found.summary.not_judged}", err=True)
        return EXIT_USAGE
    if failures:
        return EXIT_GATE
    return EXIT_PARTIAL if found.summary.counts.failed else EXIT_OK


def _worlds(given: tuple[str, ...]) -> Mapping[str, type]:
    if not given:
        return {}
    from ..api.checking import worlds_of  # judging alone needs no checkers

    return worlds_of(given)
