"""Source of BFCL's files: a folder, a checkout of its repository, or its wheel."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from ...errors import InputError, RecordError, readable
from ...records import MAX_LINE_BYTES, read_lines
from ..json_values import is_object
from ..zipped import DAMAGED

MAX_MEMBER_BYTES = 256 * 1024 * 1024
"""Maximum size of an unpacked file in a wheel, in bytes; BFCL's largest has 20 MB."""

_DATA_FOLDERS = ("", "bfcl_eval/data", "berkeley-function-call-leaderboard/bfcl_eval/data", "data")
"""Folders of the data files below the folder that a user names."""

_WHEEL_FOLDER = "bfcl_eval/data/"


class DataSource(Protocol):
    """Files by their path relative to BFCL's data folder."""

    def place(self, relative: str) -> str:
        """Return a file's name for error messages."""
        ...

    def has(self, relative: str) -> bool:
        """Return whether the file exists."""
        ...

    def lines(self, relative: str) -> Iterator[tuple[int, bytes]]:
        """Yield the non-blank lines of a file with their 1-based numbers."""
        ...


def open_source(path: Path) -> DataSource:
    """Find BFCL's files in a folder, a repository checkout or a ``bfcl_eval-*.whl``.

    The files are called ``BFCL_v4_*.json`` or ``BFCL_v3_*.json``. No file is unpacked to disk.

    Raises:
        InputError: There are no such files.
    """
    if path.is_dir():
        for folder in _DATA_FOLDERS:
            if any((path / folder).glob("BFCL_v[34]_*.json")):
                return FolderSource(path / folder)
        raise InputError("holds no BFCL_v4_*.json, neither directly nor in bfcl_eval/data", path=path)
    if path.is_file():
        return WheelSource(path)
    raise InputError("expected a folder with BFCL's data files, a checkout, or a bfcl_eval-*.whl", path=path)


class FolderSource:
    """Files in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, relative: str) -> str:
        """Return the file's path."""
        return str(self.root / relative)

    def has(self, relative: str) -> bool:
        """Return whether the file exists."""
        return (self.root / relative).is_file()

    def lines(self, relative: str) -> Iterator[tuple[int, bytes]]:
        """Yield the file's lines."""
        for number, _, raw in read_lines(self.root / relative):
            yield number, raw


class WheelSource:
    """Files inside a wheel, read on demand, without unpacking anything to disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _translated_errors(path), zipfile.ZipFile(path) as archive:
            self._sizes = {
                info.filename.removeprefix(_WHEEL_FOLDER): info.file_size
                for info in archive.infolist()
                if info.filename.startswith(_WHEEL_FOLDER)
            }
        if not any(name.startswith(("BFCL_v4_", "BFCL_v3_")) for name in self._sizes):
            raise InputError(f"the archive holds no {_WHEEL_FOLDER}BFCL_v4_*.json", path=path)

    def place(self, relative: str) -> str:
        """Return the wheel's path and the path inside."""
        return f"{self.path}!{_WHEEL_FOLDER}{relative}"

    def has(self, relative: str) -> bool:
        """Return whether the wheel contains the file."""
        return relative in self._sizes

    def lines(self, relative: str) -> Iterator[tuple[int, bytes]]:
        """Yield the file's lines, up to the size limit of a file."""
        place = self.place(relative)
        if relative not in self._sizes:
            raise InputError("the archive holds no such file", path=place)
        if self._sizes[relative] > MAX_MEMBER_BYTES:
            raise InputError(f"unpacks to more than {MAX_MEMBER_BYTES >> 20} MiB; refused", path=place)
        with (
            _translated_errors(place),
            zipfile.ZipFile(self.path) as archive,
            archive.open(_WHEEL_FOLDER + relative) as file,
        ):
            yield from _bounded_lines(file, place)


def _bounded_lines(file: IO[bytes], place: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    bytes_left = MAX_MEMBER_BYTES
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        bytes_left -= len(raw)
        # The size in the archive's index is only a claim, so the unpacked bytes are counted, too.
        if len(raw) > MAX_LINE_BYTES or bytes_left < 0:
            raise RecordError("the line, or the file it is in, is too long", path=place, line=number)
        if raw.strip():
            yield number, raw


@contextmanager
def _translated_errors(place: Path | str) -> Generator[None]:
    try:
        with readable(place):
            yield
    except (RuntimeError, NotImplementedError) as error:
        raise InputError(f"is packed in a way that is not supported: {error}", path=place) from error
    except DAMAGED as error:
        raise InputError(f"is not a readable wheel: {error}", path=place) from error


def read_objects(source: DataSource, relative: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a file, one per line, with 1-based line numbers."""
    for number, raw in source.lines(relative):
        yield number, parse_object(raw, place=source.place(relative), line=number)


def read_document(source: DataSource, relative: str) -> Any:
    """Read a file that is one JSON document over several lines."""
    return parse_json(b"".join(raw for _, raw in source.lines(relative)), place=source.place(relative))


def parse_object(raw: bytes, *, place: str, line: int | None = None) -> dict[str, Any]:
    """Parse JSON that must be an object; see `parse_json`."""
    value = parse_json(raw, place=place, line=line)
    if not is_object(value):
        raise RecordError(f"expected a JSON object, got {type(value).__name__}", path=place, line=line)
    return value


def parse_json(raw: bytes, *, place: str, line: int | None = None) -> Any:
    """Parse JSON as Python's json module writes it.

    NaN, Infinity and lone surrogates are accepted.

    Raises:
        RecordError: The bytes are not JSON, not UTF-8, or nested too deeply.
    """
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start}"
        raise RecordError(message, path=place, line=line) from error
    except RecursionError as error:
        raise RecordError("the JSON is nested too deeply", path=place, line=line) from error
    except ValueError as error:
        message = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise RecordError(f"not JSON: {message}", path=place, line=line) from error
