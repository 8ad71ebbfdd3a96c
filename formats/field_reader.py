"""JSON object of another tool's file, read field by field with type checks."""

from __future__ import annotations

import math
from typing import Any

from ..errors import RecordError
from ..records.json_text import type_name
from .json_values import is_object, parsed

MAX_WHOLE = 1 << 53
"""Largest number of a trial, turn or repetition."""


_NUMBERS = (int, float)


class FieldReader:
    """An object of a file.

    Args:
        value: The object.
        at: Its path, such as ``results[3].response``; empty for a whole line.

    Raises:
        RecordError: It is not an object.
    """

    __slots__ = ("at", "value")

    def __init__(self, value: Any, at: str = "") -> None:
        if not is_object(value):
            raise RecordError(f"expected an object, got {type_name(value)}", field=at or None)
        self.value = value
        self.at = at

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def path(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.at}.{name}" if self.at else name

    def refuse(self, name: str, expected: str) -> RecordError:
        """Return an error for an invalid field."""
        if self.value.get(name) is None:
            return RecordError(f"missing; expected {expected}", field=self.path(name))
        return RecordError(f"expected {expected}, got {type_name(self.value[name])}", field=self.path(name))

    def first(self, *names: str) -> str | None:
        """Return the first of these names that has a value."""
        for name in names:  # reading spends most of its time here
            if self.value.get(name) is not None:
                return name
        return None

    def get(self, *names: str) -> Any:
        """Return the value of the first of these names that has one, or None if none has."""
        for name in names:
            value = self.value.get(name)
            if value is not None:
                return value
        return None

    def _typed(self, names: tuple[str, ...], types: type | tuple[type, ...], expected: str) -> Any:
        """Return the value of the first of these names that has one, checked by type.

        True and false are not numbers.
        """
        name = self.first(*names)
        if name is None:
            return None
        value = self.value[name]
        if not isinstance(value, types) or isinstance(value, bool):
            raise self.refuse(name, expected)
        return value

    def text(self, *names: str) -> str | None:
        """Return a text."""
        return self._typed(names, str, "a text")

    def name(self, *names: str) -> str | None:
        """Return an id or a name: a text unchanged, or a whole number, even if written as 7.0."""
        value = self._typed(names, (str, *_NUMBERS), "a text or a whole number")
        if isinstance(value, float):
            value = self._integer(value, names, "a text or a whole number")
        return None if value is None else str(value)

    def need(self, *names: str) -> str:
        """Return a required id or name."""
        found = self.name(*names)
        if found is None:
            raise self.refuse(names[0], "a text")
        return found

    def number(self, *names: str) -> float | None:
        """Return a number, or None if missing or NaN."""
        value = self._typed(names, _NUMBERS, "a number")
        return None if value is None or math.isnan(value) else value

    def whole(self, *names: str) -> int | None:
        """Return a whole number, even if written as 7.0."""
        value: float | None = self._typed(names, _NUMBERS, "a whole number")
        if value is None:
            return None
        number = self._integer(value, names, "a whole number")
        if abs(number) > MAX_WHOLE:
            raise RecordError("is too large for a count", field=self.path(self.first(*names) or names[0]))
        return number

    def _integer(self, value: float, names: tuple[str, ...], expected: str) -> int:
        """Return a number as an integer; data frames write 7 as 7.0 beside empty cells."""
        if isinstance(value, float) and not value.is_integer():
            name = self.path(self.first(*names) or names[0])
            raise RecordError(f"expected {expected}, got {value:g}", field=name)
        return int(value)

    def node(self, *names: str) -> FieldReader:
        """Return an object; empty if missing."""
        name = self.first(*names)
        return FieldReader({} if name is None else self.value[name], self.path(name or names[0]))

    def items(self, *names: str) -> list[tuple[str, Any]]:
        """Return the items of a list with their paths; empty if missing."""
        name = self.first(*names)
        found: list[Any] = self._typed(names, list, "a list") or []
        return [(f"{self.path(name or '')}[{number}]", item) for number, item in enumerate(found)]

    def nodes(self, *names: str) -> list[FieldReader]:
        """Return the objects of a list; empty if missing."""
        return [FieldReader(item, at) for at, item in self.items(*names)]

    def unpacked(self, *names: str) -> Any:
        """Return a value, decoded if it is JSON text."""
        for name in names:
            value = self.value.get(name)
            if value is not None:
                return parsed(value) if isinstance(value, str) else value
        return None

    def object_in(self, *names: str) -> dict[str, Any]:
        """Return the object in a field, or in JSON text there; empty if missing."""
        value = self.unpacked(*names)
        return value if is_object(value) else {}
