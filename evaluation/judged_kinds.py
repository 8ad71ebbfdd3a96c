"""Which kinds of case each judge judges."""

from __future__ import annotations

from ..records import Kind

_CALLS: frozenset[Kind] = frozenset({"tool_call", "no_call", "any_call", "executable_call"})

_KINDS: dict[str, frozenset[Kind]] = {
    "tool_call_accuracy": _CALLS,
    "groundedness": frozenset({"grounded_answer"}),
    "memory_answer": frozenset({"memory_answer"}),
    "web_search_answer": frozenset({"web_search_answer"}),
    "task_completion": frozenset({"multi_turn"}),
    "rubric": frozenset({"open_answer", "artifact"}),
}


def judged_kinds(judge: str) -> frozenset[Kind] | None:
    """The kinds of case a judge is asked about.

    Args:
        judge: Its name; variant and model may follow (``judge/variant@model``).

    Returns:
        The kinds; None for a prompt of the user's own, which is asked about every kind.
    """
    return _KINDS.get(judge.partition("/")[0])
