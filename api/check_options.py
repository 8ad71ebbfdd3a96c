"""Checker options from callers' arguments: rules, plugins and workspace settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from ..deterministic import CheckOptions, Rules
from ..deterministic.options import ArtifactOptions
from ..deterministic.registration import load_environments, load_functions
from ..deterministic.sandbox.limits import Limits
from ..errors import UsageError

Worlds: TypeAlias = Mapping[str, type] | Sequence[str] | None
"""Simulated worlds of one's own: classes by name, or ``module:Class``; those that are registered when left out."""

FunctionsOption: TypeAlias = Mapping[str, Callable[..., Any]] | Sequence[str] | None
"""Functions that executable calls may name: by name, or ``module:NAME``; those that are registered when left out."""


class Workspaces(TypedDict, total=False):
    """Settings for checking the workspaces that agents leave behind.

    Attributes:
        allow_code: Whether code in them may be run, in a sandbox.
        files: Whether one right file is enough (``any``), or each one a challenge names must be right (``all``).
        case_insensitive: Whether capitals do not matter.
        whole_word: Whether words within longer words do not count.
        code_timeout: Seconds that a script may run.
    """

    allow_code: bool
    files: Literal["any", "all"]
    case_insensitive: bool
    whole_word: bool
    code_timeout: float


def worlds_of(given: Worlds) -> Mapping[str, type]:
    """Return worlds by name."""
    return given if isinstance(given, Mapping) else load_environments(given or (), Path.cwd())


def functions_of(given: FunctionsOption) -> Mapping[str, Callable[..., Any]]:
    """Return functions by name."""
    return given if isinstance(given, Mapping) else load_functions(given or (), Path.cwd())


def check_options(
    rules: Rules = "strict",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    *,
    code_timeout: float = 60.0,
    **workspaces: Any,
) -> CheckOptions:
    """Return the options for checkers; `Workspaces` describes those for workspaces.

    Raises:
        UsageError: There are no such rules.
        ConfigurationError: A function or world is not there.
    """
    if rules not in get_args(Rules):
        raise UsageError(f"rules: expected {' or '.join(get_args(Rules))}, got {rules!r}")
    return CheckOptions(
        rules=rules,
        functions=functions_of(functions),
        environments=worlds_of(worlds),
        artifacts=ArtifactOptions(
            limits=Limits(wall_seconds=code_timeout, cpu_seconds=ceil(code_timeout)), **workspaces
        ),
    )
