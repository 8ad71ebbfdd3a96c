"""The end of `run`, `judge` and `demo`: what came out is said, and the exit code follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import click

from ..api.running import Outcome
from ..api.shown import as_lines
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
    found: Outcome, gates: Mapping[str, float], min_graded: float | None, telling: Telling
) -> int:
    """Say what a run came to.

    Args:
        found: That.
        gates: Statistic to the least value it may have.
        min_graded: The least share of outputs that must have a score.
        telling: How much is told.

    Returns:
        The exit code.
    """
    failures = found.failing(gates, min_graded)
    if telling.verbose:
        lines = [*as_lines(found.in_full(), full=True), *as_lines([*failures, *found.closing()])]
    elif telling.quiet:
        lines = list(as_lines(failures))
    else:
        report = f"report: {found.report}   (-v tells more)"
        lines = [*as_lines(found.document(), width=_WIDTH), *as_lines([*failures, report])]
    for line in lines:
        click.echo(line)
    if found.conclusion.not_judged is not None:
        click.echo(f"fiducial: {found.conclusion.not_judged}", err=True)
        return EXIT_USAGE
    if failures:
        return EXIT_GATE
    return EXIT_PARTIAL if found.conclusion.failed else EXIT_OK
