"""HealthBench's examples (``simple-evals``): conversations, rubrics of points, and tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..records import Criterion, TagValue
from .arrow_rows import read_any_rows
from .calls import messages_of
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .import_options import Options
from .imported_records import ImportedRecord
from .json_values import is_list, is_object

NAME = "healthbench"
ABOUT = "examples with rubrics (JSON Lines) of `simple-evals` or Hugging Face"
LOST = "ideal completions after the first, the canary"

_UNGROUPED_TAG = "example_tag"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is an example with a rubric."""
    if not is_object(glimpse) or not is_list(rubrics := glimpse.get("rubrics")):
        return False
    return bool(rubrics) and all(
        is_object(rubric) and {"criterion", "points"} <= rubric.keys() for rubric in rubrics
    )


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read examples; see `Format`."""
    yield from convert_rows(read_any_rows(path), lambda row: _records(row, options))


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    line = row.node
    ideal = line.object_in("ideal_completions_data").get("ideal_completion")
    example = Example(
        id=line.name("prompt_id", "id") or "",
        number=row.number,
        messages=messages_of(line.unpacked("prompt"), line.path("prompt")),
        criteria=[_criterion(rubric) for rubric in line.nodes("rubrics")],
        accepted=[ideal] if isinstance(ideal, str) and ideal else [],
        tags=_tags(map(str, line.unpacked("example_tags") or ())),
    )
    yield from records_of(example, row.position, options)


def _tags(names: Iterable[str]) -> dict[str, TagValue]:
    """Return tags by group, several joined by commas: ``theme:hedging`` is in group ``theme``."""
    tags: dict[str, list[str]] = {}
    for number, name in enumerate(names, start=1):
        group, colon, value = name.partition(":")
        tags.setdefault(group if colon else f"{_UNGROUPED_TAG}_{number}", []).append(value or name)
    return {group: ", ".join(values) for group, values in tags.items()}


def _criterion(rubric: FieldReader) -> Criterion:
    points = rubric.number("points")
    if points is None:
        raise rubric.refuse("points", "a number")
    tags = [str(tag) for tag in rubric.unpacked("tags") or ()]
    return Criterion(text=rubric.need("criterion"), points=points, tags=tags)
