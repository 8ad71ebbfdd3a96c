"""Shared parts of all kinds of memory: size limits, dispatch of calls, and snapshot parsing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


class MemoryPart(NamedTuple):
    """Part of a memory: its name for the agent, and its limits in texts and characters per text."""

    name: str
    entries: int
    characters: int

    def refusal_of(self, text: object, count: int = -1) -> dict[str, Any] | None:
        """Return the error for a text that is refused, or None for one that is accepted.

        ``count`` is the number of texts before an addition. A text that replaces another needs none, since it adds none.
        """
        if not isinstance(text, str):
            return problem(f"{self.name} keeps texts, not {type(text).__name__}.")
        if len(text) > self.characters:
            return problem(f"The text has {len(text)} characters; {self.name} takes {self.characters}.")
        if count >= self.entries:
            return problem(f"{self.name} is full: it holds {self.entries} entries. Remove one first.")
        return None


CORE = MemoryPart("Core memory", entries=7, characters=300)
"""Part that an agent sees without a call; its limits, as those below, are BFCL's."""

ARCHIVAL = MemoryPart("Archival memory", entries=50, characters=2000)


class PartCall(Generic[P, T]):
    """Method of a memory that calls a method of one of its parts.

    The part's method gets the name of the memory's method, which Python names in errors about arguments.

    Args:
        part: Name of the memory's attribute with the part.
        method: The part's method.
    """

    def __init__(self, part: str, method: Callable[Concatenate[Any, P], T]) -> None:
        self._part = part
        self._method = cast("FunctionType", method)

    def __set_name__(self, memory_type: type, name: str) -> None:
        method = self._method
        # A copy of the function, which several methods of memories share.
        self._method = FunctionType(method.__code__, method.__globals__, name, method.__defaults__)
        self._method.__qualname__ = f"{memory_type.__qualname__}.{name}"

    def __get__(self, memory: object | None, _memory_type: type) -> Callable[P, T]:
        method = self._method if memory is None else MethodType(self._method, vars(memory)[self._part])
        return cast("Callable[P, T]", method)


def problem(text: str) -> dict[str, Any]:
    """Return the result of a refused call."""
    return {"error": text}


def stored(config: Mapping[str, Any], part: str, kind: type[T]) -> dict[str, T]:
    """Return a part of a snapshot.

    Returns:
        The entries by key; empty if the snapshot lacks the part.

    Raises:
        TypeError: It contains values of another type.
    """
    texts = config.get(part, {})
    if not isinstance(texts, dict) or not all(
        isinstance(value, kind) for value in cast("dict[Any, Any]", texts).values()
    ):
        raise TypeError(f"{part}: expected an object of {kind.__name__} values")
    return cast("dict[str, T]", texts)
