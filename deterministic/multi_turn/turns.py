"""System output as turns of steps of call texts, and the checks before execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...errors import DecodingError
from ...records import Output
from ..execution.call_texts import ReplyReader
from ..finding import Finding, fault

TurnMode: TypeAlias = Literal["prompt", "fc", "decoded"]
"""How steps are given: as text, as native calls, or as call texts already."""

CallTurn: TypeAlias = list[list[str]]
"""Steps of call texts."""


def decode_turns(result: list[Any], mode: TurnMode, read: ReplyReader) -> list[CallTurn]:
    """Decode every raw step of every turn, without those that hold no readable calls.

    A turn that is not a list has no steps. A step that was decoded already is kept although it is empty, as BFCL keeps it.
    """
    keep_empty = mode == "decoded"
    return [_decode_turn(turn, read, keep_empty=keep_empty) for turn in result]


def mode_of(output: Output) -> TurnMode:
    """Return the form of an output's steps: native as soon as one of them is.

    Texts among native steps are what the agent said, not calls.
    """
    native = output.tool_calls is not None or any(
        isinstance(step, list) for turn in output.turns or [] for step in turn
    )
    return "fc" if native else "prompt"


def _decode_turn(turn: Any, read: ReplyReader, *, keep_empty: bool) -> CallTurn:
    steps: CallTurn = []
    for raw in cast("list[Any]", turn) if isinstance(turn, list) else []:
        try:
            calls = read(raw)
        except (DecodingError, RecursionError):
            continue
        if calls or keep_empty:
            steps.append(calls)
    return steps


MAX_STEPS = 20
"""An agent that is still calling after this many steps of a turn is stopped, one step later, and the conversation with it."""


class OutputFacts(NamedTuple):
    """Facts known about an output before it is executed."""

    result: list[Any]
    """Turns of raw steps."""
    turns: list[CallTurn]
    """Turns of steps of call texts."""
    expected_turns: int
    mode: TurnMode
    read: ReplyReader
    """Reads a raw step."""


OutputCheck: TypeAlias = Callable[[OutputFacts], Finding | None]
"""Looks for one kind of fault in an output."""


def turn_counts_match(facts: OutputFacts) -> Finding | None:
    """Require a turn for every turn of the reference.

    A conversation with fewer was broken off.
    """
    got, expected = len(facts.turns), facts.expected_turns
    if got == expected:
        return None
    return fault(
        "multi_turn:force_terminated",
        f"{got} {'turn' if got == 1 else 'turns'} instead of {expected}",
        expected_turns=expected,
        turns=got,
    )


def last_turn_was_finished(facts: OutputFacts) -> Finding | None:
    """Refuse a last turn that ends, still calling, at the step limit of agents.

    For earlier turns the number of turns tells.

    An agent that finished says so in a last step without calls. Steps that were decoded already have lost that one.
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
