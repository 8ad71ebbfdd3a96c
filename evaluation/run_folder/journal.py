"""Journal: an append-only JSON Lines file that survives a kill at any byte."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from ...errors import InputError
from ...records import Closing, InputPath, MemoryFile, decode_record, encode_record, read_lines

T = TypeVar("T")
U = TypeVar("U")

_TAIL = 64 * 1024


class Journal(Closing, Generic[T]):
    """Records that are added one by one and never changed.

    A line counts when its newline is written: what a kill left torn at the end is cut off when the journal is opened
    again, and whoever wrote it does that piece of work once more.

    Args:
        path: The file; made when it is not there. In memory it survives as long as the process does.
        record_type: What stands on a line.
    """

    def __init__(self, path: InputPath, record_type: type[T]) -> None:
        self.path = path
        self.record_type = record_type
        self._file = _opened(path)

    def append(self, record: T) -> None:
        """Add a record; it is on its way to the disk after the next `flush`.

        Raises:
            InputError: The file cannot be written: the disk is full.
        """
        with self._naming_the_file():
            self._file.write(encode_record(record))

    def flush(self) -> None:
        """Hand everything so far to the operating system, so that a kill of this process loses nothing of it.

        Raises:
            InputError: See `append`.
        """
        with self._naming_the_file():
            self._file.flush()

    def __iter__(self) -> Iterator[T]:
        """The records written so far."""
        return self.read_as(self.record_type)

    def read_as(self, record_type: type[U]) -> Iterator[U]:
        """The records written so far, or what another type reads of their lines."""
        self.flush()
        for line, _, raw in read_lines(self.path):
            yield decode_record(raw, record_type, path=self.path, line=line)

    def close(self) -> None:
        """Flush and close.

        Raises:
            InputError: See `append`.
        """
        with self._naming_the_file():
            self._file.close()

    @contextmanager
    def _naming_the_file(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", path=self.path) from error


class _InMemory:
    """Appends to a file in memory, from which nothing is torn."""

    def __init__(self, file: MemoryFile) -> None:
        self.write = file.append

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held open."""


def _opened(path: InputPath) -> BinaryIO | _InMemory:
    if isinstance(path, MemoryFile):
        path.append(b"")
        return _InMemory(path)
    path.touch()
    _cut_torn_line(path)
    return path.open("ab")


def _cut_torn_line(path: Path) -> None:
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        position = end
        while position:
            start = max(0, position - _TAIL)
            file.seek(start)
            newline = file.read(position - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            position = start
        else:
            end = 0
        file.truncate(end)
