"""`fiducial.mutate`: make probes with certain labels from correct outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec

from ..deterministic.mutation import load_operators
from ..errors import UsageError
from ..evaluation.audit.building import ProbeSettings, build_probes
from ..evaluation.audit.probe_folder import ProbeManifest
from ..evaluation.checking.dotted_names import NamesOption
from ..judges.catalogue import judges_for
from ..records import Case, FolderPath, nearest, read_numbered
from ..records.folder_files import CASES
from ..report.text import number_text
from ..report.text.one_screen import one_screen
from ..report.text.probe_text import probe_document
from ..settings.typed_commands import proposed
from ..spelling import setting
from .argument_checks import checked_arguments, require_choice, require_declared, require_whole
from .checking import FunctionsOption, Workspaces, Worlds, check_options
from .display import Document, Result
from .paths import Cases, FilePath, Outputs, folder_or_memory, folder_path, output_sources, put_back, source
from .progress_bars import show_progress


class Probes(Result, frozen=True):
    """Mutants with one named fault each, harmless twins and attacks, from correct outputs.

    Attributes:
        kept: Their folder; in memory if no folder was given.
        manifest: Origin of the probes, and their number by operator.
    """

    kept: FolderPath
    manifest: ProbeManifest

    def document(self) -> Document:
        """Return the number of probes per operator as a document."""
        return probe_document(self.manifest)

    def screen(self, room: int | None = None) -> Document:
        """Return the number of probes per operator, in one screen of a terminal."""
        return one_screen(probe_document(self.manifest, about=False), room)

    def to_dict(self) -> dict[str, Any]:
        """Return how the probes were made."""
        return msgspec.to_builtins(self.manifest)


def audit_commands(probes: Probes, out: Path) -> Iterator[str]:
    """Yield the command that audits judges of the probes' kinds of case."""
    kinds = {case.kind for _, case in read_numbered(probes.kept / CASES, Case, validated=True)}
    judges = sorted({judge for kind in kinds for judge in judges_for(kind, 1, 0)})
    if judges:
        audit_options = {"judges": tuple(judges), "model": number_text.MODEL, "out": f"{out}-audit"}
        yield f"next: audit judges ({number_text.needs_model()})"
        yield f"  {proposed('audit run', out, **audit_options)}"


def probes_folder(probes: Probes | FilePath | None) -> FolderPath | None:
    """Return the folder of probes, or None if there are none."""
    if isinstance(probes, Probes):
        return probes.kept
    return None if probes is None else folder_path(probes)


@checked_arguments
def mutate(
    cases: Cases | None = None,
    outputs: Outputs | None = None,
    *,
    out: FilePath | None = None,
    only: str | Sequence[str] = (),
    operators: Sequence[str] = (),
    seed: int = 0,
    per_output: int = 3,
    lifelike: int = 0,
    names: NamesOption = "auto",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    workers: int | None = None,
    progress: bool | None = None,
    **workspaces: Unpack[Workspaces],
) -> Probes:
    """Make probes from correct outputs; the strict checker labels them.

    Args:
        cases: In any form; None with ``lifelike`` alone.
        outputs: In any form; those that are right by strict rules are mutated. None makes right outputs from the references.
        out: A folder for the probes; None keeps them in memory.
        only: Operators by name; by default all that apply.
        operators: Custom operators, ``module:NAME`` each, besides registered ones.
        seed: The same seed gives the same probes.
        per_output: Maximum probes of one operator per correct output.
        lifelike: Number of faults of each kind like those of real agents. Each is planted, with a harmless twin, in a case drawn
            for it.
        names: Form in which documented names with dots were offered: ``dotted``, ``underscored``, or ``auto`` for what each system uses.
        functions: Functions that executable calls may name; by default the registered ones.
        worlds: Custom simulated worlds; by default the registered ones.
        workers: Number of processes that make the probes, or None for one per core, if that is faster. Probes are the same.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **workspaces: Options for reading workspaces; see `Workspaces`.

    Returns:
        The probes.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
        UsageError: There is no such operator, or there are neither cases nor lifelike faults.
    """
    require_declared(workspaces, Workspaces)
    require_choice("names", names, NamesOption)
    require_whole("per_output", per_output)
    require_whole("workers", workers)
    require_whole("lifelike", lifelike, 0)
    known_operators = load_operators(operators, Path.cwd())
    only = [only] if isinstance(only, str) else only
    unknown_operators = sorted(set(only) - known_operators.keys())
    if unknown_operators:
        raise UsageError(
            f"{setting('only', unknown_operators[0])}: no such operator{nearest(unknown_operators[0], known_operators)}; there are {', '.join(known_operators)}"
        )
    settings = ProbeSettings(
        operators=[operator for name, operator in known_operators.items() if not only or name in only],
        options=check_options("strict", functions, worlds, **workspaces),
        names=names,
        seed=seed,
        per_operator=per_output,
        lifelike=lifelike,
    )
    _require_work(cases, outputs, only, settings)
    folder = folder_or_memory(out, "probes")
    sources = [] if outputs is None else output_sources(outputs)
    with show_progress(enabled=progress) as progress_display, put_back(folder):
        case_source = None if cases is None else source("cases", cases)
        return Probes(
            folder, build_probes(case_source, sources, folder, settings, progress_display, workers=workers)
        )


def _require_work(
    cases: Cases | None, outputs: Outputs | None, only: Sequence[str], settings: ProbeSettings
) -> None:
    """Raise a UsageError if a named operator, or an input, would not be used."""
    if cases is None and outputs is not None:
        raise UsageError("outputs need their cases")
    if cases is None and not settings.lifelike:
        raise UsageError(
            f"name cases, or how many faults of each kind to draw with {setting('lifelike', 10)}"
        )
    if only and settings.drawn and not settings.lifelike:
        raise UsageError(
            f"{setting('only', settings.drawn[0].name)}: is planted in cases of its own; say how many with {setting('lifelike', 10)}"
        )
    if settings.lifelike and not settings.drawn:
        raise UsageError(
            f"{setting('lifelike', settings.lifelike)}: no operator of {setting('only')} is one of these"
        )
