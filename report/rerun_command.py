"""Command that grades a run's outputs again with other cases, into another folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ..proposed_steps import Command
from ..settings.typed_commands import options_named, proposed

_ONE_TIME_SETTINGS = ("generate", "agent", "labels_patch", "again")
"""Settings that make outputs or cases; a command with one is not repeated with other cases."""


def rerun_command(
    typed: Command | None,
    case_arguments: Collection[str],
    *,
    cases: Path,
    outputs: Sequence[str],
    labels: Path | None,
    out: Path,
) -> Command:
    """Return the command of a run with other cases and another folder.

    Args:
        typed: The original command, or None if a function made the run.
        case_arguments: The arguments of it that name the cases.
        cases: The cases that take their place.
        outputs: The run's outputs.
        labels: Labels that the run keeps.
        out: The other folder.
    """
    command = proposed("run", cases, outputs=tuple(outputs))
    if (
        typed is not None
        and typed.verb in {"run", "judge"}
        and {*case_arguments} <= {*typed.arguments}
        and not typed.given(*_ONE_TIME_SETTINGS)
    ):
        command = Command("run", (str(cases),), typed.without("out").options)
    if labels is not None and not command.given("labels"):
        command = command.also(*options_named("run", labels=labels))
    return command.also(*options_named("run", out=out))
