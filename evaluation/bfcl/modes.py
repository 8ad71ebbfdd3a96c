"""Whether a stored answer is native function calls or text."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

from ...deterministic import Mode
from ...formats.bfcl import Category

ModeOption: TypeAlias = Literal["prompt", "fc", "auto"]


def mode_of(category: Category, result: Any, option: ModeOption) -> Mode:
    """Decide how an answer is to be decoded.

    Args:
        category: In multi-turn and agentic categories an answer is turns of steps.
        result: The stored answer.
        option: As the user asked. With ``auto`` a list is native calls and a text is a prompt-mode reply; of turns of steps, one
            step that is a list makes the whole answer native, its texts being what the system said between calls.

    Returns:
        The mode.
    """
    if option != "auto":
        return option
    if category.family not in {"multi_turn", "agentic"}:
        return "fc" if isinstance(result, list) else "prompt"
    steps = (step for turn in as_list(result) for step in as_list(turn))
    return "fc" if any(isinstance(step, list) for step in steps) else "prompt"


def as_list(value: Any) -> list[Any]:
    """The value when it is a list, as turns and steps should be; else nothing."""
    return cast("list[Any]", value) if isinstance(value, list) else []
