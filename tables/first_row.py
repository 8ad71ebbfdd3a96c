"""Signs that the first row of a table is data: its cells are like those below them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .column_names import (
    FIELDS,
    LABEL_FIELDS,
    TABLE_FIELDS,
    is_label_like,
    is_metric,
    is_named_like_grades,
    is_number_field,
    is_person,
    is_score_like,
    is_session,
    normal,
)
from .grades import WORDS, as_number, plain_word
from .id_columns import is_id_like

_KNOWN_NAMES = frozenset(
    normal(name)
    for fields in (FIELDS, TABLE_FIELDS, LABEL_FIELDS)
    for names in ((field, *names) for field, names in fields.items())
    for name in names
)

_VERDICT_FAMILIES = tuple(
    map(
        frozenset,
        (
            ("pass", "passed", "fail", "failed"),
            ("yes", "no"),
            ("y", "n"),
            ("true", "false"),
            ("t", "f"),
            ("correct", "incorrect", "wrong", "right", "not correct"),
            ("good", "bad", "not good"),
            ("accept", "accepted", "reject", "rejected"),
            ("acceptable", "unacceptable"),
            ("valid", "invalid"),
            ("relevant", "irrelevant", "not relevant"),
            ("grounded", "ungrounded", "not grounded"),
            ("supported", "unsupported", "not supported"),
            ("faithful", "unfaithful", "not faithful"),
            ("up", "down", "thumbs up", "thumbs down"),
        ),
    )
)
"""Words for verdicts, grouped as they occur in one column."""

_MAX_NAME_WORDS = 4
"""A cell with more words is no column's name."""
_MIN_SENTENCE_WORDS = 5
"""A cell with at least this many words is a sentence."""
_MIN_ALIKE_SHARE = 0.8
"""Minimum share of the cells below that are like the first."""

_MAX_SHOWN_CHARS = 40
_DIGIT = re.compile(r"\d")


def has_known_name(cells: Sequence[str]) -> bool:
    """Return whether a row has one of the usual names of a field."""
    return any(normal(cell) in _KNOWN_NAMES for cell in cells)


def is_like_data(cells: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """Return the sign that a first row is data, or "" without one or if any cell is a name."""
    rows = [row for row in below if len(row) == len(cells) and row != cells]
    if not rows or _are_column_numbers(cells):
        return ""
    first_sign = ""
    for column, cell in enumerate(cells):
        values = [row[column].strip() for row in rows if row[column].strip()]
        sign = _sign_of_data(cell.strip(), values)
        if not sign and (_is_name(cell) or _is_of_another_kind(cell.strip(), values)):
            return ""
        first_sign = first_sign or sign
    return first_sign


def _are_column_numbers(cells: Sequence[str]) -> bool:
    """Return whether cells number the columns from 0 or 1, as data frames without names do."""
    numbers = [cell for cell in cells if cell.strip()]
    return bool(numbers) and numbers in [
        [str(start + column) for column in range(len(numbers))] for start in (0, 1)
    ]


def _is_name(cell: str) -> bool:
    """Return whether a cell names a known column: ``item_id``, ``human_verdict``, ``Ticket No``."""
    if normal(cell) in _KNOWN_NAMES or cell.startswith("Unnamed: "):
        return True
    word = plain_word(cell)
    if word in WORDS or not word or len(word.split()) > _MAX_NAME_WORDS or as_number(cell) is not None:
        return False
    means_field = (
        is_session,
        is_person,
        is_label_like,
        is_score_like,
        is_metric,
        is_named_like_grades,
        is_number_field,
        is_id_like,
    )
    return any(is_meant(cell) for is_meant in means_field)


def _sign_of_data(cell: str, below: Sequence[str]) -> str:
    """Return the sign that a cell is like those below it, or "" if there is none."""
    if not cell or not below:
        return ""
    shown = repr(cell if len(cell) <= _MAX_SHOWN_CHARS else f"{cell[: _MAX_SHOWN_CHARS - 3]}...")
    word = plain_word(cell)
    if word in WORDS:
        family = next((verdict for verdict in _VERDICT_FAMILIES if word in verdict), frozenset({word}))
        return f"{shown} is a verdict" if any(plain_word(value) in family for value in below) else ""
    if normal(cell) in _KNOWN_NAMES:
        return ""
    if cell in below:
        return f"{shown} is in a row below it, too"
    if as_number(cell) is not None:
        are_numbers = _share(below, lambda value: as_number(value) is not None) >= _MIN_ALIKE_SHARE
        return f"{shown} is a number" if are_numbers else ""
    is_sentence = len(cell.split()) >= _MIN_SENTENCE_WORDS
    are_sentences = (
        is_sentence
        and _share(below, lambda value: len(value.split()) >= _MIN_SENTENCE_WORDS) >= _MIN_ALIKE_SHARE
    )
    return f"{shown} is a text like those below it" if are_sentences else ""


def _is_of_another_kind(cell: str, below: Sequence[str]) -> bool:
    """Return whether a cell is a word above numbers or dates, or a sentence above words."""
    if not cell or not below:
        return False
    if len(cell.split()) >= _MIN_SENTENCE_WORDS:
        return all(len(value.split()) < _MIN_SENTENCE_WORDS for value in below)
    return _DIGIT.search(cell) is None and all(value[0].isdigit() for value in below)


def _share(values: Sequence[str], is_like: Callable[[str], bool]) -> float:
    return sum(map(is_like, values)) / len(values)
