"""Reader of all CSV and TSV files."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError, readable
from .explanations import not_utf8
from .jsonl import MAX_LINE_BYTES

SUFFIXES = (".csv", ".tsv")


@contextmanager
def opened_csv(
    path: Path, separators: Sequence[str] = ("\t", ",", ";")
) -> Generator[tuple[list[str], Iterator[tuple[int, list[str]]]]]:
    """Open a file: its header, and its rows with the line on which each ends.

    The separator is the one that stands most often in the first line.
    """
    # The limit is process-wide and small by default; cells may hold passages and transcripts.
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = None
    try:
        with readable(path), path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline(MAX_LINE_BYTES)
            file.seek(0)
            reader = csv.reader(file, delimiter=max(separators, key=first.count), strict=True)
            yield next(reader, list[str]()), ((reader.line_num, cells) for cells in reader)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path, line=reader.line_num if reader else None) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def refuse_repeated_names(header: Sequence[str], path: Path, line: int | None = 1) -> None:
    """Refuse a header that names a column twice."""
    seen = set[str]()
    for name in header:
        if name in seen:
            raise InputError("the header names this column twice", path=path, line=line, field=name)
        seen.add(name)
