"""Make cases, for dials and lifelike faults, which need no suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...records import Case, ContextItem, Message


def made_call_case(
    case_id: str,
    messages: Iterable[Message],
    tools: Iterable[Mapping[str, Any]],
    calls: Iterable[tuple[str, Mapping[str, Any]]],
) -> Case:
    """Return a case whose reference are these calls."""
    return Case(
        id=case_id,
        kind="tool_call",
        messages=list(messages),
        tools=[dict(tool) for tool in tools],
        reference={"calls": [{"name": name, "arguments": dict(arguments)} for name, arguments in calls]},
    )


def made_grounded_case(
    case_id: str,
    question: Message,
    context: Sequence[ContextItem],
    reference: Mapping[str, Any] | None = None,
) -> Case:
    """Return a case with a question about search results."""
    return Case(
        id=case_id,
        kind="grounded_answer",
        messages=[question],
        context=list(context),
        reference={**(reference or {})},
    )
