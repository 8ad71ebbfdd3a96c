"""Signs that the first row of a table is data: its cells beside those below them."""

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

_NAMES = frozenset(
    normal(name)
    for fields in (FIELDS, TABLE_FIELDS, LABEL_FIELDS)
    for names in ((field, *names) for field, names in fields.items())
    for name in names
)

_VERDICTS = tuple(
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
"""Words that stand in one column."""

_MAX_WORDS_OF_A_NAME = 4
_MIN_WORDS = 5
"""Words of a sentence."""
_SHARE = 0.8
"""Share of the cells below that must be like the first."""
_SHOWN = 40
_DIGIT = re.compile(r"\d")


def has_known_name(cells: Sequence[str]) -> bool:
    """Return whether a row has one of the usual names of a field."""
    return any(normal(cell) in _NAMES for cell in cells)


def is_like_data(cells: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """Return the sign that a header is data; empty without one, or if another cell is a name."""
    rows = [row for row in below if len(row) == len(cells) and row != cells]
    if not rows or _are_places(cells):
        return ""
    found = ""
    for place, cell in enumerate(cells):
        values = [row[place].strip() for row in rows if row[place].strip()]
        sign = _sign(cell.strip(), values)
        if not sign and (_is_known(cell) or _is_of_another_kind(cell.strip(), values)):
            return ""
        found = found or sign
    return found


def _are_places(cells: Sequence[str]) -> bool:
    """Return whether columns are numbered, as data frames number them, perhaps beside an index."""
    numbers = [cell for cell in cells if cell.strip()]
    return bool(numbers) and numbers in [
        [str(start + place) for place in range(len(numbers))] for start in (0, 1)
    ]


def _is_known(cell: str) -> bool:
    """Return whether a cell names a known column: ``item_id``, ``human_verdict``, ``Ticket No``."""
    if normal(cell) in _NAMES or cell.startswith("Unnamed: "):
        return True
    word = plain_word(cell)
    if word in WORDS or not word or len(word.split()) > _MAX_WORDS_OF_A_NAME or as_number(cell) is not None:
        return False
    signs = (
        is_session,
        is_person,
        is_label_like,
        is_score_like,
        is_metric,
        is_named_like_grades,
        is_number_field,
        is_id_like,
    )
    return any(sign(cell) for sign in signs)


def _sign(cell: str, below: Sequence[str]) -> str:
    """Return the sign that a cell is like those below it; empty if there is none."""
    if not cell or not below:
        return ""
    shown = repr(cell if len(cell) <= _SHOWN else f"{cell[: _SHOWN - 3]}...")
    word = plain_word(cell)
    if word in WORDS:
        family = next((verdict for verdict in _VERDICTS if word in verdict), frozenset({word}))
        return f"{shown} is a verdict" if any(plain_word(each) in family for each in below) else ""
    if normal(cell) in _NAMES:
        return ""
    if cell in below:
        return f"{shown} is in a row below it, too"
    if as_number(cell) is not None:
        return (
            f"{shown} is a number"
            if _share(below, lambda each: as_number(each) is not None) >= _SHARE
            else ""
        )
    is_sentence = len(cell.split()) >= _MIN_WORDS
    alike = is_sentence and _share(below, lambda each: len(each.split()) >= _MIN_WORDS) >= _SHARE
    return f"{shown} is a text like those below it" if alike else ""


def _is_of_another_kind(cell: str, below: Sequence[str]) -> bool:
    """Return whether a cell is a word above numbers or dates, or a sentence above words."""
    if not cell or not below:
        return False
    if len(cell.split()) >= _MIN_WORDS:
        return all(len(each.split()) < _MIN_WORDS for each in below)
    return _DIGIT.search(cell) is None and all(each[0].isdigit() for each in below)


def _share(values: Sequence[str], is_like: Callable[[str], bool]) -> float:
    return sum(map(is_like, values)) / len(values)
