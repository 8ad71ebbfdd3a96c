"""The files that a run is about: what a page shows must be what checkers and judges saw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ...errors import RunFolderError
from ...records import FolderPath, InputPath, atomic_write
from ..inputs import EvaluationInputs, file_sha256


def keep_inputs(folder: FolderPath, inputs: EvaluationInputs) -> Iterator[dict[str, Any]]:
    """Note which files a run is about; those that are in memory are kept in its folder.

    Args:
        folder: The run's.
        inputs: What it is about.

    Yields:
        Entries of the manifest, for `run_inputs`.
    """
    paths = (inputs.cases.path, *inputs.output_files)
    for path, file in zip(paths, inputs.survey.files, strict=True):
        entry = msgspec.to_builtins(file)
        if isinstance(path, Path):
            yield {**entry, "path": str(path.resolve())}
            continue
        name = f"{path.name}.jsonl"
        if not (folder / name).exists():
            with atomic_write(folder / name) as kept:
                kept.write(path.read_bytes())
        yield {**entry, "path": name}


def run_inputs(folder: FolderPath, manifest: dict[str, Any]) -> list[InputPath]:
    """Where the cases and the outputs of a run are.

    Args:
        folder: The run folder.
        manifest: Its manifest.

    Returns:
        The cases, then the outputs.

    Raises:
        RunFolderError: One of them is not where, or not what, it was.
    """
    return [_unchanged(folder, file["path"], file["sha256"]) for file in manifest["inputs"]]


def _unchanged(folder: FolderPath, name: str, sha256: str) -> InputPath:
    path = folder / name if not Path(name).is_absolute() else Path(name)
    if not path.exists():
        raise RunFolderError(
            f"{folder}: its input {path} is not there any more; a page about the run needs it"
        )
    if file_sha256(path) != sha256:
        raise RunFolderError(f"{folder}: its input {path} has changed since; run again with another --out")
    return path
