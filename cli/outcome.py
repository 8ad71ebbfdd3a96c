"""The end of `run`, `judge` and `demo`: the report is written, what came out is said, and the exit code follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import click

from ..api.gates import run_gates
from ..api.text import visible
from ..evaluation.conclusion.conclude import Conclusion
from ..evaluation.pipeline import Plan
from ..evaluation.store.manifest import component_versions
from ..report import words
from ..report.document import as_lines
from ..report.from_run import reported
from ..report.html import report_template
from ..report.run_words import run_document
from ..report.summary_words import summary_document
from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE

_WIDTH = 80
"""Columns of a terminal that nobody made wider."""


class Telling(NamedTuple):
    """How much is told.

    Attributes:
        verbose: Everything, not a screen.
        quiet: Gates that fail, and nothing else.
    """

    verbose: bool = False
    quiet: bool = False


def show_outcome(
    plan: Plan,
    conclusion: Conclusion,
    gates: Mapping[str, float],
    min_graded: float | None,
    telling: Telling,
) -> int:
    """Write the report, and say what a run came to.

    Args:
        plan: What was to be done.
        conclusion: What it came to.
        gates: Statistic to the least value it may have.
        min_graded: The least share of outputs that must have a score.
        telling: How much is told.

    Returns:
        The exit code.
    """
    report, data = reported(plan.out, unchanged=conclusion.unchanged)
    failures = run_gates(gates, min_graded, conclusion)
    notes = [*plan.notes, *([""] if plan.notes else [])]
    if telling.verbose:
        whole = [*notes, *summary_document(conclusion)]
        lines = [*as_lines(whole, full=True), *failures, *_next_steps(plan, conclusion, report)]
    elif telling.quiet:
        lines = failures
    else:
        shown = [*plan.notes, *run_document(data.found)]
        lines = [*as_lines(shown, width=_WIDTH), *failures, f"report: {report}   (-v tells more)"]
    for line in lines:
        click.echo(visible(line))
    if conclusion.not_judged is not None:
        click.echo(f"fiducial: {conclusion.not_judged}", err=True)
        return EXIT_USAGE
    if failures:
        return EXIT_GATE
    return EXIT_PARTIAL if conclusion.failed else EXIT_OK


def load(plan: Plan) -> None:
    """Look up and compile what all that takes, ahead of time.

    Args:
        plan: What is to be done.
    """
    report_template()
    component_versions()
    if plan.prices is not None and plan.model is not None:
        plan.prices(plan.model)


def _next_steps(plan: Plan, conclusion: Conclusion, report: object) -> Iterable[str]:
    checks = sum(system.failed_checks for system in conclusion.systems)
    if conclusion.failed > checks:
        yield f"{words.missing(conclusion.failed - checks)}; the same command asks again for these alone"
    if checks:
        yield f"{words.not_checked(checks)}; the same command checks these alone again"
    yield f"report: {report}"
    yield f"records: {plan.out} (the same command resumes; `fiducial calibrate {plan.out}` for every statistic)"
