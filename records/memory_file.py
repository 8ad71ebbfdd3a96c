"""Files and folders in memory, which are read and written like those on disk."""

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
    """Named bytes, with the methods of `Path` that readers of records use.

    Args:
        name: Name in messages, in place of a path.
        data: The content, or None for a file that does not exist until it is written.
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
        """Return a reader of the content at this moment; it does not see what is appended later."""
        del mode
        return io.BytesIO(self.read_bytes())  # a BytesIO does not copy the bytes

    def write_bytes(self, data: bytes) -> None:
        """Replace the content."""
        self._pieces = [data]

    def append(self, data: bytes) -> None:
        """Append to the content."""
        if self._pieces is None:
            self._pieces = []
        self._pieces.append(data)


class MemoryRows(MemoryFile):
    """Rows of a table in memory; readers that need a file get them as JSON Lines.

    Args:
        name: Name in messages, in place of a path.
        rows: Function that returns the rows, whose values are texts, numbers, booleans and None.
    """

    def __init__(self, name: str, rows: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        super().__init__(name)
        self.rows = rows

    def exists(self) -> bool:
        """Return True: rows always exist."""
        return True

    def read_bytes(self) -> bytes:
        """Return the rows as JSON Lines."""
        if self._pieces is None:
            self._pieces = [memory_file(self.name, self.rows()).read_bytes()]
        return super().read_bytes()


class MemoryFolder:
    """In-memory folder of in-memory files.

    Args:
        name: Name in messages, in place of a path.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._files: dict[str, MemoryFile] = {}

    def __truediv__(self, name: str) -> MemoryFile:
        return self._files.setdefault(name, MemoryFile(f"{self.name}/{name}"))

    def __str__(self) -> str:
        return self.name


InputPath: TypeAlias = Path | MemoryFile
"""A file of records, on disk or in memory."""

FolderPath: TypeAlias = Path | MemoryFolder
"""A folder of a run, on disk or in memory."""


def memory_file(name: str, records: Iterable[Any]) -> MemoryFile:
    """Write records as the lines of an in-memory file.

    Args:
        name: Name in messages, in place of a path.
        records: Records, or mappings that are not validated yet; numbers of numpy and pandas are accepted.

    Returns:
        The file, in which record number n is on line n.

    Raises:
        RecordError: A record cannot be written as JSON.
    """
    buffer = io.BytesIO()
    for number, record in enumerate(records, start=1):
        if not isinstance(record, (msgspec.Struct, Mapping)):
            kind = type(record).__name__
            raise RecordError(f"expected a record or a mapping, got {kind}", path=name, line=number)
        buffer.write(_encode_line(record, name, number))
    return MemoryFile(name, buffer.getvalue())


def _encode_line(record: Any, name: str, number: int) -> bytes:
    try:
        return _ENCODER.encode(record) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which a model can produce
        return encode_record(msgspec.to_builtins(record, enc_hook=_as_python_value))
    except (TypeError, msgspec.MsgspecError, RecursionError) as error:
        raise RecordError(f"cannot be written as JSON: {error}", path=name, line=number) from error


def _as_python_value(value: Any) -> Any:
    """Convert numpy's numbers and arrays to Python's, and mappings to dicts."""
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return to_list()
    raise TypeError(f"values of type {type(value).__name__} have no form in JSON")


_ENCODER = msgspec.json.Encoder(enc_hook=_as_python_value)
