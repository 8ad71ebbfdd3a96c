"""Finding of a checker, before it is tied to a case; values quoted in it."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

from ..records import Outcome

_TEXT = 120
_ITEMS = 100
_DEPTH = 6
_LONGEST_TEXT = 2_000
_LARGEST_INTEGER = 2**63


class _Shortener(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = _TEXT
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = 8

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to print integers of more than 4,300 digits.
        return (
            super().repr_int(x, level)
            if x.bit_length() < 4 * _TEXT
            else f"an integer of {x.bit_length()} bits"
        )


_shortener = _Shortener()


def shorten(value: Any) -> str:
    """Return the ``repr`` of a value for use in a sentence, cut if long."""
    kind: type = type(cast("object", value))
    if kind is float or kind is bool or (kind is str and len(value) < _TEXT):
        return repr(value)
    return _shortener.repr(value)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value in the form that a verdict's evidence may hold.

    Itself where JSON has it and it is small; else what comes near: a list for a tuple or set, text for NaN, bytes and complex
    numbers, a cut text for a long one.
    """
    make_plain = _PLAIN.get(type(cast("object", value)))
    if make_plain is not None:
        return make_plain(value)
    if depth == _DEPTH:
        return shorten(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = list(cast("Iterable[Any]", value))[:_ITEMS]
        return [plain(item, depth + 1) for item in items]
    if isinstance(value, dict):
        pairs = list(cast("dict[Any, Any]", value).items())[:_ITEMS]
        return {key if type(key) is str else shorten(key): plain(item, depth + 1) for key, item in pairs}
    return shorten(value)


_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: lambda value: value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "...",
    int: lambda value: value if -_LARGEST_INTEGER <= value < _LARGEST_INTEGER else shorten(value),
    float: lambda value: value if math.isfinite(value) else repr(value),
    bool: lambda value: value,
    type(None): lambda value: value,
}


class Finding(msgspec.Struct, frozen=True):
    """Finding of a checker.

    Attributes:
        outcome: ``graded``, or why a checker cannot grade this.
        score: In [0, 1] when graded.
        error_type: The kind of fault, in the original's words where there is an original.
        reason: One sentence: which argument, what was expected, what came.
        evidence: Details a machine may read.
    """

    outcome: Outcome
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: dict[str, Any] = {}

    @property
    def valid(self) -> bool:
        """True if everything was right."""
        return self.score == 1.0


PASSED = Finding("graded", 1.0)
"""Nothing was wrong."""


def fault(error_type: str, reason: str, **evidence: Any) -> Finding:
    """Return a finding that something was wrong and the system is to blame: graded 0."""
    return Finding("graded", 0.0, error_type, reason, evidence)


def undecided(reason: str, **evidence: Any) -> Finding:
    """Return a finding that the checker cannot decide; a judge has to."""
    return Finding("undecided", None, None, reason, evidence)
