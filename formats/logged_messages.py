"""Messages in logs: items of a response as chat messages, and keys for comparison."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ..errors import RecordError
from .calls import calls_of, results_of, role_of, text_of
from .field_reader import FieldReader
from .framework_messages import framework_messages
from .json_values import as_text, is_list, is_object, is_text_in, parsed
from .langchain_messages import plain_message
from .message_parts import results_apart


def says_something(message: FieldReader) -> bool:
    """Return whether an agent's message has a text, a call or a result."""
    return bool((text_of(message) or "").strip() or calls_of(message) or results_of(message))


_NON_CHAT_ITEMS = frozenset({"reasoning", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
                     "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"})  # fmt: skip
"""Items of a response outside the chat: reasoning, and work of tools that the provider runs."""


def is_silent(item: Any) -> bool:
    """Return whether an item of a response is not part of a chat."""
    return is_object(item) and is_text_in(item.get("type"), _NON_CHAT_ITEMS)


_NON_MESSAGE_ITEMS = _NON_CHAT_ITEMS | {"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "mcp_call"}  # fmt: skip
"""Items of a response that are no messages."""


def is_conversation(value: Any) -> bool:
    """Return whether a value is a list of messages (also LangChain's) or of a response's items."""
    return is_list(value) and bool(value) and all(map(_is_item, value))


def _is_item(value: Any) -> bool:
    if not is_object(value) or "role" in value or framework_messages(value) is not None:
        return is_object(value)
    flat = plain_message(value)  # a call and a tool have a type of LangChain's, too, but no content
    return is_text_in(value.get("type"), _NON_MESSAGE_ITEMS) or (flat is not value and "content" in flat)


def conversation_messages(value: list[Any], at: str = "") -> list[FieldReader]:
    """Return a conversation as messages of a chat, with results of calls apart from texts."""
    items = (FieldReader(item, f"{at}[{number}]") for number, item in enumerate(value))
    return list(results_apart(item_messages(items)))


def item_message(item: FieldReader) -> dict[str, Any]:
    """Return an item of a response, or a message of LangChain, as a message of a chat."""
    plain = plain_message(item.value)
    if plain is not item.value:
        return plain
    kind = "message" if "role" in item else item.text("type") or "message"
    if kind == "function_call":
        return {"role": "assistant", "content": None, "tool_calls": [item.value]}
    if kind == "function_call_output":
        return {"role": "tool", "tool_call_id": item.name("call_id"), "content": item.get("output")}
    if kind == "message":
        return item.value
    raise RecordError(f"an item of type {kind!r} has no place in a chat", field=item.at)


def item_messages(items: Iterable[FieldReader]) -> list[FieldReader]:
    """Return items of a response as messages; successive calls are one, reasoning is left out."""
    messages: list[FieldReader] = []
    after_call = False
    for item in chain.from_iterable(map(_function_items, items)):
        if is_silent(item.value):
            continue
        message = item_message(item)
        is_call = "role" not in item and item.get("type") == "function_call"
        if is_call and after_call:
            messages[-1].value["tool_calls"].append(item.value)
        else:
            messages.append(FieldReader(message, item.at))
        after_call = is_call
    return messages


def _function_items(item: FieldReader) -> list[FieldReader]:
    """Return items of frameworks as messages, and calls of other tools as calls of functions."""
    messages = framework_messages(item.value)
    if messages is not None:
        return [FieldReader(message, item.at) for message in messages]
    value, kind = item.value, "" if "role" in item else item.get("type")
    if kind == "custom_tool_call":
        arguments_and_id = {"arguments": {"input": value.get("input")}, "call_id": value.get("call_id")}
        return [
            FieldReader({"type": "function_call", "name": value.get("name"), **arguments_and_id}, item.at)
        ]
    if kind == "custom_tool_call_output":
        return [FieldReader({**value, "type": "function_call_output"}, item.at)]
    if kind != "mcp_call":
        return [item]
    shared = {"call_id": value.get("id")}
    call = {"name": value.get("name"), "arguments": value.get("arguments")}
    error = value.get("error")
    output = value.get("output") if error is None else {"error": error}
    return [
        FieldReader({"type": "function_call", **shared, **call}, item.at),
        *(
            [FieldReader({"type": "function_call_output", **shared, "output": output}, item.at)]
            if output is not None
            else []
        ),
    ]


def message_key(message: FieldReader) -> tuple[Any, ...]:
    """Return a key that is equal for messages that differ only in form or in ids."""
    calls = tuple((call.call.name, as_text(parsed(call.call.arguments))) for call in calls_of(message))
    results = tuple(as_text(value) for _, value in results_of(message))
    role = "tool" if results else role_of(message)
    return (
        "system" if role == "developer" else role,
        "" if results else (text_of(message) or "").strip(),
        calls,
        results,
    )
