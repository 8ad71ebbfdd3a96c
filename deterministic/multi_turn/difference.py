"""Where two values first differ, for a person who asks why a state is not the expected one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias, cast

from ..evidence import shorten

Equality: TypeAlias = Callable[[Any, Any], bool]


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()
"""Stands for what is there on one side only."""


class Difference(NamedTuple):
    """The first place where two values differ."""

    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path} should be {shorten(self.expected)}, is {shorten(self.got)}"


def equal(expected: Any, got: Any) -> bool:
    """Equality as Python has it: ``1 == 1.0 == True``, the order of dicts does not matter; values too deep to be compared are not equal."""
    try:
        return bool(expected == got)
    except RecursionError:
        return False


def equal_in_kind(expected: Any, got: Any) -> bool:
    """Equality that also tells truth values from numbers, at any depth."""
    return equal(expected, got) and _same_kind(expected, got)


def first_difference(expected: Any, got: Any, path: str, same: Equality) -> Difference:
    """Follow two unequal values, called ``path``, down to where they first differ, in the reference's order."""
    while True:
        step = _first_child_difference(expected, got, same)
        if step is None:
            return Difference(path, expected, got)
        key, expected, got = step
        path += f"[{key!r}]"
        if expected is ABSENT or got is ABSENT:
            return Difference(path, expected, got)


def _first_child_difference(expected: Any, got: Any, same: Equality) -> tuple[Any, Any, Any] | None:
    left, right = _children(expected), _children(got)
    if left is None or right is None or type(expected) is not type(got):
        return None
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key, ABSENT), right.get(key, ABSENT)
        if one is ABSENT or other is ABSENT or not same(one, other):
            return key, one, other
    return None


def _children(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, dict):
        return cast("dict[Any, Any]", value)
    if isinstance(value, list | tuple):
        return dict(enumerate(cast("list[Any]", value)))
    return None


def _same_kind(expected: Any, got: Any) -> bool:
    """For values that are equal already, so that their keys and lengths are the same."""
    left, right = _children(expected), _children(got)
    if left is not None and right is not None:
        return all(_same_kind(value, right[key]) for key, value in left.items())
    return isinstance(expected, bool) == isinstance(got, bool)
