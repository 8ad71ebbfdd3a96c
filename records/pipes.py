"""Named pipes as inputs, such as ``<(command)`` of a shell: copied once, since files are read more than once."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path

from ..errors import readable, register_alias

_copies: dict[tuple[int, int], Path] = {}
"""Device and inode of a pipe, to its copy."""


def copy_of_pipe(path: Path) -> Path:
    """Return a copy of a pipe's content, which messages call by the pipe's name; any other path as it is.

    The copy is removed when the program ends.

    Raises:
        InputError: The pipe cannot be read.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - of whatever the path leads to
    except (OSError, ValueError):
        return path
    if not stat.S_ISFIFO(found.st_mode):
        return path
    key = (found.st_dev, found.st_ino)
    if key not in _copies:
        folder = Path(tempfile.mkdtemp(prefix="fiducial-pipe-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        copy = folder / "pipe.jsonl"
        register_alias(copy, str(path))
        with readable(path), path.open("rb") as pipe, copy.open("wb") as file:
            shutil.copyfileobj(pipe, file)
        _copies[key] = copy
    return _copies[key]
