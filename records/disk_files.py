"""Files on disk: shards, atomic writes, copies of pipes, refusals of devices and links."""

from __future__ import annotations

import atexit
import errno
import glob
import io
import os
import select
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError, RunFolderError, readable, register_alias
from .json_text import encode_line, indented_json
from .memory_file import InputPath, MemoryFile

_NOTE_AFTER_MS = 2_000
"""Milliseconds to wait for a pipe's writer before a note is shown."""

_SHARD = ".jsonl"

_copies: dict[tuple[int, int], Path] = {}
"""Copies of pipes, by device and inode."""


class Shards(NamedTuple):
    """Files, and whether any came from a folder, so that row order must not matter."""

    files: tuple[InputPath, ...]
    sharded: bool


def shards_of(paths: Iterable[InputPath]) -> Shards:
    """Return the given files, and for a folder its ``.jsonl`` files by name.

    Raises:
        InputError: There is no such file.
    """
    files, sharded = list[InputPath](), False
    for path in paths:
        if isinstance(path, Path) and path.is_dir():
            shards = sorted(file for file in path.glob(f"*{_SHARD}") if not file.name.startswith("."))
            if not shards:
                raise InputError(f"the folder holds no file that ends in {_SHARD}", path=path)
            files, sharded = [*files, *shards], True
        else:
            files.append(path)
    return Shards(tuple(files), sharded)


def copy_of_pipe(path: Path, notify: Callable[[str], object] = warnings.warn) -> Path:
    """Return a copy of a pipe's content; any other path unchanged.

    Messages show the pipe's name for the copy, which is removed when the program ends.

    Args:
        path: The pipe.
        notify: Called with a note if nothing has been written for two seconds.

    Raises:
        InputError: The pipe cannot be read.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - follows links
    except (OSError, ValueError):
        return path
    if not stat.S_ISFIFO(status.st_mode):
        return path
    key = (status.st_dev, status.st_ino)
    if key not in _copies:
        copy = temporary_copy("pipe.jsonl", shown_as=str(path))
        with readable(path), _opened_pipe(path, notify) as pipe, copy.open("wb") as file:
            shutil.copyfileobj(pipe, file)
        _copies[key] = copy
    return _copies[key]


def temporary_copy(name: str, *, shown_as: str) -> Path:
    """Return the path of a file to be written in a private folder.

    Messages show another name for it. It is removed when the program ends.
    """
    folder = Path(tempfile.mkdtemp(prefix="fiducial-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    register_alias(folder / name, shown_as)
    return folder / name


def _opened_pipe(path: Path, notify: Callable[[str], object]) -> BinaryIO:
    """Open a pipe as soon as something is written; Ctrl-C ends the wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    if not waiting.poll(_NOTE_AFTER_MS):
        notify(f"{path}: waiting for something to be written to this pipe")
        waiting.poll()
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def open_regular_file(path: Path, flags: int) -> int:
    """Open a regular file of a run; links are not followed.

    Args:
        path: The file.
        flags: As of `os.open`.

    Returns:
        The descriptor.

    Raises:
        RunFolderError: It is a link, a device, a pipe or a folder.
        OSError: It cannot be opened.
    """
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RunFolderError(f"{path}: a symbolic link; expected a regular file") from error
        if error.errno in {errno.EISDIR, errno.ENXIO}:
            raise RunFolderError(f"{path}: not a regular file") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RunFolderError(f"{path}: not a regular file")
    return descriptor


def read_regular_file(path: Path) -> bytes:
    """Return the content of a regular file; see `open_regular_file`."""
    with open(open_regular_file(path, os.O_RDONLY), "rb") as file:
        return file.read()


def require_no_device(path: Path) -> None:
    """Refuse a device as an input, since most never end.

    Raises:
        InputError: The path is a device other than the null device.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return  # opening it reports what is wrong
    device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if device and path.resolve() != Path(os.devnull):
        raise InputError("is a device; expected a file", path=path)


def write_records(path: InputPath | str, records: Iterable[object]) -> int:
    """Write records to a JSON Lines file, all or nothing.

    Args:
        path: The file; replaced only after the last record was written.
        records: The records.

    Returns:
        The number of records.

    Raises:
        InputError: The file cannot be written.
    """
    count = 0
    with atomic_write(Path(path) if isinstance(path, str) else path) as file:
        for record in records:
            file.write(encode_line(record, path))
            count += 1
    return count


def write_json(path: InputPath, value: Any) -> None:
    """Write an indented JSON file, all or nothing.

    Args:
        path: The file.
        value: Any value that msgspec can encode.

    Raises:
        InputError: The file cannot be written.
    """
    with atomic_write(path) as file:
        file.write(indented_json(value))


@contextmanager
def atomic_write(path: InputPath) -> Generator[BinaryIO]:
    """Open a temporary file that replaces ``path`` if the block ends without an error.

    Args:
        path: The file; its folder is made if it is missing.

    Yields:
        A binary file.

    Raises:
        InputError: The file cannot be written.
    """
    if isinstance(path, MemoryFile):
        buffer = io.BytesIO()
        yield buffer
        path.write_bytes(buffer.getvalue())
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with readable(path, doing="written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            for leftover in _left_by_killed(path):
                leftover.unlink(missing_ok=True)
            with part.open("xb") as file:  # `x` refuses links
                _try_lock(file)
                yield file
            part.replace(path)
    finally:
        with suppress(
            OSError
        ):  # it was never made, or the next writer removes it; why writing failed is the error
            part.unlink(missing_ok=True)


def _left_by_killed(path: Path) -> Iterator[Path]:
    """Yield the partial files that killed writers left beside a file."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        writer = leftover.suffixes[-2].removeprefix(".") if len(leftover.suffixes) > 1 else ""
        if writer.isdecimal() and not Path("/proc", writer).exists():
            with (
                suppress(OSError, RunFolderError),
                open(open_regular_file(leftover, os.O_RDONLY), "rb") as file,
            ):
                if _try_lock(file):  # else its writer is alive, on another machine or without /proc here
                    yield leftover


def _try_lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock.

    Also False on systems without such locks.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
