"""Conversations, calls, tools and search results, read from users' and other tools' formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

import msgspec

from ..errors import InputError
from ..records import (
    ContextItem,
    Message,
    Step,
    ToolCall,
    ToolResults,
)

_TOOL_ROLES = frozenset({"tool", "function"})
"""Roles of messages with tool results; ``function`` is OpenAI's former name."""


def question_messages(query: str | Sequence[Message]) -> list[Message]:
    """Return a question as messages; a conversation is returned unchanged."""
    if isinstance(query, str):
        return [{"role": "user", "content": query}]
    return list(_objects(query, "query"))


def tools_of(definitions: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tool definitions in OpenAI's outer object, which Azure's rows omit."""
    tools = [definitions] if isinstance(definitions, Mapping) else _objects(definitions, "tool_definitions")
    return [
        dict(tool) if "function" in tool else {"type": "function", "function": dict(tool)} for tool in tools
    ]


def parsed_calls(calls: Mapping[str, Any] | Sequence[Mapping[str, Any]] | str) -> list[ToolCall]:
    """Read calls in OpenAI's or Azure's format.

    OpenAI's is ``{"function": {"name", "arguments"}}``, Azure's ``{"name", "arguments"}``.
    """
    if isinstance(calls, str):
        raise InputError(f"expected a list of calls, got {calls[:80]!r}", field="tool_calls")
    values = [calls] if isinstance(calls, Mapping) else _objects(calls, "tool_calls")
    return [_call(call) for call in values]


def context_of(context: str | Sequence[Any]) -> list[ContextItem]:
    """Return search results from a text, texts, or objects.

    The objects have ``id``, ``request`` and ``content``.
    """
    if isinstance(context, str):
        return [ContextItem(id="1", content=context)] if context else []
    return [_context_item(item, number) for number, item in enumerate(context, start=1)]


def split_conversation(messages: Sequence[Message]) -> tuple[list[list[Message]], list[list[Step]]]:
    """Split a conversation into the messages to the agent and its steps, turn by turn.

    Results of calls belong to the agent's steps.
    """
    requests: list[list[Message]] = []
    turns: list[list[Step]] = []
    call_ids: list[Any] = []
    results: list[tuple[int, Any]] = []
    for message in _objects(messages, "messages"):
        if message.get("role") == "assistant":
            if not requests:
                requests.append([])
                turns.append([])
            turns[-1] += _steps(message)
            call_ids = [call.get("id") for call in _objects(message.get("tool_calls") or (), "tool_calls")]
            results = []
        elif message.get("role") in _TOOL_ROLES and turns and turns[-1]:
            if results:  # replace the step with the results so far
                turns[-1].pop()
            call_id = message.get("tool_call_id")
            # Results without a known call come last.
            position = call_ids.index(call_id) if call_id in call_ids else len(call_ids)
            results.append((position, message.get("content")))
            results.sort(key=itemgetter(0))  # results of calls made at once may come in any order
            turns[-1].append(ToolResults(results=[result for _, result in results]))
        else:
            if not requests or turns[-1]:
                requests.append([])
                turns.append([])
            requests[-1].append(message)
    return requests, turns


def _steps(message: Message) -> list[Step]:
    steps: list[Step] = []
    content = message.get("content")
    if isinstance(content, str) and content:
        steps.append(content)
    elif content:
        steps.append(msgspec.json.encode(content).decode())
    if message.get("tool_calls"):
        steps.append(parsed_calls(message["tool_calls"]))
    return steps


def _call(call: Mapping[str, Any]) -> ToolCall:
    inner = call.get("function", call)
    try:
        return ToolCall(name=inner["name"], arguments=inner.get("arguments") or {})
    except (KeyError, TypeError) as error:
        raise InputError(f"expected a call with a name, got {str(call)[:80]}", field="tool_calls") from error


def _context_item(item: Any, number: int) -> ContextItem:
    if isinstance(item, Mapping):
        fields = cast("Mapping[str, Any]", item)
        if "content" in fields:
            request = fields.get("request")
            return ContextItem(id=str(fields.get("id", number)), request=request, content=fields["content"])
    return ContextItem(id=str(number), content=item)


def _objects(items: Iterable[Any], field: str) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    for item in items:
        if not isinstance(item, Mapping):
            raise InputError(f"expected a list of objects, got {str(item)[:80]!r} in it", field=field)
        objects.append(dict(cast("Mapping[str, Any]", item)))
    return objects
