"""Tables of criteria: a row for each, with its item, its text and its points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Criterion
from ..records.case import MAX_POINTS
from .arrow_rows import read_any_rows
from .calls import messages_of
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, converted
from .json_values import is_list, is_object, number_in

NAME = "rubric"
ABOUT = "a row per criterion: `item`, `criterion`, `points`, optional `tags`, `question` (CSV, TSV, JSON Lines, Parquet)"
LOST = "other columns"

_ITEM_COLUMNS = ("item", "item_id", "id", "case", "case_id", "prompt_id")
_QUESTION_COLUMNS = ("question", "query", "prompt", "input")
_SEPARATORS = re.compile(r"[;|]")


def recognises(glimpse: Any) -> bool:
    """Return whether a row has the columns of a criterion of an item."""
    return (
        is_object(glimpse)
        and {"criterion", "points"} <= glimpse.keys()
        and any(name in glimpse for name in _ITEM_COLUMNS)
    )


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read criteria, and yield the case of each item; see `Format`."""
    items: dict[str, tuple[Example, FilePosition]] = {}
    yield from convert_rows(read_any_rows(path), lambda row: _take(row, items))
    yield from converted(items.values(), lambda item: records_of(*item, options), lambda item: item[1])


def _take(row: FileRow, items: dict[str, tuple[Example, FilePosition]]) -> list[ImportedRecord]:
    line = row.node
    name, criterion = line.need(*_ITEM_COLUMNS), _criterion(line)
    question = messages_of(line.unpacked(*_QUESTION_COLUMNS), line.path(_QUESTION_COLUMNS[0]))
    example, position = items.get(name, (Example(id=name, number=row.number), row.position))
    if question and example.messages and question != example.messages:
        raise RecordError(
            f"another question than in an earlier row of the item {name!r}", field=_QUESTION_COLUMNS[0]
        )
    example.messages = example.messages or question
    example.criteria.append(criterion)
    items[name] = example, position
    return []


def _criterion(line: FieldReader) -> Criterion:
    points_in_file = line.get("points")
    points = 1.0 if points_in_file is None else number_in(points_in_file)
    if isinstance(points, bool) or not isinstance(points, int | float):
        raise line.refuse("points", "a number")
    if not abs(points) <= MAX_POINTS:
        raise RecordError(
            f"expected points between -{MAX_POINTS:g} and {MAX_POINTS:g}, got {points:g}", field="points"
        )
    tags = line.unpacked("tags")
    names = list(map(str, tags)) if is_list(tags) else _SEPARATORS.split(str(tags)) if tags else []
    return Criterion(
        text=line.need("criterion"), points=points, tags=[name.strip() for name in names if name.strip()]
    )
