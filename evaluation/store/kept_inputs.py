"""Input files of a run: recorded when it begins, and checked for changes when read later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...errors import RunFolderError
from ...records import FolderPath, InputPath, atomic_write
from ...records.addresses import is_address
from ...spelling import setting
from ..inputs import EvaluationInputs, InputFile, file_sha256
from .copies import copy_at


class KeptInput(msgspec.Struct, frozen=True, kw_only=True):
    """Record of an input file of a run.

    ``name`` is what the user called it. ``path`` is its location; for an input that was in memory, its name in the run folder.
    """

    path: str
    sha256: str
    name: str = ""
    rows: int = 0


class RunInputs(NamedTuple):
    """Input files of a run: cases and outputs."""

    cases: tuple[InputPath, ...]
    outputs: tuple[InputPath, ...]

    @classmethod
    def of(cls, files: Sequence[InputPath], case_files: int | None) -> RunInputs:
        """Split files into cases and outputs; without a count, only the first contains cases."""
        count = case_files or 1
        return cls(tuple(files[:count]), tuple(files[count:]))


def keep_inputs(folder: FolderPath, inputs: EvaluationInputs) -> list[KeptInput]:
    """Return the records of a run's input files; those in memory are saved in its folder."""
    paths = (*inputs.cases.files, *inputs.output_files)
    return [_keep_input(folder, path, file) for path, file in zip(paths, inputs.survey.files, strict=True)]


def _keep_input(folder: FolderPath, path: InputPath, file: InputFile) -> KeptInput:
    if isinstance(path, Path):
        name = path.name if path.parent == folder else str(path.resolve())
    else:
        name = f"{path.name}.jsonl"
        if not (folder / name).exists():
            with atomic_write(folder / name) as copy:
                copy.write(path.read_bytes())
    return KeptInput(name=file.name, sha256=file.sha256, rows=file.rows, path=name)


def unchanged_inputs(folder: FolderPath, files: Sequence[KeptInput], case_files: int | None) -> RunInputs:
    """Return the inputs of a run, which must be unchanged.

    Pages show the cases and outputs that were graded, not later ones.

    Raises:
        RunFolderError: An input has changed.
    """
    if not files:
        raise RunFolderError(
            f"{folder}: does not name its inputs; run it again with another {setting('out')}"
        )
    return RunInputs.of([_unchanged_path(folder, file) for file in files], case_files)


def _unchanged_path(folder: FolderPath, file: KeptInput) -> InputPath:
    path = place_of(folder, file)
    if not path.exists():
        # A fetched input is named by its address, since its path is known on this machine only.
        name = file.name if is_address(file.name) else path
        raise RunFolderError(
            f"{folder}: its input {name} is missing; restore it, since a page of the run needs it"
        )
    if file_sha256(path) != file.sha256:
        raise RunFolderError(
            f"{folder}: its input {path} has changed since the run; run again with another {setting('out')}"
        )
    return path


def place_of(folder: FolderPath, file: KeptInput) -> InputPath:
    """Return an input's location: on this machine, in the run folder, or fetched from its store.

    Only the inputs of a run by address are fetched.
    """
    path = Path(file.path) if Path(file.path).is_absolute() else folder / file.path
    copy = copy_at(folder)
    return path if copy is None or path.exists() else copy.fetch_beside(file.name) or path
