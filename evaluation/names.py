"""How each system wrote documented function names with dots: some providers forbid them and offer underscores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeAlias

from ..deterministic.checkers import Names
from ..records import Case, Output

NamesOption: TypeAlias = Literal["dotted", "underscored", "auto"]


def names_by_system(pairs: Iterable[tuple[Case, Output]]) -> dict[str, Names]:
    """Decide per system, from its own outputs, which form of the names it was given.

    Args:
        pairs: Outputs with their cases.

    Returns:
        ``underscored`` for every system that uses that form more often than the dotted one; others are left out.
    """
    votes: Counter[str] = Counter()
    for case, output in pairs:
        dotted = [name for name in (tool["function"]["name"] for tool in case.tools) if "." in name]
        if dotted:
            votes[output.system] += _vote(dotted, output)
    return {system: "underscored" for system, vote in votes.items() if vote > 0}


def _vote(dotted: list[str], output: Output) -> int:
    """Positive when the output writes documented names with underscores."""
    if output.tool_calls is not None:
        used = {call.name for call in output.tool_calls}
        return sum((name.replace(".", "_") in used) - (name in used) for name in dotted)
    text = output.text or ""
    return sum((name.replace(".", "_") in text) - (name in text) for name in dotted)
