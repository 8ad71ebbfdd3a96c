"""Layouts of known projects that cannot be read as they are, each with what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..tables.column_names import FIELDS, TABLE_FIELDS
from ..tables.named_columns import columns_by_field
from .json_values import is_object
from .native_files import NativeFileError


def _is_grades_by_person(value: Any) -> bool:
    """Return whether an object has grades by person and then by item, as AltTest's annotations."""
    if not is_object(value) or len(value) < 2:  # noqa: PLR2004 - one object may be a wrapper
        return False
    people = list(value.values())
    if not all(is_object(person) and person for person in people):
        return False
    items = [set(person) for person in people]
    if any(map(_names_fields, people)):
        return False  # rows by their ids
    shares = any(one & other for one in items for other in items if one is not other)
    return shares and all(
        isinstance(grade, str | int | float) for person in people for grade in person.values()
    )


def _names_fields(row: Mapping[str, Any]) -> bool:
    return any(columns_by_field(row, {}, fields) for fields in (FIELDS, TABLE_FIELDS))


def _is_grades_by_item(value: Any) -> bool:
    """Return whether an object is nothing but grades by item, as AltTest's of a model."""
    if not is_object(value) or len(value) < 2:  # noqa: PLR2004 - a row may have one field
        return False
    stems = {name.rstrip("0123456789") for name in value}
    numbered = all(name[-1:].isdecimal() for name in value)
    return (
        len(stems) == 1 and numbered and all(isinstance(grade, str | int | float) for grade in value.values())
    )


_LAYOUTS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (
        _is_grades_by_person,
        "grades by person and item (as AltTest's human_annotations.json); write a row per item with a column per person, id,annotator_1,...",
    ),
    (
        _is_grades_by_item,
        "grades by item alone (as AltTest's llm_annotations.json); write rows with the columns id and score",
    ),
)


def require_unknown_layout(glimpses: Sequence[Any], path: Path) -> None:
    """Refuse a file of a known project in a layout that holds no rows.

    Raises:
        NativeFileError: It is one.
    """
    for glimpse in glimpses[:1]:
        for is_layout, remedy in _LAYOUTS:
            if is_layout(glimpse):
                error = NativeFileError(f"holds {remedy}", path=path)
                error.use = remedy
                raise error
