"""`check_file`: write the deterministic verdicts of all outputs of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from ..deterministic import Rules
from ..deterministic.artifacts.dependencies import UnknownDependency
from ..evaluation.checking.check_file import check_file as check_outputs
from ..evaluation.checking.check_file import partial_file
from ..evaluation.checking.dotted_names import NamesOption
from ..evaluation.conclusion.run_results import SystemResult
from ..report.text import number_text
from ..report.text.summary_text import systems_document
from .check_options import FunctionsOption, Workspaces, Worlds, check_options
from .display import Document, Shown
from .input_sources import paths_of
from .paths import FilePath, written_path
from .progress_bars import shown_progress

__all__ = ["CheckedFile", "check_file", "partial_file"]


class CheckedFile(Shown, frozen=True):
    """Checker results of each system."""

    systems: list[SystemResult]
    unknown_dependencies: list[UnknownDependency] = []

    @property
    def failed(self) -> int:
        """Number of outputs without a verdict because a custom checker failed."""
        return sum(system.failed_checks for system in self.systems)

    def document(self) -> Document:
        """Return the results as a document."""
        failed = [number_text.not_checked(self.failed)] if self.failed else []
        unknown = number_text.unknown_dependencies(self.unknown_dependencies, "no output here answers for")
        return [*systems_document(self.systems), *failed, *unknown]


def check_file(
    cases: FilePath | Sequence[FilePath],
    outputs: FilePath | Sequence[FilePath],
    out: FilePath,
    *,
    rules: Rules = "strict",
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
        outputs: Files of outputs, likewise. Where there is a folder, nothing depends on the order of rows: systems come by name.
        out: Where the verdicts go (JSON Lines); appears when the last one is written. Interrupted, those so far are in `partial_file`.
        rules: ``strict`` or ``bfcl``.
        names: How documented names with dots were offered: ``dotted``, ``underscored``, or ``auto`` for what each system uses.
        functions: Functions that executable calls may name; those that are registered when left out.
        worlds: Simulated worlds of one's own; those that are registered when left out.
        workers: How many processes check; None for as many as there are cores, where that is faster. Verdicts are the same.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **workspaces: How workspaces are looked at; see `Workspaces`.

    Returns:
        What is said of each system.

    Raises:
        InputError: An input cannot be used, or the file cannot be written.
        WorkerError: A worker process was killed.
    """
    options = check_options(rules, functions, worlds, **workspaces)
    with shown_progress(wanted=progress) as shown:
        found = check_outputs(
            paths_of(cases),
            paths_of(outputs),
            written_path(out),
            names=names,
            options=options,
            progress=shown,
            workers=workers,
        )
    return CheckedFile(found.systems, found.unknown)
