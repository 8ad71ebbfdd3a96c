"""Kinds of problems among skipped records, each with a count and an example."""

from __future__ import annotations

import re

import msgspec

from ..spelling import names_a_setting
from .imported_records import Skipped

_MAX_KINDS = 100
"""Maximum number of kinds of problems that are counted apart."""

_MAX_REASON_LENGTH = 1000
"""Number of characters of a reason that decide its kind."""

_QUOTED = re.compile(r"(?<!\w)(?:'[^']*+'|\"[^\"]*+\")")
_VALUE = re.compile(rf"{_QUOTED.pattern}|\d[\d.,]*+")
_DETAIL = re.compile(rf"((?:{_QUOTED.pattern}|(?!: |; | \().)*+).*", re.DOTALL)
_NUMBER = re.compile(r"\[\d+\]")


class SkippedPart(msgspec.Struct, kw_only=True):
    """Skipped records with one kind of problem: how many, and the first."""

    count: int
    first: Skipped

    @property
    def problem(self) -> str:
        """The problem of the first, without details, unless these name an option to type."""
        reason = self.first.reason
        return reason if names_a_setting(reason) else problem_of(reason)


def problem_of(reason: str) -> str:
    """Return a reason without its details: ``not JSON`` of ``not JSON: it ends at column 7``."""
    return _DETAIL.sub(r"\1", reason[:_MAX_REASON_LENGTH]) or reason


class SkippedKinds:
    """Counter of skipped records by field and kind of problem, whatever the values and the file."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str], SkippedPart] = {}

    def add(self, skipped: Skipped) -> None:
        """Count a skipped record, unless its kind is new and beyond the maximum."""
        field, problem = skipped.field or "", problem_of(skipped.reason)
        # A problem that names its field is the same in all fields.
        if field and field in problem:
            field, problem = "", problem.replace(field, "?")
        kind = _NUMBER.sub("[]", field), _VALUE.sub("?", problem)
        if kind in self._parts:
            self._parts[kind].count += 1
        elif len(self._parts) < _MAX_KINDS:
            self._parts[kind] = SkippedPart(count=1, first=skipped)

    @property
    def parts(self) -> list[SkippedPart]:
        """The kinds, the most frequent first."""
        return sorted(self._parts.values(), key=lambda part: -part.count)
