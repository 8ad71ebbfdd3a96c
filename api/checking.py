"""Check one output (`fiducial.check`) or files (`check_file`), and the options of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from ..deterministic.artifacts.dependencies import UnknownDependency
from ..deterministic.checkers import check as check_record
from ..deterministic.checkers import validate_reference
from ..deterministic.options import ArtifactOptions, CheckOptions, Rules
from ..deterministic.registration import (
    RegisteredEnvironments,
    RegisteredFunctions,
    load_environments,
    load_functions,
)
from ..deterministic.sandbox.limits import Limits
from ..evaluation.checking.checks import check_file as check_outputs
from ..evaluation.checking.checks import partial_file
from ..evaluation.checking.dotted_names import NamesOption
from ..evaluation.conclusion.run_results import SystemResult
from ..records import Case, Output, TextRule, Verdict
from .argument_checks import (
    checked_arguments,
    require_choice,
    require_declared,
    require_range,
    require_type,
    require_whole,
)
from .display import Document, Result
from .paths import FilePath, as_case, as_output, paths_of, written_path
from .progress_bars import show_progress

__all__ = [
    "CheckedFile",
    "FunctionsOption",
    "Workspaces",
    "Worlds",
    "check",
    "check_file",
    "check_options",
    "functions_of",
    "partial_file",
    "worlds_of",
]


Worlds: TypeAlias = Mapping[str, type] | Sequence[str] | None
"""Custom simulated worlds: classes by name, or ``module:Class``; by default the registered ones."""

FunctionsOption: TypeAlias = Mapping[str, Callable[..., Any]] | Sequence[str] | None
"""Functions that executable calls may name: by name, or ``module:NAME``; by default the registered ones."""


FilesOption: TypeAlias = Literal["any", "all"]
"""Files that must be right if a challenge names several: ``any`` one of them, or ``all``."""


class Workspaces(TypedDict, total=False):
    """Settings for checking workspaces of agents.

    Attributes:
        allow_code: Whether to run code in them, in a sandbox.
        files: ``any``: one right file is enough; ``all``: every file that a challenge names must be right.
        case_insensitive: Whether to ignore letter case.
        whole_word: Whether to ignore words within longer words.
        code_timeout: Time limit of a script, in seconds.
    """

    allow_code: bool
    files: FilesOption
    case_insensitive: bool
    whole_word: bool
    code_timeout: float


def worlds_of(worlds: Worlds) -> Mapping[str, type]:
    """Return worlds by name, or the registered ones by default."""
    require_type("worlds", worlds, "Mapping[str, type] | Sequence[str] | None")
    if isinstance(worlds, Mapping):
        return worlds
    return load_environments(worlds, Path.cwd()) if worlds else RegisteredEnvironments()


def functions_of(functions: FunctionsOption) -> Mapping[str, Callable[..., Any]]:
    """Return functions by name, or the registered ones by default."""
    require_type("functions", functions, "Mapping[str, Callable] | Sequence[str] | None")
    if isinstance(functions, Mapping):
        return functions
    return load_functions(functions, Path.cwd()) if functions else RegisteredFunctions()


def check_options(
    rules: Rules = "strict",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    *,
    text: TextRule | None = None,
    code_timeout: float = 60.0,
    **workspaces: Any,
) -> CheckOptions:
    """Return the options for checkers; `Workspaces` describes those for workspaces.

    Raises:
        UsageError: There are no such rules.
        ConfigurationError: A function or world does not exist.
    """
    require_choice("rules", rules, Rules)
    if text is not None:
        require_choice("text", text, TextRule)
    require_choice("files", workspaces.get("files", "any"), FilesOption)
    require_declared(workspaces, Workspaces)
    require_range("code_timeout", code_timeout, 0.0, math.inf)
    return CheckOptions(
        rules=rules,
        text=text,
        functions=functions_of(functions),
        environments=worlds_of(worlds),
        artifacts=ArtifactOptions(
            limits=Limits(wall_seconds=code_timeout, cpu_seconds=math.ceil(code_timeout)), **workspaces
        ),
    )


@checked_arguments
def check(
    case: Case | Mapping[str, Any],
    output: Output | Mapping[str, Any],
    *,
    rules: Rules = "strict",
    text: TextRule | None = None,
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    **workspaces: Unpack[Workspaces],
) -> Verdict:
    """Check, without a model, whether an output is correct.

    Args:
        case: The case; a record, or a mapping with the same keys.
        output: The system's output; in a mapping ``case_id`` and ``system`` are optional.
        rules: ``strict``, or ``bfcl`` for verdicts equal to the Berkeley Function-Calling Leaderboard's.
        text: How strict rules compare texts in calls, where neither the case nor the schema says it: ``exact``, or ``loose`` to ignore
            case, punctuation and blanks. None leaves a difference of form undecided.
        functions: Functions that executable calls may name; by default the registered ones.
        worlds: Custom simulated worlds; by default the registered ones.
        **workspaces: Options for reading a workspace, such as ``allow_code=True``; see `Workspaces`.

    Returns:
        The verdict; its outcome is ``undecided`` if no checker can decide.

    Raises:
        RecordError: Case or output is invalid; the message names the field.
        InputError: No output could meet the reference with the case's tools, worlds or functions.
        UsageError: The output is of another case, or there are no such rules.
    """
    options = check_options(rules, functions, worlds, text=text, **workspaces)
    case_record = as_case(case)
    validate_reference(case_record, options)
    return check_record(case_record, as_output(output, case_record), options)


class CheckedFile(Result, frozen=True):
    """Checker results of each system."""

    systems: list[SystemResult]
    unknown_dependencies: list[UnknownDependency] = []

    @property
    def failed(self) -> int:
        """Number of outputs without a verdict because a custom checker failed."""
        return sum(system.failed_checks for system in self.systems)

    def document(self) -> Document:
        """Return the results as a document."""
        from ..report.text import number_text  # noqa: PLC0415 - setting options shows nothing
        from ..report.text.form_text import form_lines  # noqa: PLC0415 - setting options shows nothing
        from ..report.text.summary_text import checked_systems_document  # noqa: PLC0415 - setting options shows nothing

        failure_notes = [number_text.unchecked_outputs(self.failed)] if self.failed else []
        dependency_notes = number_text.unknown_dependency_notes(
            self.unknown_dependencies, "no output here answers for"
        )
        return [
            *checked_systems_document(self.systems),
            *form_lines(self.systems),
            *failure_notes,
            *dependency_notes,
        ]


@checked_arguments
def check_file(
    cases: FilePath | Sequence[FilePath],
    outputs: FilePath | Sequence[FilePath],
    out: FilePath,
    *,
    rules: Rules = "strict",
    text: TextRule | None = None,
    names: NamesOption = "auto",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    workers: int | None = None,
    progress: bool | None = None,
    **workspaces: Unpack[Workspaces],
) -> CheckedFile:
    """Check every output of files, and write the verdicts.

    Args:
        cases: Files of cases, or folders of shards.
        outputs: Files of outputs, or folders of shards. With a folder, systems are sorted by name.
        out: File of the verdicts (JSON Lines), complete when it appears. After an interruption, `partial_file` has those so far.
        rules: ``strict`` or ``bfcl``.
        text: How strict rules compare texts; see `check`.
        names: Form in which documented names with dots were offered: ``dotted``, ``underscored``, or ``auto`` for what each system uses.
        functions: Functions that executable calls may name; by default the registered ones.
        worlds: Custom simulated worlds; by default the registered ones.
        workers: Number of processes that check, or None for one per core, if that is faster. Verdicts are the same.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **workspaces: Options for reading workspaces; see `Workspaces`.

    Returns:
        The results of each system.

    Raises:
        InputError: An input cannot be used, or the file cannot be written.
        WorkerError: A worker process was killed.
    """
    require_choice("names", names, NamesOption)
    require_whole("workers", workers)
    options = check_options(rules, functions, worlds, text=text, **workspaces)
    with show_progress(enabled=progress) as progress_display:
        checked = check_outputs(
            paths_of(cases),
            paths_of(outputs),
            written_path(out),
            names=names,
            options=options,
            progress=progress_display,
            workers=workers,
        )
    return CheckedFile(checked.systems, checked.unknown)
