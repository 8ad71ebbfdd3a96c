"""Read an output as turns of steps of call texts, and check it before it is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...errors import DecodingError
from ...records import Output
from ..execution.call_texts import ReplyReader
from ..finding import Finding, fault

TurnMode: TypeAlias = Literal["prompt", "fc", "decoded"]
"""Form of the steps: ``prompt`` for text, ``fc`` for native function calls, ``decoded`` for call texts."""

CallTurn: TypeAlias = list[list[str]]
"""Steps of a turn; a step is a list of call texts."""


def decode_turns(result: list[Any], mode: TurnMode, read: ReplyReader) -> list[CallTurn]:
    """Decode the steps of all turns; skip steps without readable calls.

    A turn that is not a list has no steps. As in BFCL, an empty step is kept if steps are ``decoded``.
    """
    keep_empty = mode == "decoded"
    return [_decode_turn(turn, read, keep_empty=keep_empty) for turn in result]


def mode_of(output: Output) -> TurnMode:
    """Return the form of an output's steps: ``fc`` if any has native calls, else ``prompt``.

    Texts between native calls are messages, not calls.
    """
    has_native_calls = output.tool_calls is not None or any(
        isinstance(step, list) for turn in output.turns or [] for step in turn
    )
    return "fc" if has_native_calls else "prompt"


def _decode_turn(turn: Any, read: ReplyReader, *, keep_empty: bool) -> CallTurn:
    steps: CallTurn = []
    for raw_step in cast("list[Any]", turn) if isinstance(turn, list) else []:
        try:
            calls = read(raw_step)
        except (DecodingError, RecursionError):
            continue
        if calls or keep_empty:
            steps.append(calls)
    return steps


MAX_STEPS = 20
"""Limit on the steps of a turn. An agent that goes on calling is stopped one step later, and the conversation ends."""


class OutputFacts(NamedTuple):
    """Facts that are known about an output before it is executed."""

    result: list[Any]
    """Turns of raw steps."""
    turns: list[CallTurn]
    """Turns of steps with readable calls."""
    expected_turns: int
    mode: TurnMode
    read: ReplyReader
    """Reads a raw step."""


OutputCheck: TypeAlias = Callable[[OutputFacts], Finding | None]
"""Looks for one kind of fault in an output, and returns it, or None."""


def require_all_turns(facts: OutputFacts) -> Finding | None:
    """Require as many turns as in the reference; a conversation with fewer was broken off."""
    got, expected = len(facts.turns), facts.expected_turns
    if got == expected:
        return None
    return fault(
        "multi_turn:force_terminated",
        f"{got} {'turn' if got == 1 else 'turns'} instead of {expected}",
        expected_turns=expected,
        turns=got,
    )


def require_finished_last_turn(facts: OutputFacts) -> Finding | None:
    """Refuse a last turn that ends at the step limit while the agent is still calling.

    An agent that finishes a turn ends it with a step without calls, which ``decoded`` steps do not include. An agent that was stopped in
    an earlier turn has too few turns, which `require_all_turns` finds.
    """
    if facts.mode == "decoded" or not facts.turns or len(facts.turns[-1]) <= MAX_STEPS:
        return None
    # The last raw step as a turn of its own, which has no steps left if it has no calls.
    turn_of_last_step = facts.result[-1][-1:]
    if decode_turns([turn_of_last_step], facts.mode, facts.read) == [[]]:
        return None
    return fault(
        "multi_turn:force_terminated",
        f"the last turn ends, still calling, after {len(facts.turns[-1])} steps; {MAX_STEPS} are allowed",
        turn_index=len(facts.turns) - 1,
        steps=len(facts.turns[-1]),
    )
