"""Errors about columns: mapped ones that are missing, and rows without question or answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..records import nearest
from ..spelling import spelled_pairs
from .amount_columns import is_never_grades
from .column_guesses import guessed
from .column_names import FIELDS, HEADERS, TABLE_FIELDS, is_label_like, is_score_like, normal
from .grades import WORDS, as_number, is_missing, plain_word
from .id_columns import is_id_like
from .named_columns import column_named, known_fields, map_options, shown_columns

_AUTHOR_COLUMNS = {normal(name) for field in ("judge", "system", "repeat") for name in TABLE_FIELDS[field]}
"""Columns of verdict tables that are never a question or an answer."""

NO_GUESSES: Mapping[str, str] = {}

_FIELD_NAMES = {name for names in FIELDS.values() for name in names} | {*FIELDS}


def missing_columns(columns: Iterable[str], mapping: Mapping[str, str]) -> str | None:
    """Return the error for a mapped column or field that does not exist, or None if all do."""
    present = sorted(columns)
    column_list = shown_columns(present)
    for left, right in mapping.items():
        if not right:
            continue
        absent = [name for name in (left, right) if column_named(present, name) is None]
        if absent == [left, right]:
            return f"{left}={right}: there is no such column; there are {column_list}"
        for name in absent:
            if name in _FIELD_NAMES:
                continue
            if near := nearest(name, FIELDS):
                return f"{left}={right}: {name!r} is not a field{near}; fields are {', '.join(FIELDS)}"
            if {left, right} & _FIELD_NAMES:
                return f"{left}={right}: there is no column {name!r}{nearest(name, present)}; there are {column_list}"
    return None


def unknown_columns(row: Mapping[str, Any], guesses: Mapping[str, str] = NO_GUESSES) -> str:
    """Return the error for a row without question and answer, with columns that may have them.

    Args:
        row: The row.
        guesses: Columns guessed by the whole table, which take precedence over guesses by the row.
    """
    if all(is_missing(value) for value in row.values()):
        return "the row is empty"
    columns = shown_columns(row)
    row = {name: value for name, value in row.items() if normal(name) not in _AUTHOR_COLUMNS}
    texts = text_columns(row)
    free = texts or _without_field(tuple(row))
    if has_only_grades(row):
        hint = "scores without texts need no import: `fiducial calibrate` reads them"
    elif free:
        hint = f"name them, for example {map_options(_likely_columns(row, free, guesses))}"
    else:
        return f"the row has no question, answer or reference; its columns are {columns}"
    return f"no column is known to hold a question or an answer; the columns are {columns}; {hint}"


def _likely_columns(
    row: Mapping[str, Any], free: list[str], table_guesses: Mapping[str, str]
) -> Mapping[str, str]:
    """Guess question and answer by the table, by name, or as the first and last column."""
    guesses: Mapping[str, str] = guessed([row], row, ()) if text_columns(row) else {}
    guesses = table_guesses or guesses
    if len(row) == 1:
        return guesses or {"query": free[0]}
    taken = {*guesses, *guesses.values()}
    candidates = [name for name in free if name not in taken] or free
    candidates = [name for name in candidates if not _is_no_text(name, row[name])] or candidates
    likely = {"query": candidates[0], "response": candidates[-1], **guesses}
    if likely["query"] == likely["response"]:
        taken = {likely["response"], *taken}
        others = [name for name in row if name not in taken and not _is_no_text(name, row[name])]
        if not others:
            return {field: name for field, name in likely.items() if field != "query"}
        likely["query"] = others[0]
    return likely


@lru_cache(HEADERS)
def _without_field(header: tuple[str, ...]) -> list[str]:
    fields = known_fields(header, ())
    return [name for name in header if name not in fields.values()]


def _is_no_text(name: str, value: Any) -> bool:
    is_grade = as_number(value) is not None or plain_word(str(value)) in WORDS
    return is_grade or is_id_like(name) or is_never_grades(name)


def has_only_grades(row: Mapping[str, Any]) -> bool:
    """Return whether a row has a grade and no text, as those of a table of scores."""
    return not text_columns(row) and any(map(_is_grade, row))


def _is_grade(name: str) -> bool:
    usual_names = {*TABLE_FIELDS["score"], *TABLE_FIELDS["label"]} - {*FIELDS["accepted_answers"]}
    return normal(name) in usual_names or is_score_like(name) or is_label_like(name)


def nothing_asked(
    row: Mapping[str, Any], fields: Mapping[str, Any], table_guesses: Mapping[str, str] = NO_GUESSES
) -> str:
    """Return the error for a row whose columns of question and answer are empty."""
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
    """Return the columns whose cell is a text of several words."""
    return [name for name, value in row.items() if isinstance(value, str) and " " in value.strip()]


def duplicate_remedy(column: str, *, has_trial: bool) -> str:
    """Return what to do about two rows of one identity, which this column may tell apart."""
    if normal(column) in FIELDS["system"]:
        return f"; if {column!r} names who answered, {spelled_pairs('map', {'system': column})}; otherwise delete one"
    in_order = spelled_pairs("map", {"repeat": "#"})
    of_trials = (
        "" if has_trial else f", if outputs of several trials, {spelled_pairs('map', {'trial': column})}"
    )
    return (
        f"; if these are repeats, name the column that numbers them: {spelled_pairs('map', {'repeat': column})} ({in_order} numbers "
        f"them in order){of_trials}; otherwise delete one"
    )
