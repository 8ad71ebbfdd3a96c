"""Errors about columns: mapped ones that are missing, and rows without question or answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..records import nearest
from .amount_columns import is_never_grades
from .column_guesses import guessed
from .column_names import (
    FIELDS,
    HEADERS,
    TABLE_FIELDS,
    column_named,
    is_label_like,
    is_score_like,
    known_fields,
    map_options,
    normal,
    shown_columns,
)
from .grades import WORDS, as_number, is_missing, plain_word
from .id_columns import is_id_like

_AUTHORS = {normal(name) for field in ("judge", "system", "repeat") for name in TABLE_FIELDS[field]}
"""Columns of verdict tables that are never a question or an answer."""

NO_GUESSES: Mapping[str, str] = {}

_FIELD_NAMES = {name for names in FIELDS.values() for name in names} | {*FIELDS}


def missing_columns(columns: Iterable[str], mapping: Mapping[str, str]) -> str | None:
    """Return the error for a mapped column or field that does not exist, or None if all do."""
    present = sorted(columns)
    listed = shown_columns(present)
    for left, right in mapping.items():
        if not right:
            continue
        absent = [name for name in (left, right) if column_named(present, name) is None]
        if len(absent) == len((left, right)):
            return f"{left}={right}: there is no such column; there are {listed}"
        for name in absent:
            if name in _FIELD_NAMES:
                continue
            if near := nearest(name, FIELDS):
                return f"{left}={right}: {name!r} is not a field{near}; fields are {', '.join(FIELDS)}"
            if {left, right} & _FIELD_NAMES:
                return (
                    f"{left}={right}: there is no column {name!r}{nearest(name, present)}; there are {listed}"
                )
    return None


def unknown_columns(row: Mapping[str, Any], guesses: Mapping[str, str] = NO_GUESSES) -> str:
    """Return the error for a row without question or answer, naming columns that may hold them.

    Guesses of the whole table take precedence over those of the row.
    """
    if all(is_missing(value) for value in row.values()):
        return "the row is empty"
    columns = shown_columns(row)
    row = {name: value for name, value in row.items() if normal(name) not in _AUTHORS}
    texts = text_columns(row)
    free = texts or _without_field(tuple(row))
    if not texts and any(map(_is_grade, row)):
        hint = "scores without texts need no import: `fiducial calibrate` reads them"
    elif free:
        hint = f"name them, for example {map_options(_likely_columns(row, free, guesses))}"
    else:
        return f"the row has no question, answer or reference; its columns are {columns}"
    return f"no column is known to hold a question or an answer; the columns are {columns}; {hint}"


def _likely_columns(
    row: Mapping[str, Any], free: list[str], table_guesses: Mapping[str, str]
) -> Mapping[str, str]:
    """Guess columns by the table, else by name, else as the first and the last."""
    guesses: Mapping[str, str] = guessed([row], row, ()) if text_columns(row) else {}
    guesses = table_guesses or guesses
    if len(row) == 1:
        return guesses or {"query": free[0]}
    taken = {*guesses, *guesses.values()}
    left = [name for name in free if name not in taken] or free
    left = [name for name in left if not _is_no_text(name, row[name])] or left
    likely = {"query": left[0], "response": left[-1], **guesses}
    if likely["query"] == likely["response"]:
        taken = {likely["response"], *taken}
        others = [name for name in row if name not in taken and not _is_no_text(name, row[name])]
        if not others:
            return {field: name for field, name in likely.items() if field != "query"}
        likely["query"] = others[0]
    return likely


@lru_cache(HEADERS)
def _without_field(header: tuple[str, ...]) -> list[str]:
    """Return the columns that are not known as a field."""
    fields = known_fields(header, ())
    return [name for name in header if name not in fields.values()]


def _is_no_text(name: str, value: Any) -> bool:
    is_grade = as_number(value) is not None or plain_word(str(value)) in WORDS
    return is_grade or is_id_like(name) or is_never_grades(name)


def _is_grade(name: str) -> bool:
    usual = {*TABLE_FIELDS["score"], *TABLE_FIELDS["label"]} - {*FIELDS["accepted_answers"]}
    return normal(name) in usual or is_score_like(name) or is_label_like(name)


def nothing_asked(
    row: Mapping[str, Any], fields: Mapping[str, Any], table_guesses: Mapping[str, str] = NO_GUESSES
) -> str:
    """Return the error for a row without question and answer, whose known columns are empty."""
    if all(is_missing(value) for value in row.values()) or not {"query", "response"} & fields.keys():
        return unknown_columns(row, table_guesses)
    if "query" in fields:
        return "the row has no question, answer or reference"
    guesses = guessed([row], row, ("accepted_answers", "id", "label", "response", "system"))
    if "query" in table_guesses:
        guesses = {"query": table_guesses["query"]}
    name = map_options(guesses or {"query": "COLUMN"})
    return f"the answer is empty, and no column is known to hold the question; name it: {name}"


def text_columns(row: Mapping[str, Any]) -> list[str]:
    """Return the columns that hold more than a word."""
    return [name for name, value in row.items() if isinstance(value, str) and " " in value.strip()]
