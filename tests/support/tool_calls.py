"""Functions that are offered, and outputs that call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiducial.records import Output, ToolCall


def tool(
    name: str, properties: Mapping[str, Any], required: Sequence[str] = (), about: str = ""
) -> dict[str, Any]:
    """A function document in OpenAI's outer shape."""
    parameters = {"type": "dict", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def calling(
    case_id: str, *calls: tuple[str, dict[str, Any] | str], system: str = "s", text: str | None = None
) -> Output:
    """An output that makes native calls, each a name and its arguments."""
    made = [ToolCall(name=name, arguments=arguments) for name, arguments in calls]
    return Output(case_id=case_id, system=system, text=text, tool_calls=made)
