"""Object of another tool's file, read field by field with type checks.

Most methods take several names of a field, since tools and versions differ, and use the first that has a value.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import RecordError
from ..records.json_text import type_name
from ..records.scale import is_finite
from .json_values import is_object, parsed

MAX_WHOLE = 1 << 53
"""Largest number of a trial, turn or repetition: larger ones are not exact as floats."""

_NUMBER_TYPES = (int, float)


class FieldReader:
    """An object of a file.

    Args:
        value: The object.
        at: Its path, such as ``results[3].response``, or "" for a whole line.

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
        """Return the error for a field that is missing or of another type."""
        if self.value.get(name) is None:
            return RecordError(f"missing; expected {expected}", field=self.path(name))
        return RecordError(f"expected {expected}, got {type_name(self.value[name])}", field=self.path(name))

    def first(self, *names: str) -> str | None:
        """Return the first of these names that is present with a value, or None."""
        for name in names:  # reading spends most of its time here
            if self.value.get(name) is not None:
                return name
        return None

    def get(self, *names: str) -> Any:
        """Return the first value present under these names, else None."""
        for name in names:
            value = self.value.get(name)
            if value is not None:
                return value
        return None

    def _typed(self, names: tuple[str, ...], types: type | tuple[type, ...], expected: str) -> Any:
        """Return the first value present under these names, else None, checked by type.

        True and false are no numbers.
        """
        name = self.first(*names)
        if name is None:
            return None
        value = self.value[name]
        if not isinstance(value, types) or isinstance(value, bool):
            raise self.refuse(name, expected)
        return value

    def text(self, *names: str) -> str | None:
        """Return a text, or None if missing."""
        return self._typed(names, str, "a text")

    def name(self, *names: str) -> str | None:
        """Return an id or a name: a text, or a whole number (also written as 7.0) as text."""
        value = self._typed(names, (str, *_NUMBER_TYPES), "a text or a whole number")
        if isinstance(value, float):
            value = self._integer(value, names, "a text or a whole number")
        return None if value is None else str(value)

    def need(self, *names: str) -> str:
        """Return a required id or name."""
        name = self.name(*names)
        if name is None:
            raise self.refuse(names[0], "a text")
        return name

    def number(self, *names: str) -> float | None:
        """Return a number, or None if missing or NaN."""
        value = self._typed(names, _NUMBER_TYPES, "a number")
        if isinstance(value, int) and not is_finite(value):
            raise RecordError("is too large for a number", field=self.path(self.first(*names) or names[0]))
        return None if value is None or math.isnan(value) else value

    def whole(self, *names: str) -> int | None:
        """Return a whole number (also written as 7.0), or None if missing."""
        value: float | None = self._typed(names, _NUMBER_TYPES, "a whole number")
        if value is None:
            return None
        number = self._integer(value, names, "a whole number")
        if abs(number) > MAX_WHOLE:
            raise RecordError("is too large for a count", field=self.path(self.first(*names) or names[0]))
        return number

    def _integer(self, value: float, names: tuple[str, ...], expected: str) -> int:
        """Return a number as an int: a data frame with empty cells turns 7 into 7.0."""
        if isinstance(value, float) and not value.is_integer():
            name = self.path(self.first(*names) or names[0])
            raise RecordError(f"expected {expected}, got {value:g}", field=name)
        return int(value)

    def node(self, *names: str) -> FieldReader:
        """Return the object in a field, empty if missing."""
        name = self.first(*names)
        return FieldReader({} if name is None else self.value[name], self.path(name or names[0]))

    def items(self, *names: str) -> list[tuple[str, Any]]:
        """Return the items of a list with their paths, or an empty list if missing."""
        name = self.first(*names)
        items: list[Any] = self._typed(names, list, "a list") or []
        return [(f"{self.path(name or '')}[{number}]", item) for number, item in enumerate(items)]

    def nodes(self, *names: str) -> list[FieldReader]:
        """Return the objects in a list, or an empty list if missing."""
        return [FieldReader(item, at) for at, item in self.items(*names)]

    def unpacked(self, *names: str) -> Any:
        """Return the first value present under these names, else None, decoded if it is JSON text."""
        for name in names:
            value = self.value.get(name)
            if value is not None:
                return parsed(value) if isinstance(value, str) else value
        return None

    def object_in(self, *names: str) -> dict[str, Any]:
        """Return the object in a field, perhaps as JSON text, or an empty object."""
        value = self.unpacked(*names)
        return value if is_object(value) else {}
