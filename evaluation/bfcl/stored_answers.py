"""Decode and check stored results, which are native calls or text."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

from ...deterministic import answers
from ...deterministic.decoding.replies import asked_form
from ...deterministic.execution.call_texts import ReplyReader, read_native, read_prompt
from ...deterministic.finding import Finding
from ...deterministic.options import CheckOptions
from ...deterministic.stored_results import CallMode, check_result, decode_result
from ...errors import DecodingError
from ...formats.bfcl import Category
from ...records import Case, kind_spec


def check_stored(case: Case, result: Any, mode: CallMode, options: CheckOptions) -> Finding:
    """Check one stored answer."""
    if kind_spec(case.kind).family == "conversation":
        from ...deterministic import multi_turn  # noqa: PLC0415 - brings the simulated worlds with it

        return multi_turn.check_turns(case, result, mode=mode, options=options)
    return check_result(case, result, mode=mode, options=options)


def decoded_calls(case: Case, result: Any, mode: CallMode) -> Any:
    """Decode a single-turn answer, usually to a list of calls; None if it cannot be decoded."""
    try:
        return decode_result(result, mode=mode, form=asked_form(case))
    except DecodingError:
        return None


def decoded_turns(result: Any, mode: CallMode) -> list[list[list[str]]]:
    """Decode a multi-turn answer to the call texts of each step that has calls, by turn."""
    read_calls = _call_reader(mode)
    steps_by_turn = (as_list(turn) for turn in as_list(result))
    return [
        [calls for step in steps if (calls := answers.calls_in(step, read_calls))] for steps in steps_by_turn
    ]


def last_message(result: Any, mode: CallMode) -> Any:
    """Return the final message of an agentic answer: the last step without calls, or None."""
    turns = as_list(result)
    return answers.last_message(as_list(turns[0]) if turns else [], _call_reader(mode))


def _call_reader(mode: CallMode) -> ReplyReader:
    return read_native if mode == "fc" else read_prompt


ModeOption: TypeAlias = Literal["prompt", "fc", "auto"]
"""How answers are decoded: as text, as native calls (BFCL's name), or as they look."""


def mode_of(category: Category, result: Any, option: ModeOption) -> CallMode:
    """Decide whether an answer is decoded as native calls or as text.

    Args:
        category: The category, which determines whether an answer is turns of steps.
        result: The stored answer.
        option: The user's option. With ``auto``, a list is native calls and a text is a prompt-mode reply. Turns of steps are native
            if any step is a list; their texts are then messages between calls.
    """
    if option != "auto":
        return option
    if not category.in_turns:
        return "fc" if isinstance(result, list) else "prompt"
    steps = (step for turn in as_list(result) for step in as_list(turn))
    return "fc" if any(isinstance(step, list) for step in steps) else "prompt"


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a list, as turns and steps should be, else an empty list."""
    return cast("list[Any]", value) if isinstance(value, list) else []
