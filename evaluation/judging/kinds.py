"""Which kinds of case each judge judges."""

from __future__ import annotations

from ...records import Kind

_CALLS: frozenset[Kind] = frozenset({"tool_call", "no_call", "any_call", "executable_call"})

_KINDS: dict[str, frozenset[Kind]] = {
    "tool_call_accuracy": _CALLS,
    "groundedness": frozenset({"grounded_answer"}),
    "memory_answer": frozenset({"memory_answer"}),
    "web_search_answer": frozenset({"web_search_answer"}),
    "task_completion": frozenset({"multi_turn"}),
    "rubric": frozenset({"open_answer", "artifact"}),
}


def judges_kind(judge: str, kind: Kind) -> bool:
    """Whether a judge is asked about a kind of case.

    Args:
        judge: Its name; variant and model may follow (``judge/variant@model``).
        kind: The kind.

    Returns:
        True for a prompt of the user's own, which is asked about every kind.
    """
    kinds = _KINDS.get(judge.partition("@")[0].partition("/")[0])
    return kinds is None or kind in kinds
