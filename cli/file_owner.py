"""Read a file and check who can write it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

_MAX_BYTES = 1024 * 1024
"""Maximum size of a file that is read."""
_LINK_PROBLEM = "it is a link; a trusted file of another folder may name other code here"


class FileOwner(NamedTuple):
    """Content hash of a file, and the reason if it cannot be trusted.

    Attributes:
        sha256: Hash of its content.
        problem: Reason why it cannot be trusted, or None if only the user can write it.
    """

    sha256: str
    problem: str | None


def read_with_owner(path: Path) -> tuple[bytes, FileOwner]:
    """Read a file, and check who can write it.

    Raises:
        OSError: It cannot be read, or is too long.
    """
    is_link = path.is_symlink()
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise OSError("longer than 1 MiB")
    return content, FileOwner(
        hashlib.sha256(content).hexdigest(), _LINK_PROBLEM if is_link else _problem(status)
    )


def _problem(status: os.stat_result) -> str | None:
    if not hasattr(os, "getuid"):
        return None  # on Windows, files have no owner of this kind
    if status.st_uid != os.getuid():
        return "the file belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others can write the file (chmod go-w fixes that)"
    return None
