"""Read and write files on disk: shards, pipes, atomic writes; refuse devices and links."""

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
from .json_text import encode_indented_json, encode_line
from .memory_file import InputPath, MemoryFile

_NOTE_AFTER_MS = 2_000
"""Milliseconds to wait for a pipe's writer before a note is shown."""

_SHARD_ENDING = ".jsonl"

_copies_of_pipes: dict[tuple[int, int], Path] = {}
"""Copies of pipes, by device and inode; a pipe can be read only once."""


class Shards(NamedTuple):
    """Input files, and whether any came from a folder, so that row order must not matter."""

    files: tuple[InputPath, ...]
    sharded: bool


def shards_of(paths: Iterable[InputPath]) -> Shards:
    """Return the given files, and for a folder its ``.jsonl`` files in the order of their names.

    Raises:
        InputError: There is no such file.
    """
    files, sharded = list[InputPath](), False
    for path in paths:
        if isinstance(path, Path) and path.is_dir():
            shards = sorted(file for file in path.glob(f"*{_SHARD_ENDING}") if not file.name.startswith("."))
            if not shards:
                raise InputError(f"the folder holds no file that ends in {_SHARD_ENDING}", path=path)
            files, sharded = [*files, *shards], True
        else:
            files.append(path)
    return Shards(tuple(files), sharded)


def copy_of_pipe(path: Path, notify: Callable[[str], object] = warnings.warn) -> Path:
    """Return the path of a copy of a pipe's content, and any other path unchanged.

    Messages name the pipe instead of the copy, which is removed when the program ends.

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
    pipe_id = (status.st_dev, status.st_ino)
    if pipe_id not in _copies_of_pipes:
        copy = temporary_copy("pipe.jsonl", shown_as=str(path))
        with readable(path), _open_pipe(path, notify) as pipe, copy.open("wb") as file:
            shutil.copyfileobj(pipe, file)
        _copies_of_pipes[pipe_id] = copy
    return _copies_of_pipes[pipe_id]


def temporary_copy(name: str, *, shown_as: str) -> Path:
    """Return the path for a file in a private folder, which is removed when the program ends.

    Messages name the file ``shown_as``.
    """
    folder = Path(tempfile.mkdtemp(prefix="fiducial-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    register_alias(folder / name, shown_as)
    return folder / name


def _open_pipe(path: Path, notify: Callable[[str], object]) -> BinaryIO:
    """Open a pipe when something is written to it; unlike a blocking open, Ctrl-C ends the wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    if not poller.poll(_NOTE_AFTER_MS):
        notify(f"{path}: waiting for something to be written to this pipe")
        poller.poll()
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def open_regular_file(path: Path, flags: int) -> int:
    """Open a regular file of a run without following a link.

    Args:
        path: The file.
        flags: As of `os.open`.

    Returns:
        The descriptor.

    Raises:
        RunFolderError: The path is a link, a device, a pipe or a folder.
        OSError: The file cannot be opened.
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
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if is_device and path.resolve() != Path(os.devnull):
        raise InputError("is a device; expected a file", path=path)


def write_records(path: InputPath | str, records: Iterable[object]) -> int:
    """Write records to a JSON Lines file, all or nothing.

    Args:
        path: The file, which is replaced only after the last record is written.
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
        file.write(encode_indented_json(value))


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
    partial_file = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with readable(path, doing="written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial_file.unlink(missing_ok=True)
            for leftover in _files_of_killed_writers(path):
                leftover.unlink(missing_ok=True)
            with partial_file.open("xb") as file:  # `x` refuses links
                _try_lock(file)
                yield file
            partial_file.replace(path)
    finally:
        # A file that cannot be removed is left to the next writer: the error to report is why writing failed.
        with suppress(OSError):
            partial_file.unlink(missing_ok=True)


def _files_of_killed_writers(path: Path) -> Iterator[Path]:
    """Yield the partial files that killed writers left in the folder of a file."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        writer = leftover.suffixes[-2].removeprefix(".") if len(leftover.suffixes) > 1 else ""
        if writer.isdecimal() and not Path("/proc", writer).exists():
            with (
                suppress(OSError, RunFolderError),
                open(open_regular_file(leftover, os.O_RDONLY), "rb") as file,
            ):
                # A lock shows that the writer is alive, on another machine or where there is no /proc.
                if _try_lock(file):
                    yield leftover


def _try_lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed, and return whether that worked.

    It does not if another process has a lock, or on systems without such locks.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
