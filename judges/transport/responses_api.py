"""The Responses API, for models and servers without chat completions.

All requests have the form of chat completions. Here they are translated to the Responses API, and replies back, so that no other
module depends on it.
Reference: https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple, cast

import msgspec

from ...records.typed_values import convert
from ..as_json import replace_surrogates
from .completion import (
    cached_tokens,
    error_in,
    field_of,
    read_completion,
    read_logprobs,
    requested_call,
    text_or_none,
    token_count,
)
from .exchange import CallError, Reply, Request, RequestedCall


class Api(NamedTuple):
    """API by which a model is called.

    Attributes:
        path: Path below the endpoint's address.
        body: Function that makes the JSON body of a request.
        read: Function that reads the body of a successful response.
    """

    path: str
    body: Callable[[Request], dict[str, Any]]
    read: Callable[[object], Reply]


_RESPONSES_HINT = re.compile(r"\bresponses\b", re.IGNORECASE)
_WRONG_API_STATUSES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.BAD_REQUEST})
_NO_ROUTE = re.compile(
    r"\A\W{0,9}(?:(?:detail|error|message)\W{1,9})?(?:not found|method not allowed)\W{0,9}\Z", re.IGNORECASE
)
"""Whole error message for an unknown path; the message for an unknown model says more."""


def needs_responses(status: int, message: str) -> bool:
    """Return whether an error response means that the model needs the Responses API."""
    if status not in _WRONG_API_STATUSES:
        return False
    if status != HTTPStatus.BAD_REQUEST and _NO_ROUTE.fullmatch(message):
        return True
    return _RESPONSES_HINT.search(message) is not None


_PATHS = {
    "max_completion_tokens": ("max_output_tokens",),
    "max_tokens": ("max_output_tokens",),
    "reasoning_effort": ("reasoning", "effort"),
    "verbosity": ("text", "verbosity"),
}
"""Decoding parameters of chat completions with another name in the Responses API, as a path of fields."""


def responses_body(request: Request) -> dict[str, Any]:
    """Return the JSON body of ``POST /responses`` for a request."""
    body: dict[str, Any] = {
        "model": request.model,
        "input": [item for message in request.messages for item in _items(message)],
        "store": False,  # by default, the API stores what is sent
    }
    for name, value in request.parameters.items():
        match name:
            case "response_format":
                body.setdefault("text", {})["format"] = _format(value)
            case "logprobs":
                body["include"] = ["message.output_text.logprobs"]
            case "tools":
                body["tools"] = [_flattened(tool) for tool in value]
            case "tool_choice":
                body["tool_choice"] = value if isinstance(value, str) else _tool_choice(value)
            case _:
                *parents, field = _PATHS.get(name, (name,))  # at most one parent
                parent = body.setdefault(parents[0], {}) if parents else body
                parent[field] = value
    return body


def name_in_chat(param: str | None, request: Request) -> str | None:
    """Translate a parameter in an error of the Responses API to that of chat completions.

    The name of anything else is returned unchanged.
    """
    if param is None:
        return None
    if param.startswith("text.format"):
        return "response_format"
    return next(
        (name for name, path in _PATHS.items() if ".".join(path) == param and name in request.parameters),
        param,
    )


def _items(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the input items of a chat message: its text, and each of its tool calls."""
    content = message.get("content")
    if message["role"] == "tool":  # in the Responses API, the result of a call is a separate item
        yield {"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": content}
        return
    if content:
        role = message["role"]
        if isinstance(content, list):
            content = [_part(part, role) for part in cast("list[Any]", content)]
        yield {"role": role, "content": content}
    for call in message.get("tool_calls") or ():
        yield {"type": "function_call", "call_id": call.get("id"), **call["function"]}


def _part(part: Mapping[str, Any], role: str) -> dict[str, Any]:
    if part.get("type") == "image_url":
        image = part["image_url"]
        return {"type": "input_image", "image_url": image["url"], "detail": image.get("detail", "auto")}
    if part.get("type") == "text":
        return {**part, "type": "output_text" if role == "assistant" else "input_text"}
    return dict(part)


def _flattened(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool, or the choice of a tool, without nesting: its fields are next to its type."""
    kind = tool.get("type", "function")
    return {"type": kind, **tool.get(kind, {})}


def _tool_choice(choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return a choice of one tool, or of several allowed ones."""
    flattened = _flattened(choice)
    if "tools" not in flattened:
        return flattened
    return flattened | {"tools": [_flattened(tool) for tool in flattened["tools"]]}


def _format(response_format: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": response_format["type"], **response_format.get("json_schema", {})}


class _Content(msgspec.Struct):
    type: str
    text: str | None = None
    refusal: str | None = None
    logprobs: Any = None


class _Item(msgspec.Struct):
    type: str
    content: list[_Content] | None = None
    summary: list[_Content] | None = None
    name: str | None = None
    arguments: dict[str, Any] | str | None = None
    call_id: str | None = None


class _Response(msgspec.Struct):
    output: list[_Item]
    status: str | None = None
    model: str | None = None
    usage: Any = None
    incomplete_details: Any = None


_FINISH_REASONS = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Finish reasons of chat completions, by the reason why a response is incomplete."""


def read_response(payload: object) -> Reply:
    """Read the body of a response.

    Raises:
        CallError: The payload is not a response, or the response failed; both errors are retryable.
    """
    try:
        body = convert(payload, _Response)
    except msgspec.ValidationError as error:
        raise CallError(f"the reply is no response: {error_in(payload) or error}", retryable=True) from error
    if body.status in {"failed", "cancelled"}:
        raise CallError(
            f"the response {body.status}: {error_in(payload) or 'no reason given'}", retryable=True
        )
    contents = [part for item in body.output if item.type == "message" for part in item.content or ()]
    reasoning_items = [item for item in body.output if item.type == "reasoning"]
    reasoning_texts = [
        part.text for item in reasoning_items for part in item.summary or item.content or () if part.text
    ]
    calls = [call for item in body.output if (call := _call(item)) is not None]
    logprobs = [token for part in contents for token in part.logprobs or ()]
    reason_incomplete = field_of(body.incomplete_details, "reason")
    prompt_tokens = token_count(body.usage, "input_tokens")
    return Reply(
        text=replace_surrogates("".join(part.text or "" for part in contents)),
        tool_calls=calls or None,
        reasoning=text_or_none("\n".join(reasoning_texts)),
        refusal=text_or_none("".join(part.refusal or "" for part in contents)),
        finish_reason=_FINISH_REASONS.get(str(reason_incomplete), "length")
        if body.status == "incomplete"
        else "stop",
        served_by=text_or_none(body.model),
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens(body.usage, prompt_tokens),
        completion_tokens=token_count(body.usage, "output_tokens"),
        logprobs=read_logprobs({"content": logprobs} if logprobs else None),
    )


def _call(item: _Item) -> RequestedCall | None:
    if item.type != "function_call" or item.name is None:
        return None
    return requested_call(item.name, item.arguments, item.call_id)


CHAT = Api("chat/completions", Request.body, read_completion)
RESPONSES = Api("responses", responses_body, read_response)
