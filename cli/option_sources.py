"""Sources of option values: the command line, the team file or a default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click
from click.core import ParameterSource

from ..errors import UsageError


def words_before_dashes(args: Sequence[str]) -> Sequence[str]:
    """Return the words that may be options: those before `--`, which only files follow."""
    return args[: args.index("--")] if "--" in args else args


def is_typed(name: str) -> bool:
    """Return whether an option of the running command was typed."""
    return _source(name) is ParameterSource.COMMANDLINE


def is_default(name: str) -> bool:
    """Return whether an option was neither typed nor set by the team file."""
    return _source(name) is ParameterSource.DEFAULT


def from_team_file(*names: str) -> bool:
    """Return whether all of these options come from the team file."""
    return all(_source(name) is ParameterSource.DEFAULT_MAP for name in names)


def require_untyped(names: Iterable[str], why: str) -> None:
    """Refuse typed options that would have no effect.

    Settings of the team file are for many commands, so they may have none.

    Args:
        names: Parameters of the running command; those it lacks are skipped.
        why: The rest of the message, after the option.
    """
    params = {param.name: param for param in click.get_current_context().command.params}
    for name in names:
        if is_typed(name):
            raise UsageError(f"{params[name].opts[0]} {why}")


def _source(name: str) -> ParameterSource | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.get_parameter_source(name)
