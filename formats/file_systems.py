"""Systems of several tables that name none: a file each, if their answers differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..tables.csv_file import SUFFIXES
from ..tables.grades import is_missing
from ..tables.layout import names_apart
from ..tables.named_columns import known_fields
from ..tables.table_rows import read_table_rows
from .arrow_rows import read_any_rows
from .file_rows import JSON_SUFFIXES, FileRow, files_in, imported_rows
from .import_options import Options
from .imported_records import LOGGED, Skipped
from .json_values import is_object
from .recognized_grades import LOOKED_AT

_READ = {"csv": SUFFIXES, "json": JSON_SUFFIXES, "parquet": (".parquet",)}
"""Suffixes of the files of tables that may each hold a system."""

_NAMED = ("system", "trial")
"""Fields that tell the outputs of one case apart."""


def systems_by_file(name: str, paths: Iterable[Path], options: Options) -> dict[Path, str]:
    """Return the system of each file of a table format; empty unless each file holds one.

    The files name no system and no trial, nor did the user, and two of them answer the same cases otherwise.
    """
    if name not in _READ or options.joined is not None or options.system != LOGGED:
        return {}
    files = [file for path in paths for file in (files_in(path, _READ[name]) if path.is_dir() else [path])]
    if len(files) < 2:  # noqa: PLR2004 - one system
        return {}
    first = [_first_rows(file, options) for file in files]
    header = tuple(dict.fromkeys(key for rows in first for row in rows for key in row))
    fields = known_fields(header, tuple(options.columns.items()))
    if "response" not in fields or not fields.keys().isdisjoint(_NAMED):
        return {}
    answers = [_answers(rows, fields) for rows in first]
    if not all(answers) or not _differ(answers):
        return {}
    names = names_apart(files)
    return {file: names[id(file)] for file in files}


def _first_rows(file: Path, options: Options) -> list[Mapping[str, Any]]:
    """Return the first rows of a file; a file that cannot be read is refused where it is read."""
    rows = _rows(file, options)
    return [row.value for row in islice(rows, LOOKED_AT) if isinstance(row, FileRow) and is_object(row.value)]


def _rows(file: Path, options: Options) -> Iterator[FileRow | Skipped]:
    if file.name.lower().endswith((*JSON_SUFFIXES, *(f"{suffix}.gz" for suffix in JSON_SUFFIXES))):
        return imported_rows(read_table_rows(file, options.columns), file)
    return read_any_rows(file, options.header)


def _answers(rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str]) -> dict[str, str]:
    """Return the answers by what identifies their cases; empty if that repeats or is missing."""
    key = fields.get("id") or fields.get("query")
    if key is None:
        return {}
    found = {
        _text(row.get(key)): _text(row.get(fields["response"]))
        for row in rows
        if not is_missing(row.get(key))
    }
    return found if len(found) == len(rows) else {}


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value)


def _differ(answers: Sequence[Mapping[str, str]]) -> bool:
    """Return whether files answer cases of the first file otherwise."""
    first, *others = answers
    shared = [(first[key], other[key]) for other in others for key in first.keys() & other.keys()]
    return any(one != another for one, another in shared)
