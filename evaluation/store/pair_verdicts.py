"""Folders of imported verdicts on pairs of outputs, whose system is ``a vs b``."""

from __future__ import annotations

from pathlib import Path

from ...records import FolderPath, Output, Verdict, read_records
from ...records.folder_files import OUTPUTS
from .file_names import MANIFEST, VERDICTS

VERSUS = " vs "
"""Words between the names of both systems of a pair."""


def holds_imported_pairs(folder: FolderPath) -> bool:
    """Return whether a folder is an import whose first verdict is on a pair of outputs."""
    if not isinstance(folder, Path) or (folder / MANIFEST).exists() or not (folder / VERDICTS).is_file():
        return False
    first = next(iter(read_records(folder / VERDICTS, Verdict)), None)
    if first is None or VERSUS not in first.system:
        return False
    outputs = folder / OUTPUTS
    if not outputs.is_file() or not outputs.stat().st_size:
        return True
    return all(output.system != first.system for output in read_records(outputs, Output))
