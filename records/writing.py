"""Records and other JSON, written all or nothing: a file is under its name when it is whole."""

from __future__ import annotations

import glob
import io
import json
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ..errors import RunFolderError, readable
from .encoding import encode_line
from .memory_file import InputPath, MemoryFile
from .plain_file import open_plainly


def write_records(path: InputPath | str, records: Iterable[object]) -> int:
    """Write records to a JSON Lines file, all or nothing.

    Args:
        path: The file; replaced only after the last record was written.
        records: What to write.

    Returns:
        How many were written.

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
    """Write a JSON file for people and machines, all or nothing.

    Args:
        path: The file.
        value: What msgspec can encode.

    Raises:
        InputError: The file cannot be written.
    """
    with atomic_write(path) as file:
        file.write(_laid_out(value) + b"\n")


def _laid_out(value: Any) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2)
    except UnicodeEncodeError:  # a lone surrogate, which a name in data may hold
        return json.dumps(msgspec.to_builtins(value), indent=2).encode("ascii")


@contextmanager
def atomic_write(path: InputPath) -> Generator[BinaryIO]:
    """Open a file for writing; it takes its name only if the block ends without an error.

    Args:
        path: The file to be made or replaced; its folder is made when missing.

    Yields:
        A binary file.

    Raises:
        InputError: The file cannot be written.
    """
    if isinstance(path, MemoryFile):
        written = io.BytesIO()
        yield written
        path.write_bytes(written.getvalue())
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with readable(path, doing="written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            for left in _left_by_killed(path):
                left.unlink(missing_ok=True)
            with part.open("xb") as file:  # which follows no link
                _held(file)
                yield file
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _left_by_killed(path: Path) -> Iterator[Path]:
    """Yield the partial files that killed writers left beside a file."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        writer = left.suffixes[-2].removeprefix(".") if len(left.suffixes) > 1 else ""
        if writer.isdecimal() and not Path("/proc", writer).exists():
            with suppress(OSError, RunFolderError), open(open_plainly(left, os.O_RDONLY), "rb") as file:  # noqa: PTH123 - a descriptor
                if _held(file):  # else its writer runs elsewhere, and has that number there
                    yield left


def _held(file: BinaryIO) -> bool:
    """Lock a file while this process has it open; False if another has it or locks are missing."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
