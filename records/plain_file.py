"""Safe opening of the files that a run writes; links are never followed.

Somebody may have put a link in place of such a file.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from ..errors import InputError, RunFolderError


def open_plainly(path: Path, flags: int) -> int:
    """Open a file that a run keeps, if it is a plain file; links are not followed.

    Args:
        path: The file.
        flags: As of `os.open`.

    Returns:
        The descriptor.

    Raises:
        RunFolderError: A link, a device, a pipe or a folder stands there.
        OSError: It cannot be opened.
    """
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RunFolderError(
                f"{path}: a symbolic link; what a run keeps is read and written where it is"
            ) from error
        if error.errno in {errno.EISDIR, errno.ENXIO}:
            raise RunFolderError(f"{path}: no plain file; what a run keeps is in plain files") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RunFolderError(f"{path}: no plain file; what a run keeps is in plain files")
    return descriptor


def read_plainly(path: Path) -> bytes:
    """All of a file that is opened so; see `open_plainly`."""
    with open(open_plainly(path, os.O_RDONLY), "rb") as file:
        return file.read()


def refuse_device(path: Path) -> None:
    """Refuse a device as an input: most give bytes without end.

    Raises:
        InputError: It is one, other than the null device.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return  # whoever opens it says what is wrong
    device = stat.S_ISBLK(found.st_mode) or stat.S_ISCHR(found.st_mode)
    if device and path.resolve() != Path(os.devnull):
        raise InputError("is a device; expected a file", path=path)
