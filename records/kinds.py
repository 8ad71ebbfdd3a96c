"""The kinds of cases: those that come along, and those that have a checker of the user's own."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from ..plugins import CHECKERS
from .wording import nearest

Kind: TypeAlias = str
"""One of ``BUILT_IN_KINDS``, or a name that a checker of the user's own is registered under."""

BUILT_IN_KINDS: tuple[Kind, ...] = (
    "tool_call",
    "no_call",
    "any_call",
    "executable_call",
    "multi_turn",
    "memory_answer",
    "web_search_answer",
    "artifact",
    "grounded_answer",
    "open_answer",
)

OWN_REFERENCES: dict[Kind, type[msgspec.Struct]] = {}
"""What the reference of a kind of the user's own looks like, where that was said; any object elsewhere."""


def is_kind(name: str) -> bool:
    """Whether there is a kind of this name. Packages are looked through only for what does not come along."""
    return name in BUILT_IN_KINDS or name in CHECKERS


def unknown_kind(name: str) -> str:
    """What is told of a kind that is not there."""
    known = [*BUILT_IN_KINDS, *(kind for kind in CHECKERS if kind not in BUILT_IN_KINDS)]
    return (
        f"unknown kind {name!r}{nearest(name, known)}; known are {', '.join(known)}, "
        "and those that --plugin FILE brings a checker for"
    )
