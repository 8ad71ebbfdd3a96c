"""In-memory files and folders, read and written like those on disk.

Both use the same functions and give the same messages.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from ..errors import RecordError
from .json_text import encode_record


class MemoryFile:
    """Bytes under a name, with the methods of `Path` that records need.

    Args:
        name: Stands in messages where a file's path would.
        data: What is in it; None for a file that is not there until it is written.
    """

    def __init__(self, name: str, data: bytes | None = None) -> None:
        self.name = name
        self._pieces: list[bytes] | None = None if data is None else [data]

    def __str__(self) -> str:
        return self.name

    def exists(self) -> bool:
        """Return whether the file was written."""
        return self._pieces is not None

    def read_bytes(self) -> bytes:
        """Return the file's content.

        Raises:
            FileNotFoundError: It was not written.
        """
        if self._pieces is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.name)
        if len(self._pieces) != 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    def open(self, mode: Literal["rb"] = "rb") -> io.BytesIO:
        """Return an independent reader from the start; it does not see what is appended later."""
        del mode
        return io.BytesIO(self.read_bytes())  # which shares the bytes

    def write_bytes(self, data: bytes) -> None:
        """Put something in the place of all that is in it."""
        self._pieces = [data]

    def append(self, data: bytes) -> None:
        """Add to what is in it."""
        if self._pieces is None:
            self._pieces = []
        self._pieces.append(data)


class MemoryRows(MemoryFile):
    """Rows under a name, read as they are where a table is read, and else as lines.

    Args:
        name: Stands in messages where a file's path would.
        rows: Makes the rows; each holds texts, numbers, truth values and None alone.
    """

    def __init__(self, name: str, rows: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        super().__init__(name)
        self.rows = rows

    def exists(self) -> bool:
        """Return True: rows are always there."""
        return True

    def read_bytes(self) -> bytes:
        """Return the rows as lines."""
        if self._pieces is None:
            self._pieces = [memory_file(self.name, self.rows()).read_bytes()]
        return super().read_bytes()


class MemoryFolder:
    """A folder of such files.

    Args:
        name: Stands in messages where a folder's path would.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._files: dict[str, MemoryFile] = {}

    def __truediv__(self, name: str) -> MemoryFile:
        return self._files.setdefault(name, MemoryFile(f"{self.name}/{name}"))

    def __str__(self) -> str:
        return self.name


InputPath: TypeAlias = Path | MemoryFile
"""Where records are read from."""

FolderPath: TypeAlias = Path | MemoryFolder
"""Where a run is kept."""


def memory_file(name: str, records: Iterable[Any]) -> MemoryFile:
    """Lay records out as the lines of a file that is not on a disk.

    Args:
        name: Stands in messages where a file's path would.
        records: Records, or mappings that are still to be validated; what numpy and pandas make of numbers is understood.

    Returns:
        The file; record number n is on line n.

    Raises:
        RecordError: A record cannot be written as JSON.
    """
    buffer = io.BytesIO()
    for number, record in enumerate(records, start=1):
        if not isinstance(record, (msgspec.Struct, Mapping)):
            kind = type(record).__name__
            raise RecordError(f"expected a record or a mapping, got {kind}", path=name, line=number)
        buffer.write(_line(record, name, number))
    return MemoryFile(name, buffer.getvalue())


def _line(record: Any, name: str, number: int) -> bytes:
    try:
        return _ENCODER.encode(record) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which a model can produce
        return encode_record(msgspec.to_builtins(record, enc_hook=_plain))
    except (TypeError, msgspec.MsgspecError, RecursionError) as error:
        raise RecordError(f"cannot be written as JSON: {error}", path=name, line=number) from error


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as Python's own; any mapping as a dict."""
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return to_list()
    raise TypeError(f"values of type {type(value).__name__} have no form in JSON")


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)
