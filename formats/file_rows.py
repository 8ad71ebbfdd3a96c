"""Values of other tools' JSON files, unchanged; rows that repeat a key are skipped.

`files_in` finds the files of a folder, `read_rows` yields their values, `convert_rows` turns each into records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from ..errors import InputError
from ..tables.json_rows import RepeatedKeys, TableRow, UnreadRow, json_values, require_no_markers
from .field_reader import FieldReader
from .imported_records import UNREADABLE, FilePosition, ImportedRecord, Skipped, converted
from .json_values import is_object
from .native_files import is_own_folder

JSON_SUFFIXES = (".jsonl", ".json", ".ndjson")


class FileRow(msgspec.Struct, frozen=True):
    """One value of a file, and its position."""

    value: Any
    position: FilePosition
    at: str = ""
    number: int = 1
    """Number in its file from 1: its line, if it has one."""

    @property
    def node(self) -> FieldReader:
        """The value as an object."""
        return FieldReader(self.value, self.at)


def files_of(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return a path that is a file, or a folder's files with these suffixes, sorted by name.

    Raises:
        InputError: A folder has no such file.
    """
    if not path.is_dir():
        return [path]
    files = files_in(path, suffixes)
    if not files:
        raise InputError(f"holds no file that ends with {' or '.join(suffixes)}", path=path)
    return files


_HIDDEN_RESULT_FILES = frozenset({".latest_test_run.json"})
"""Hidden files of results: DeepEval's latest run, in its folder ``.deepeval``."""


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files in a folder with these suffixes, sorted by name.

    Hidden files are left out, except results, as are subfolders that fiducial made.
    """
    own = set[Path]()
    return sorted(
        file
        for file in _walk(folder, own)
        if file.name.lower().endswith(suffixes)
        and (file.name in _HIDDEN_RESULT_FILES or not file.name.startswith("."))
        and file.is_file()
    )


def own_folders(folder: Path) -> set[Path]:
    """Return the subfolders that fiducial made, which are not read."""
    own = set[Path]()
    for _ in _walk(folder, own):
        pass
    return own


def _walk(folder: Path, own: set[Path]) -> Iterator[Path]:
    """Yield the files in a folder, and add the subfolders that fiducial made to ``own``."""
    for place, folders, files in os.walk(folder):
        own_names = {name for name in folders if is_own_folder(Path(place, name))}
        own.update(Path(place, name) for name in own_names)
        folders[:] = [name for name in folders if name not in own_names]  # in place: `walk` skips the others
        yield from (Path(place, name) for name in files)


Within: TypeAlias = Callable[[FieldReader], list[tuple[str, Any]] | None]
"""Function that returns the rows within an object with their paths, or None if the object is a row itself."""


def read_rows(
    path: Path, within: Within | None = None, *, is_row: Callable[[Any], bool] | None = None
) -> Iterator[FileRow | Skipped]:
    """Yield the JSON values of a file, or of every such file in a folder.

    A file has one value per line, a list of values, or a single one. A line of invalid JSON is skipped.

    Args:
        path: JSON Lines or JSON.
        within: Function that finds the rows in an object, such as a page of an API.
        is_row: Function that returns whether a list is a single row, rather than a list of rows.
    """
    for file in files_of(path, JSON_SUFFIXES):
        rows = imported_rows(json_values(file, is_row=is_row), file)
        yield from rows if within is None else _unwrapped(rows, within)


def imported_rows(rows: Iterable[TableRow | UnreadRow], path: Path) -> Iterator[FileRow | Skipped]:
    """Yield rows of a file with their positions in it."""
    position_of_file = FilePosition(path)
    for row in rows:
        position = position_of_file if row.line is None else FilePosition(path, row.line)
        if isinstance(row, UnreadRow):
            yield Skipped(file=str(path), line=row.line, field=row.at or None, reason=row.reason)
        else:
            yield FileRow(row.value, position, row.at, row.number)


def _unwrapped(rows: Iterable[FileRow | Skipped], within: Within) -> Iterator[FileRow | Skipped]:
    for row in rows:
        if isinstance(row, Skipped) or not is_object(row.value):
            yield row
            continue
        try:
            if isinstance(row.value, RepeatedKeys):
                require_no_markers(row.value, row.at)
            items = within(row.node)
        except UNREADABLE as error:
            yield row.position.skipped(error)
            continue
        if items is None:
            yield row
        else:
            yield from (
                FileRow(item, row.position, at, number) for number, (at, item) in enumerate(items, start=1)
            )


def convert_rows(
    rows: Iterable[FileRow | Skipped], convert: Callable[[FileRow], Iterable[ImportedRecord]]
) -> Iterator[ImportedRecord]:
    """Convert rows one by one, with a skipped entry for each that cannot be read."""

    def checked(row: FileRow) -> Iterable[ImportedRecord]:
        require_no_markers(row.value, row.at)
        return convert(row)

    return converted(rows, checked, lambda row: row.position)
