"""Columns that are likely ids, by their names and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from .column_names import HEADERS
from .grades import is_missing

_LAST_ID_WORDS = frozenset(
    {"id", "ids", "no", "nr", "num", "number", "key", "uid", "uuid", "guid", "ref", "index"}
)
"""Last words of the names of ids: ``Ticket No``."""

_NUMBER_SIGNS = frozenset("#№")
_ITEM_WORDS = frozenset({"ticket", "case", "item", "example", "sample", "record", "row", "request"})
"""Words for items that alone name a column of ids: ``ticket``."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[#№]")


@lru_cache(HEADERS * HEADERS)
def is_id_like(name: str) -> bool:
    """Return whether a column's name means an id: ``Ticket No``, ``Case #``, ``rowKey``."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    return (
        words[-1] in _LAST_ID_WORDS
        or not _NUMBER_SIGNS.isdisjoint(words)
        or (len(words) == 1 and words[0] in _ITEM_WORDS)
    )


def likely_id(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> str | None:
    """Return the column that is most likely the id, or None if no name means one.

    Its values have no spaces and differ between rows; a value may occur twice, for rows of two systems.
    """
    candidates: dict[str, int] = {}
    for name in names:
        if not is_id_like(name):
            continue
        values = [str(row[name]).strip() for row in rows if not is_missing(row.get(name))]
        distinct = len(set(values))
        if distinct and 2 * distinct >= len(values) and not any(re.search(r"\s", value) for value in values):
            candidates[name] = distinct
    return max(candidates, key=candidates.__getitem__, default=None)
