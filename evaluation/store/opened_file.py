"""File opened once, to append and to read anywhere: on disk or in memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, BinaryIO

from ...records import MemoryFile, open_plainly
from .seals import RunningHash

PIECE = 256 * 1024
"""Bytes that are read at a time."""


class _Window(io.RawIOBase):
    """Reads a file that is open already, each reader at a place of its own, to a given end."""

    def __init__(self, descriptor: int, end: int | None, hashed: RunningHash | None) -> None:
        self._descriptor = descriptor
        self._end = end
        self._hashed = hashed
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: os.fstat(self._descriptor).st_size}[
            whence
        ] + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        wanted = len(view) if self._end is None else min(len(view), self._end - self._at)
        data = os.pread(self._descriptor, wanted, self._at)
        view[: len(data)] = data
        self._at += len(data)
        if self._hashed is not None:
            self._hashed.update(data)
        return len(data)


class DiskBytes:
    """A plain file that is opened once: appended to, and read at any place."""

    def __init__(self, path: Path, *, writing: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if writing else os.O_RDONLY
        descriptor = open_plainly(path, flags)
        self._descriptor = descriptor
        self._writer = open(descriptor, "ab" if writing else "rb")  # noqa: SIM115, PTH123 - a descriptor, closed by `close`
        self._at_lines = self.reader(piece=io.DEFAULT_BUFFER_SIZE)  # which reads here and there

    def reader(
        self, end: int | None = None, hashed: RunningHash | None = None, piece: int = PIECE
    ) -> BinaryIO:
        """Return an independent reader from the start to ``end``, which hashes what it reads."""
        return io.BufferedReader(_Window(self._descriptor, end, hashed), piece)  # pyright: ignore[reportReturnType]

    def end_of_lines(self) -> int:
        """Return the end of the last complete line."""
        end = os.fstat(self._descriptor).st_size
        while end:
            start = max(0, end - PIECE)
            newline = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at an offset."""
        self._at_lines.seek(offset)
        return self._at_lines.readline()

    def cut(self, size: int) -> None:
        """Cut off what is behind."""
        if os.fstat(self._descriptor).st_size > size:
            os.ftruncate(self._descriptor, size)

    def write(self, data: bytes) -> None:
        """Add bytes."""
        self._writer.write(data)

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Flush and close."""
        self._writer.close()


class MemoryBytes:
    """In-memory file with the interface of `DiskBytes`; its lines are never torn."""

    def __init__(self, file: MemoryFile) -> None:
        file.append(b"")
        self._file = file
        self.write = file.append

    def reader(self, end: int | None = None, hashed: RunningHash | None = None) -> BinaryIO:
        """Return an independent reader from the start to ``end``, which hashes what it reads."""
        data = self._file.read_bytes()[:end]
        if hashed is not None:
            hashed.update(data)
        return io.BytesIO(data)

    def end_of_lines(self) -> int:
        """Return the end of the last complete line."""
        return len(self._file.read_bytes())

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at an offset."""
        data = self._file.read_bytes()
        return data[offset : data.index(b"\n", offset) + 1]

    def cut(self, size: int) -> None:
        """Do nothing; memory holds no torn lines."""

    def flush(self) -> None:
        """Do nothing; no writes are buffered."""

    def close(self) -> None:
        """Do nothing; there is no file to close."""
