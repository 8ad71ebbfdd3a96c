"""Files that are opened once, to append and to read anywhere, and seals over their prefixes.

A `Seal`, which `RunningHash` computes, tells edits by hand from kills. `DiskBytes` and `MemoryBytes` are files with one interface.
"""

from __future__ import annotations

import hashlib
import io
import os
from copy import copy
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ...records import MemoryFile, open_regular_file

_FIRST_MARK_DISTANCE = 256
"""Initial distance between marks, in bytes."""

_MAX_MARKS = 64
"""Number of marks at which every other one is dropped and the distance doubles, so that a seal stays small."""


class Seal(msgspec.Struct, frozen=True):
    """State of a journal when the manifest was written.

    A kill may leave lines after the sealed bytes, which are kept. A power cut may lose lines at the end, whose work is repeated. Any
    other difference is an edit by hand.

    Attributes:
        bytes: Length of the journal.
        sha256: Hash of all its bytes.
        marks: Lengths and hashes of prefixes, at even distances, which tell a truncated journal from an edited one.
    """

    bytes: int
    sha256: str
    marks: list[tuple[int, str]] = []

    def __post_init__(self) -> None:
        """Refuse marks that do not ascend or lie outside the journal, since readers would never end."""
        previous = 0
        for mark, _ in self.marks:
            if not previous < mark <= self.bytes:
                raise ValueError(f"expected ascending marks from 1 to {self.bytes:,}, got {mark:,}")
            previous = mark
        if self.bytes < 0:
            raise ValueError(f"expected a number of bytes, got {self.bytes:,}")


def seal_of(content: bytes) -> Seal:
    """Return the seal of a file that is written whole, so that prefixes are not hashed."""
    return Seal(len(content), hashlib.sha256(content).hexdigest())


class RunningHash:
    """Growing SHA-256 with marks of its prefixes.

    Attributes:
        differs: True if a prefix does not match the expected seal.
        changed: Begin and end of the bytes among which the first change lies: the last prefix that matches, and the first that does not.
    """

    def __init__(self, seal: Seal | None) -> None:
        self._hash = hashlib.sha256()
        self._expected = {} if seal is None else {seal.bytes: seal.sha256, **dict(seal.marks)}
        self._expected_sizes = sorted(self._expected, reverse=True)  # the next one is last, to be popped
        self._mark_distance = _FIRST_MARK_DISTANCE
        self.size = 0
        self._marks: list[tuple[int, str]] = []
        self.differs = False
        self.changed = (0, 0)
        self._matched_size = 0

    def copy(self) -> RunningHash:
        """Return an independent copy."""
        other = copy(self)
        vars(other).update(
            _hash=self._hash.copy(), _expected_sizes=[*self._expected_sizes], _marks=[*self._marks]
        )
        return other

    def update(self, data: bytes) -> None:
        """Hash the next bytes."""
        remaining = memoryview(data)
        while remaining:
            # The next multiple of the distance between marks.
            stop = self.size - self.size % self._mark_distance + self._mark_distance
            if self._expected_sizes:
                stop = min(stop, self._expected_sizes[-1])
            piece, remaining = remaining[: stop - self.size], remaining[stop - self.size :]
            self._hash.update(piece)
            self.size += len(piece)
            if self.size == stop:
                self._compare_and_mark()

    def _compare_and_mark(self) -> None:
        """Compare the prefix with the expected seal, and mark it, where either is due."""
        digest = self._hash.hexdigest()
        if self._expected_sizes and self._expected_sizes[-1] == self.size:
            if self._expected[self._expected_sizes.pop()] == digest:
                self._matched_size = self.size
            elif not self.differs:
                self.differs, self.changed = True, (self._matched_size, self.size)
        if self.size % self._mark_distance == 0:
            self._marks.append((self.size, digest))
            if len(self._marks) == _MAX_MARKS:
                self._marks = self._marks[1::2]  # those at multiples of the doubled distance
                self._mark_distance *= 2

    @property
    def seal(self) -> Seal:
        """Seal of everything so far."""
        return Seal(self.size, self._hash.hexdigest(), list(self._marks))


PIECE = 256 * 1024
"""Number of bytes to read at a time."""


class _Window(io.RawIOBase):
    """Reader of an open file, with its own position, up to ``end``."""

    def __init__(self, descriptor: int, end: int | None, hashed: RunningHash | None) -> None:
        self._descriptor = descriptor
        self._end = end
        self._hashed = hashed
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        origins = {
            os.SEEK_SET: 0,
            os.SEEK_CUR: self._position,
            os.SEEK_END: os.fstat(self._descriptor).st_size,
        }
        self._position = origins[whence] + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        size = len(view) if self._end is None else min(len(view), self._end - self._position)
        # `pread` leaves the descriptor's own position to the writer.
        data = os.pread(self._descriptor, size, self._position)
        view[: len(data)] = data
        self._position += len(data)
        if self._hashed is not None:
            self._hashed.update(data)
        return len(data)


class DiskBytes:
    """Regular file that is opened once, to append and to read anywhere."""

    def __init__(self, path: Path, *, writing: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if writing else os.O_RDONLY
        descriptor = open_regular_file(path, flags)
        self._descriptor = descriptor
        self._writer = open(descriptor, "ab" if writing else "rb")  # noqa: SIM115, PTH123 - a descriptor, closed by `close`
        self._line_reader = self.reader(piece=io.DEFAULT_BUFFER_SIZE)  # small pieces for random access

    def reader(
        self, end: int | None = None, hashed: RunningHash | None = None, piece: int = PIECE
    ) -> BinaryIO:
        """Return an independent reader from the start to ``end``, which hashes what it reads."""
        return io.BufferedReader(_Window(self._descriptor, end, hashed), piece)  # pyright: ignore[reportReturnType]

    def end_of_lines(self) -> int:
        """Return the end of the last complete line, found from the end of the file backwards."""
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
        self._line_reader.seek(offset)
        return self._line_reader.readline()

    def cut(self, size: int) -> None:
        """Truncate the file to a size."""
        if os.fstat(self._descriptor).st_size > size:
            os.ftruncate(self._descriptor, size)

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._writer.write(data)

    def flush(self) -> None:
        """Write buffered bytes to the file."""
        self._writer.flush()

    def close(self) -> None:
        """Flush and close."""
        self._writer.close()


class MemoryBytes:
    """In-memory file with the interface of `DiskBytes`; all its lines are complete."""

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
        """Do nothing; all lines are complete."""

    def flush(self) -> None:
        """Do nothing; no writes are buffered."""

    def close(self) -> None:
        """Do nothing; there is no file to close."""
