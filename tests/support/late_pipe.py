"""A pipe that nobody writes to until a reader says that it waits."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

Open = Callable[[Path, Callable[[str], None]], Path]


def read_late(pipe: Path, path_of: Open) -> tuple[bytes, list[str]]:
    """Return the bytes read from a late pipe, and the notes until then."""
    os.mkfifo(pipe)
    notes: list[str] = []

    def tell(note: str) -> None:
        notes.append(note)
        threading.Thread(target=pipe.write_bytes, args=(b"late\n",)).start()

    return path_of(pipe, tell).read_bytes(), notes


def waiting_for(pipe: Path) -> str:
    """Return the note about a pipe that nobody writes to."""
    return f"{pipe}: waiting for something to be written to this pipe"
