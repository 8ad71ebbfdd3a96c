"""Tables: CSV and TSV, JSON arrays and lines, Parquet, Hugging Face folders, rows of data frames; columns are told by `known_columns`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from .arrow_rows import read_any_rows, read_arrow_rows
from .csv_rows import read_csv_rows
from .example import records_of
from .found import Found, Options, Skipped
from .json_values import is_list, is_object
from .known_columns import missing_columns, row_example
from .rows import Row, each, files_of, read_rows

_NOTHING = "nothing: columns that are no field are tags, what is no single value as JSON"
_DATA = (".arrow", ".parquet", ".jsonl", ".csv", ".tsv")
_MARKS = ("dataset_info.json", "state.json", "dataset_dict.json")


def read_table(rows: Iterable[Row | Skipped], path: Path, options: Options) -> Iterator[Found]:
    """Read rows by their columns, which the options may name; the path is for errors.

    Raises:
        InputError: No row has a column that was named.
    """
    seen: set[str] = set()

    def watched() -> Iterator[Row | Skipped]:
        for row in rows:
            if isinstance(row, Row) and is_object(row.value):
                seen.update(map(str, row.value))
            yield row

    yield from each(watched(), lambda row: _records(row, options))
    problem = missing_columns(seen, options.columns) if seen else None
    if problem is not None:
        raise InputError(problem, path=path)


def _records(row: Row, options: Options) -> Iterator[Found]:
    example, skipped = row_example(row, options)
    yield from skipped
    yield from records_of(example, row.place, options)


class _Table(ABC):
    """A `Format` whose files are tables."""

    NAME: str
    ABOUT: str
    LOST: str

    def recognises(self, glimpse: Any) -> bool:
        """Nothing: a table is what is left."""
        del glimpse
        return False

    def read(self, path: Path, options: Options) -> Iterator[Found]:
        """Read rows; see `Format`."""
        return read_table(self.rows(path), path, options)

    @abstractmethod
    def rows(self, path: Path) -> Iterator[Row | Skipped]:
        """The rows of a file, or of a folder's."""


class _Csv(_Table):
    """CSV and TSV, columns by name."""

    NAME = "csv"
    ABOUT = "CSV and TSV with a header; columns by their usual names or `--map`"
    LOST = _NOTHING

    def rows(self, path: Path) -> Iterator[Row | Skipped]:
        return read_csv_rows(path)


class _Json(_Table):
    """Rows of JSON, an object each, columns by name."""

    NAME = "json"
    ABOUT = "objects in an array or one a line; keys by their usual names or `--map`"
    LOST = _NOTHING

    def rows(self, path: Path) -> Iterator[Row | Skipped]:
        return read_rows(path, lambda node: node.items("data") if is_list(node.get("data")) else None)


class _Parquet(_Table):
    """Parquet, columns by name."""

    NAME = "parquet"
    ABOUT = "Parquet; columns by their usual names or `--map`"
    LOST = "the difference between a key of a struct that is null and one that is not there; bytes"

    def rows(self, path: Path) -> Iterator[Row | Skipped]:
        return (row for file in files_of(path, (".parquet",)) for row in read_arrow_rows(file))


class _HuggingFace(_Table):
    """Folders of Hugging Face ``datasets``: what ``save_to_disk`` wrote, or files of data as a repository has them."""

    NAME = "hf"
    ABOUT = "folders that `datasets` saved, and repositories with Parquet, JSON Lines or CSV, read without that library"
    LOST = "splits are read one after another; the difference between a key of a struct that is null and one that is not there; bytes"

    def rows(self, path: Path) -> Iterator[Row | Skipped]:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        data = [file for file in files if file.suffix.lower() in _DATA and not file.name.startswith("cache-")]
        if not data:
            raise InputError(f"holds no file of data ({', '.join(_DATA)})", path=path)
        return (row for file in data for row in read_any_rows(file))


TABLES: dict[str, _Table] = {each.NAME: each for each in (_Csv(), _Parquet(), _Json(), _HuggingFace())}
"""The formats whose files are tables, by name."""


def is_folder_of_datasets(path: Path) -> bool:
    """Whether a folder was saved by ``datasets``, or has a card beside files of data."""
    if any((path / mark).exists() for mark in _MARKS):
        return True
    return (path / "README.md").exists() and any(file.suffix == ".parquet" for file in path.rglob("*"))
