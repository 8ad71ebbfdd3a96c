"""Objects of a JSON document in which a key stands twice: the rows that hold one are skipped, the rest is read."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from ..errors import RecordError
from ..records.json_text import DuplicateKeys, read_object, stands_twice


class RepeatedKeys(dict[str, Any]):
    """An object in which a key stands twice, with what is to be said of that.

    Attributes:
        seen: Whether any document had one: else rows need not be looked through.
    """

    seen: ClassVar[bool] = False

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.problem = stands_twice(pairs)
        RepeatedKeys.seen = True


def refuse_in_text(raw: bytes, value: Any) -> None:
    """Refuse JSON, of which the value was decoded, where a key stands twice in any object.

    Raises:
        RecordError: One does.
    """
    if DuplicateKeys().may_be_in([raw], [value]):
        try:
            json.loads(raw.decode("utf-8-sig"), object_pairs_hook=read_object)
        except ValueError as error:
            raise RecordError(str(error)) from error


def marked(raw: bytes, value: Any) -> Any:
    """Return a document, decoded anew where an object has a key twice: such an object is marked."""
    if not DuplicateKeys().may_be_in([raw], [value]):
        return value
    return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object_or_mark)


def refuse_marked(value: Any, at: str) -> None:
    """Refuse a row of a document, at a place in it, that holds a marked object.

    Raises:
        RecordError: It does.
    """
    left = [value] if RepeatedKeys.seen else []
    while left:
        here = left.pop()
        if isinstance(here, RepeatedKeys):
            raise RecordError(here.problem, field=at or None)
        if isinstance(here, dict):
            left += here.values()
        elif isinstance(here, list):
            left += here


def _object_or_mark(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKeys(pairs)
