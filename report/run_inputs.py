"""The files that a run was about: what a page shows must be what checkers and judges saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import RunFolderError
from ..evaluation.inputs import file_sha256


def run_inputs(folder: Path, manifest: dict[str, Any]) -> list[Path]:
    """Where the cases and the outputs of a run are.

    Args:
        folder: The run folder.
        manifest: Its manifest.

    Returns:
        The cases, then the outputs.

    Raises:
        RunFolderError: One of them is not where, or not what, it was.
    """
    return [_unchanged(folder, Path(file["path"]), file["sha256"]) for file in manifest["inputs"]]


def _unchanged(folder: Path, path: Path, sha256: str) -> Path:
    if not path.exists():
        raise RunFolderError(
            f"{folder}: its input {path} is not there any more; a page about the run needs it"
        )
    if file_sha256(path) != sha256:
        raise RunFolderError(f"{folder}: its input {path} has changed since; run again with another --out")
    return path
