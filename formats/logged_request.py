"""Request of a logged call: its place in a line, and its messages."""

from __future__ import annotations

from typing import Any

from .calls import are_messages, role_of, user_message
from .field_reader import FieldReader
from .framework_messages import framework_messages
from .json_values import is_list, is_object
from .logged_messages import item_messages
from .message_parts import results_apart

REQUESTS = (
    "request",
    "req",
    "input",
    "inputs",
    "prompt",
    "body",
    "request_body",
    "requestBody",
    "inputBodyJson",
    "kwargs",
    "question",
    "query",
)
RESPONSES = ("response", "res", "resp", "output", "outputs", "completion", "response_body", "responseBody", "result", "reply", "answer")  # fmt: skip
_WRAPPERS = ("data", "payload", "record", "event", "log", "entry", "exchange", "body", "message", "msg", "@message", "jsonPayload", "_source", "fields", "properties")  # fmt: skip
_TRANSCRIPTS = ("turns", "transcript", "history", "chat_history")
MAX_DEPTH = 4
"""Maximum number of nested objects that are searched."""


def with_messages(value: Any) -> Any:
    """Return a line with its transcript as ``messages``, or any other line unchanged.

    A list of events is an ADK session. Turns with roles are DeepEval's, and its format reads them. Beside a question or an
    answer, a transcript is the conversation before it, so the line is unchanged.
    """
    if not is_object(value) or not value.keys().isdisjoint(("messages", *REQUESTS, *RESPONSES)):
        return value
    events: Any = value.get("events")
    if is_list(events) and events and all(framework_messages(event) is not None for event in events):
        return {**{key: field for key, field in value.items() if key != "events"}, "messages": events}
    for name in _TRANSCRIPTS:
        turns: Any = value.get(name)
        if are_messages(turns) and not (name == "turns" and all("role" in turn for turn in turns)):
            return {**{key: field for key, field in value.items() if key != name}, "messages": turns}
    return value


def scopes_of(line: FieldReader) -> list[FieldReader]:
    """Return the line and the objects nested in it, down to the one with the request."""
    scopes = [line]
    while len(scopes) < MAX_DEPTH and request_in(scopes[-1]) is None:
        inner = next(
            (
                FieldReader(value, scopes[-1].path(name))
                for name in _WRAPPERS
                if is_object(value := scopes[-1].unpacked(name))
            ),
            None,
        )
        if inner is None:
            break
        scopes.append(inner)
    return scopes


def request_in(node: FieldReader, depth: int = 0) -> FieldReader | None:
    """Return the object whose messages, input or prompt is the request."""
    if "messages" in node or "contents" in node:
        return node
    if node.get("object") == "response":
        return node
    for name in REQUESTS:
        value = node.unpacked(name)
        if is_object(value) and depth < MAX_DEPTH:
            field = FieldReader(value, node.path(name))
            inner = request_in(field, depth + 1)
            # A request further inside counts only if the object around it has no answer of its own.
            if inner is not None and (inner is field or field.first(*RESPONSES) is None):
                return inner
        elif value and (is_list(value) or isinstance(value, str)) and name not in {"body", "request_body"}:
            return node
    return None


def asked_messages(request: FieldReader) -> list[FieldReader]:
    """Return the messages of a request, its instructions first."""
    name = request.first("messages", "contents", *REQUESTS)
    value = None if name is None else request.unpacked(name)
    if isinstance(value, str) and name not in {"messages", "contents"}:
        value = [user_message(value)]
    if name is None or not is_list(value):
        raise request.refuse("messages", "a list of messages")
    at = request.path(name)
    items = (
        FieldReader(user_message(item) if isinstance(item, str) else item, f"{at}[{number}]")
        for number, item in enumerate(value)
    )
    messages = list(results_apart(item_messages(items)))
    for message in messages:
        if role_of(message) is None:
            raise message.refuse("role", "the role of a message")
    system = (
        _gemini_system(request)
        if name == "contents"
        else request.get("instructions", "system", "system_prompt")
    )
    if system is not None:
        messages.insert(0, FieldReader({"role": "system", "content": system}, request.path("system")))
    return messages


def _gemini_system(request: FieldReader) -> Any:
    """Return the instructions of a request to Gemini: a text, or the parts of a content."""
    configured = request.unpacked("config")
    for holder in (request.value, configured if is_object(configured) else {}):
        instruction = holder.get("systemInstruction", holder.get("system_instruction"))
        if instruction is not None:
            return instruction.get("parts") if is_object(instruction) else instruction
    return None
