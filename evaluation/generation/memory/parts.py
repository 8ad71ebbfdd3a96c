"""What the kinds of memory share: the sizes of their parts, and how a snapshot is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")


class Part(NamedTuple):
    """One part of a memory.

    Attributes:
        name: As an agent is told.
        entries: How many texts it holds.
        characters: How long each may be.
    """

    name: str
    entries: int
    characters: int

    def refuses(self, text: object, held: int = -1) -> dict[str, Any] | None:
        """Why a text is not taken; None when it is."""
        if not isinstance(text, str):
            return problem(f"{self.name} keeps texts, not {type(text).__name__}.")
        if len(text) > self.characters:
            return problem(f"The text has {len(text)} characters; {self.name} takes {self.characters}.")
        if held >= self.entries:
            return problem(f"{self.name} is full: it holds {self.entries} entries. Remove one first.")
        return None


CORE = Part("Core memory", 7, 300)
"""At hand: an agent sees it without asking."""

ARCHIVAL = Part("Archival memory", 50, 2000)

WHOLE_TEXT = 10_000
"""Characters of a memory that is one text."""


def problem(text: str) -> dict[str, Any]:
    """The result of a call that is refused."""
    return {"error": text}


def stored(config: Mapping[str, Any], part: str, kind: type[T]) -> dict[str, T]:
    """A part of a snapshot.

    Returns:
        What is held, by key; nothing where the snapshot lacks the part.

    Raises:
        TypeError: It holds something else.
    """
    held = config.get(part, {})
    if not isinstance(held, dict) or not all(
        isinstance(value, kind) for value in cast("dict[Any, Any]", held).values()
    ):
        raise TypeError(f"{part}: expected an object of {kind.__name__} values")
    return cast("dict[str, T]", held)
