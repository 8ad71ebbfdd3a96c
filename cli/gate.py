"""`fiducial gate`: answer whether a run may be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import UsageError
from ..settings.verbs.gate import GateSettings
from .declared_options import options_of
from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL, EXIT_UNGRADED
from .inert_streams import echo_command
from .printing import emit, write_json

if TYPE_CHECKING:
    from ..api.gating import Gate

_EXAMPLE = """\b
Examples:
  fiducial gate run --min overall=0.8
  fiducial gate main-run branch-run --max-drop 0.02
  fiducial gate before.eval after.eval --max-drop 0.02 --cannot-tell pass
"""

_MAX_RUNS = 2
"""Runs of a gate: the one before, if any, and the one after."""


@click.command("gate", epilog=_EXAMPLE)
@options_of(GateSettings)
def command(**values: Any) -> int:
    """Answer whether a run passes, fails, or cannot be told.

    Runs are run folders, imports, tables, or result files of other tools, and are only read. Exit codes: 0 passes, 1 fails,
    2 bad input, 3 calls of the run failed, 4 cannot tell; 2 precedes 1, 1 precedes 3, and 3 precedes 4.
    """
    options = GateSettings(**values)
    runs = [*([options.before] if options.before is not None else []), *options.runs]
    if len(runs) > _MAX_RUNS:
        raise UsageError("a gate compares two runs: name the one before and the one after")
    if options.markdown and options.json_file == "-":
        raise UsageError("--markdown and --json both print: name a file with --json FILE, or drop one")
    from ..api.gating import gate, gate_annotations

    answer = gate(
        runs[-1],
        runs[0] if len(runs) == _MAX_RUNS else None,
        minimum=options.minimum,
        max_drop=options.max_drop,
        no_new_failures=options.no_new_failures,
        max_ungraded=options.max_ungraded,
        cost_at_most=options.cost_at_most,
        judge_error=options.judge_error,
        labels_chosen_by=options.labels_chosen_by,
        graded_by=options.graded_by,
    ).decided_by(options.cannot_tell)
    if options.junit is not None:
        answer.write_junit(options.junit)
    if options.markdown:
        write_json(answer, options.json_file)
        click.echo(answer.to_markdown())
    else:
        emit(answer, options.json_file)
    for line in gate_annotations(answer) if options.annotations else ():
        echo_command(line, err=options.json_file == "-" or options.markdown)
    return exit_code(answer, options.cannot_tell)


def exit_code(answer: Gate, cannot_tell: Literal["pass", "fail"] | None) -> int:
    """Return the exit code of an answer, failed calls before what cannot be told."""
    decision = answer.decided(cannot_tell)
    if decision == "fails":
        return EXIT_GATE
    if answer.failed_calls:
        return EXIT_PARTIAL
    return EXIT_OK if decision == "passes" else EXIT_UNGRADED
