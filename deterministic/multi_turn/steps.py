"""From what a system produced to turns of steps of call texts; steps that hold no calls are left out."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

from ...errors import DecodingError
from ...records import Output
from ..execution.replies import ReplyReader

Mode: TypeAlias = Literal["prompt", "fc", "decoded"]
"""How steps are given: as text, as native calls, or as call texts already."""

Turn: TypeAlias = list[list[str]]
"""Steps of call texts."""


def decode_turns(result: list[Any], mode: Mode, read: ReplyReader) -> list[Turn]:
    """Decode every step of every turn.

    Args:
        result: Turns of raw steps; a turn that is no list has no steps.
        mode: How steps are given; one that was decoded already is kept although it is empty, as the original keeps it.
        read: Reads one step.

    Returns:
        Turns of steps of call texts, without the steps that cannot be read or hold no calls.
    """
    keep_empty = mode == "decoded"
    return [_decode_turn(turn, read, keep_empty=keep_empty) for turn in result]


def mode_of(output: Output) -> Mode:
    """How an output's steps are given: natively as soon as one of them is.

    Args:
        output: The output.

    Returns:
        ``fc`` or ``prompt``; the texts among native steps are then what the agent said, not calls.
    """
    native = output.tool_calls is not None or any(
        isinstance(step, list) for turn in output.turns or [] for step in turn
    )
    return "fc" if native else "prompt"


def _decode_turn(turn: Any, read: ReplyReader, *, keep_empty: bool) -> Turn:
    steps: Turn = []
    for raw in cast("list[Any]", turn) if isinstance(turn, list) else []:
        try:
            calls = read(raw)
        except (DecodingError, RecursionError):
            continue
        if calls or keep_empty:
            steps.append(calls)
    return steps
