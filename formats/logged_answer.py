"""Answers of a logged call, in any format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .calls import are_messages
from .field_reader import FieldReader
from .json_values import as_text, is_list, is_object, parsed
from .logged_messages import is_silent, item_messages, message_key
from .logged_request import MAX_DEPTH, REQUESTS, RESPONSES
from .message_parts import results_apart
from .streamed_chunks import whole_answer

_TEXT_FIELDS = ("output_text", "content", "text", "answer", "reply", "completion", "generated_text", "message", "response", "output", "result")  # fmt: skip


def response_in(inner: FieldReader, request: FieldReader) -> tuple[str | None, Any]:
    """Return the name of the answer's field, or None, and the answer."""
    if "choices" in inner:
        return "choices", {name: inner.value.get(name) for name in ("choices", "model", "created")}
    names = [name for name in RESPONSES if name in inner]
    request_names = {name for name in REQUESTS if request is inner}
    name = next((name for name in names if inner.value[name] is not None), names[0] if names else None)
    if name is None or name in request_names:
        return None, None
    value = inner.value[name]
    response = parsed(value)
    return name, response if response is not value and _is_answer(response) else value


def _is_answer(value: Any) -> bool:
    names = ("choices", "candidates", "body", "output", "role", "messages")
    return are_messages(value) or (is_object(value) and any(name in value for name in names))


def answers_in(value: Any, at: str, depth: int = 0) -> list[list[FieldReader]]:  # noqa: PLR0911 - one form of an answer each
    """Return the answers in a response of any form, each as messages of an agent."""
    if value is None or depth > MAX_DEPTH:
        return []
    if isinstance(value, str | int | float):
        return [[FieldReader({"role": "assistant", "content": as_text(value)}, at)]]
    if is_list(value):
        joined = whole_answer(value)  # of a stream's chunks
        return _answers_in_list(value, at) if joined is None else answers_in(joined, at, depth + 1)
    response = FieldReader(value, at)
    if response.get("choices", "candidates") is not None:
        return [[_choice(node)] for node in response.nodes("choices", "candidates")]
    for name in ("body", "data", "json", "outputBodyJson"):
        inner = response.unpacked(name)
        if is_object(inner):
            return answers_in(inner, response.path(name), depth + 1)
    for name in ("messages", "output", "message"):
        inner = response.value.get(name)
        if isinstance(inner, list | dict):
            return answers_in(inner, response.path(name), depth + 1)
    if response.first("role", "tool_calls", "parts", "function_call") or is_list(response.get("content")):
        return [[FieldReader({**value, "role": "assistant"}, at)]]
    text = response.text(*_TEXT_FIELDS)
    return [] if text is None else [[FieldReader({"role": "assistant", "content": text}, at)]]


def _answers_in_list(items: list[Any], at: str) -> list[list[FieldReader]]:
    nodes = [FieldReader(item, f"{at}[{number}]") for number, item in enumerate(items) if not is_silent(item)]
    if nodes and all(node.first("message", "delta") for node in nodes):
        return [[_choice(node)] for node in nodes]
    if nodes and not any(node.first("role", "type") for node in nodes):
        return [[FieldReader({**node.value, "role": "assistant"}, node.at)] for node in nodes[:1]]
    if not nodes:
        return []
    return [
        [FieldReader({"role": "assistant", **message.value}, message.at) for message in item_messages(nodes)]
    ]


def _choice(choice: FieldReader) -> FieldReader:
    for name in ("message", "content"):
        inner = choice.get(name)
        if is_object(inner):
            return FieldReader({**inner, "role": "assistant"}, choice.path(name))
    return FieldReader({"role": "assistant", "content": choice.get("text", "content", "message")}, choice.at)


def beyond_request(request: Sequence[FieldReader], choice: list[FieldReader]) -> list[FieldReader]:
    """Return an answer's messages without the request, if they repeat it."""
    choice = list(results_apart(choice))
    repeats_request = len(choice) > len(request) and all(
        message_key(asked) == message_key(answered) for asked, answered in zip(request, choice, strict=False)
    )
    return choice[len(request) :] if repeats_request else choice


def is_cut_off(response: Any) -> bool:
    """Return whether an answer ended at the token limit."""
    for body in bodies_of(response):
        details, choices = body.object_in("incomplete_details"), body.get("choices")
        ends = (
            [choice.get("finish_reason") for choice in choices if is_object(choice)]
            if is_list(choices)
            else []
        )
        if not _LIMIT_REASONS.isdisjoint(map(str, [body.get("stop_reason"), details.get("reason"), *ends])):
            return True
    return False


_LIMIT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens"})
"""Reasons to stop that mean the token limit."""


def bodies_of(response: Any, depth: int = 0) -> list[FieldReader]:
    """Return a response and its body, if they are objects."""
    if not is_object(response) or depth > MAX_DEPTH:
        return []
    node = FieldReader(response)
    return [node, *bodies_of(node.unpacked("body"), depth + 1)]
