"""Files of changed inputs, written next to the result that uses them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import UsageError
from ..evaluation.store.copies import copy_at
from ..records import Case, MemoryFile, Output, Verdict, atomic_write, write_records
from ..spelling import setting


def require_local(folder: Path, purpose: str) -> None:
    """Raise a UsageError for a folder in an object store, next to which no file can be kept.

    Args:
        folder: The folder of the result.
        purpose: Beginning of the message: the option, and what it writes next to the folder.

    Raises:
        UsageError: The folder is in an object store.
    """
    if copy_at(folder) is not None:
        raise UsageError(
            f"{purpose} beside the run folder: choose an {setting('out')} on this machine, not {folder}"
        )


def write_beside(path: Path, rows: Iterable[Case | Output | Verdict], otherwise: str) -> Path:
    """Write a file that the same command finds unchanged on resuming, and return its path.

    Args:
        path: The file.
        rows: Its records.
        otherwise: Description of an existing file with other content, for the message.

    Raises:
        UsageError: The file exists with other content.
    """
    rendered = MemoryFile(path.name)
    write_records(rendered, rows)
    content = rendered.read_bytes()
    if path.exists() and path.read_bytes() != content:
        raise UsageError(f"{path}: {otherwise}; remove it, or choose another {setting('out')}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(content)
    return path
