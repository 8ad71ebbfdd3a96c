"""What is checked of an output as a whole, before any call of it is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ..execution.replies import ReplyReader
from ..finding import Finding, fault
from .steps import Mode, Turn, decode_turns

MAX_STEPS = 20
"""An agent that is still calling after this many steps of a turn is stopped, one step later, and the conversation with it."""


class OutputFacts(NamedTuple):
    """What is known of an output before it is executed."""

    result: list[Any]
    """Turns of raw steps."""
    turns: list[Turn]
    """Turns of steps of call texts."""
    expected_turns: int
    mode: Mode
    read: ReplyReader
    """Reads a raw step."""


OutputCheck: TypeAlias = Callable[[OutputFacts], Finding | None]
"""Looks for one kind of fault in an output."""


def turn_counts_match(facts: OutputFacts) -> Finding | None:
    """There is a turn for every turn of the reference: a conversation with fewer was broken off.

    Args:
        facts: The output.

    Returns:
        A fault, or None.
    """
    got, expected = len(facts.turns), facts.expected_turns
    if got == expected:
        return None
    return fault(
        "multi_turn:force_terminated",
        f"{got} turns instead of {expected}",
        expected_turns=expected,
        turns=got,
    )


def last_turn_was_finished(facts: OutputFacts) -> Finding | None:
    """The last turn does not end where an agent that keeps calling is stopped; of earlier turns their number tells.

    An agent that finished says so in a last step without calls. Steps that were decoded already have lost that one.

    Args:
        facts: The output.

    Returns:
        A fault, or None.
    """
    if facts.mode == "decoded" or not facts.turns or len(facts.turns[-1]) <= MAX_STEPS:
        return None
    last_step = facts.result[-1][-1:]
    if decode_turns([last_step], facts.mode, facts.read) == [[]]:
        return None
    return fault(
        "multi_turn:force_terminated",
        f"the last turn ends, still calling, after {len(facts.turns[-1])} steps; {MAX_STEPS} are allowed",
        turn_index=len(facts.turns) - 1,
        steps=len(facts.turns[-1]),
    )
