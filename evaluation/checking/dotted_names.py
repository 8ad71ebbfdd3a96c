"""Detect whether a system was offered function names with dots or with underscores.

Some providers forbid dots in names.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

from ...deterministic.options import NameStyle
from ...records import Case, Output
from ...records.output import calls_made

NamesOption: TypeAlias = Literal["dotted", "underscored", "auto"]


_CLEAR_LEAD = 50
"""Lead of one form over the other, in uses, at which a system's form is clear."""


class NamesVote:
    """Vote, for each system, for the form of names that its outputs use more often."""

    def __init__(self) -> None:
        self._votes: Counter[str] = Counter()  # uses with underscores, minus uses with dots

    def add(self, case: Case, output: Output) -> None:
        """Count the names that an output uses."""
        dotted = [name for tool in case.tools if "." in (name := tool["function"]["name"])]
        if dotted:
            self._votes[output.system] += _vote(dotted, output)

    def is_clear(self, system: str) -> bool:
        """Return whether the system's form is clear, so that no more of its outputs are needed."""
        return abs(self._votes[system]) >= _CLEAR_LEAD

    def of(self, system: str) -> NameStyle:
        """Return the form a system was offered: ``dotted`` unless its outputs suggest the other."""
        return "underscored" if self._votes[system] > 0 else "dotted"


def _vote(dotted: list[str], output: Output) -> int:
    """Count an output's names with underscores, minus those with dots."""
    if (calls := calls_made(output)) is not None:
        used = {call.name for call in calls}
        return sum((name.replace(".", "_") in used) - (name in used) for name in dotted)
    text = output.text or ""  # calls that are written in a text, which is not decoded here
    return sum((name.replace(".", "_") in text) - (name in text) for name in dotted)
