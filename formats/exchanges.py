"""Calls of a model as a log has them, however they are wrapped: the request, the answer, and whose session it was.

A request stands in the line itself or under ``request``, ``req``, ``input``, ``inputs``, ``prompt``, ``body``, ``request_body`` or ``kwargs``,
its answer under ``response``, ``res``, ``output``, ``outputs``, ``completion``, ``response_body``, ``result``, ``reply`` or ``choices``; both
perhaps within ``data``, ``payload``, ``record``, ``event``, ``log``, ``entry`` or ``body``, and each as an object or its JSON text. An answer is
a completion (``choices``), a response (``output``), candidates, messages, one message, or a text. ``session_id`` (``conversation_id``,
``thread_id``, ``chat_id``) is the case's id, ``user`` its cluster, ``metadata`` its tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..errors import RecordError
from ..records import TagValue
from ..records.column_names import SESSIONS
from .calls import are_messages, calls_of, results_of, role_of, said_by_user, text_of
from .field_reader import FieldReader
from .file_rows import FileRow
from .imported_records import FilePosition
from .json_values import as_text, is_list, is_object, parsed, tags_of

REQUESTS = (
    "request",
    "req",
    "input",
    "inputs",
    "prompt",
    "body",
    "request_body",
    "requestBody",
    "kwargs",
    "question",
    "query",
)
RESPONSES = ("response", "res", "resp", "output", "outputs", "completion", "response_body", "responseBody", "result", "reply", "answer")  # fmt: skip
_AROUND = ("data", "payload", "record", "event", "log", "entry", "exchange", "body")
_USERS = ("user_id", "userId", "user", "end_user")
_IDS = ("custom_id", "id", "request_id", "requestId")
_TIMES = ("turn", "turn_index", "seq", "sequence", "timestamp", "time", "ts", "created_at", "createdAt", "created", "start_time", "startTime")  # fmt: skip
_ERRORS = ("error", "exception", "error_message", "err")
_TEXTS = ("output_text", "content", "text", "answer", "reply", "completion", "generated_text", "message", "response", "output", "result")  # fmt: skip
_FAILED_STATUS = frozenset({"error", "failed", "failure", "timeout", "timed_out", "exception"})
_CALLS = ("expected_calls", "expected_tool_calls", "reference_tool_calls")
_LEAST_HTTP_ERROR = 400
_DEEPEST = 4


class Exchange(msgspec.Struct, kw_only=True):
    """One call of a model.

    Attributes:
        messages: The conversation up to the answer.
        choices: The answers, each as messages of the agent's; several are attempts at one request.
        answered: The line has a place for an answer, even an empty one.
        error: The reason why no answer came.
        time: Order within a session; None where the line does not say.
    """

    place: FilePosition
    number: int
    messages: list[FieldReader]
    choices: list[list[FieldReader]] = []
    answered: bool = False
    error: str | None = None
    id: str = ""
    session: str | None = None
    cluster: str | None = None
    model: str | None = None
    tools: list[dict[str, Any]] = []
    tags: dict[str, TagValue] = {}
    time: float | None = None
    expected_calls: list[Any] | None = None
    accepted: Any = None
    criterion: str | None = None
    context: list[Any] = []

    @property
    def has_failed(self) -> bool:
        """Return whether the exchange ended with an error and without an answer."""
        return self.error is not None and not any(map(says_something, (n for c in self.choices for n in c)))


def says_something(message: FieldReader) -> bool:
    """Return whether an agent's message has a text, a call or a result."""
    return bool((text_of(message) or "").strip() or calls_of(message) or results_of(message))


def is_exchange(value: Any, *, plain: bool = True) -> bool:
    """Return whether a line is an exchange with a model.

    It wraps a request with chat messages or, with ``plain``, has columns for session, question and answer.
    """
    if not is_object(value):
        return False
    try:
        scopes = _scopes(FieldReader(value))
        inner = scopes[-1]
        request = _request(inner)
    except RecordError:
        return False
    if request is None or (request is scopes[0] and not plain):
        return False
    if _name(scopes, SESSIONS) is not None and any(name in inner for name in RESPONSES):
        return True
    if request is scopes[0] and not is_object(_response(inner, request)[1]):
        return False  # columns of a table, of which others are tags
    return any(are_messages(parsed(request.get(name))) for name in ("messages", "contents", *REQUESTS))


def exchange_of(row: FileRow) -> Exchange:
    """Return the exchange that a line holds; a `RecordError` where nothing was asked."""
    line = FieldReader({"messages": row.value}, row.at) if is_list(row.value) else row.node
    scopes = _scopes(line)
    inner = scopes[-1]
    request = _request(inner)
    if request is None and (_name(scopes, SESSIONS) is None or not any(map(_failure, scopes))):
        raise line.refuse("messages", "a list of messages")
    messages = [] if request is None else _messages(request)
    request = request or FieldReader({})
    field, response = _response(inner, request)
    choices = [_beyond(messages, choice) for choice in _choices(response, inner.place(field or "response"))]
    metadata = [FieldReader(held) for each in [*scopes, request] if (held := each.held("metadata"))]
    places = [*scopes, *metadata, request]
    answers = _bodies(response)
    silent = not any(says_something(message) for choice in choices for message in choice)
    told = [*map(_error, [*scopes, *answers]), *map(_status, [*scopes, *answers] if silent else [])]
    tools = [tool.value for tool in request.nodes("tools", "functions")] or [
        tool.value for tool in inner.nodes("tools", "functions")
    ]
    exchange = Exchange(
        place=row.place,
        number=row.number,
        messages=messages,
        choices=choices,
        answered=field is not None,
        error=next((each for each in told if each is not None), None),
        id=_name(scopes, _IDS) or "",
        session=_name(places, SESSIONS),
        cluster=_name(places, _USERS),
        model=request.text("model") or _name([*scopes, *answers], ("model",)),
        tools=tools,
        tags={name: value for each in metadata for name, value in tags_of(each.value).items()},
        time=_time([*scopes, *answers]),
    )
    for each in scopes:
        calls, answers = each.unpacked(*_CALLS), each.unpacked("accepted_answers")
        exchange.expected_calls = calls if is_list(calls) else exchange.expected_calls
        exchange.accepted = exchange.accepted if answers is None else answers
        context = each.unpacked("context", "contexts", "search_results", "retrieved_contexts")
        exchange.context = exchange.context if context is None else context if is_list(context) else [context]
        exchange.criterion = each.text("criterion") or exchange.criterion
    return exchange


def message_key(message: FieldReader) -> tuple[Any, ...]:
    """Return a key equal for messages that differ only in spelling or ids."""
    calls = tuple((each.call.name, as_text(parsed(each.call.arguments))) for each in calls_of(message))
    results = tuple(as_text(value) for _, value in results_of(message))
    role = "tool" if results else role_of(message)
    return (
        "system" if role == "developer" else role,
        "" if results else (text_of(message) or "").strip(),
        calls,
        results,
    )


def _scopes(line: FieldReader) -> list[FieldReader]:
    """Return the line, and what it is wrapped in, up to the object that holds the request."""
    scopes = [line]
    while len(scopes) < _DEEPEST and _request(scopes[-1]) is None:
        inner = next(
            (
                FieldReader(value, scopes[-1].place(name))
                for name in _AROUND
                if is_object(value := scopes[-1].unpacked(name))
            ),
            None,
        )
        if inner is None:
            break
        scopes.append(inner)
    return scopes


def _request(node: FieldReader, depth: int = 0) -> FieldReader | None:
    """Return the object whose messages, input or prompt is what was asked."""
    if "messages" in node or "contents" in node:
        return node
    if node.get("object") == "response":
        return node
    for name in REQUESTS:
        value = node.unpacked(name)
        if is_object(value) and depth < _DEEPEST:
            held = FieldReader(value, node.place(name))
            inner = _request(held, depth + 1)
            if inner is not None and (inner is held or held.first(*RESPONSES) is None):
                return inner
        elif value and (is_list(value) or isinstance(value, str)) and name not in {"body", "request_body"}:
            return node
    return None


def _messages(request: FieldReader) -> list[FieldReader]:
    name = request.first("messages", "contents", *REQUESTS)
    value = None if name is None else request.unpacked(name)
    if isinstance(value, str) and name not in {"messages", "contents"}:
        value = [said_by_user(value)]
    if name is None or not is_list(value):
        raise request.refuse("messages", "a list of messages")
    at = request.place(name)
    messages = [
        FieldReader(said_by_user(each) if isinstance(each, str) else item_message(FieldReader(each, f"{at}[{number}]")), f"{at}[{number}]")
        for number, each in enumerate(value)
        if not _is_silent(each)
    ]  # fmt: skip
    for each in messages:
        if role_of(each) is None:
            raise each.refuse("role", "the role of a message")
    system = request.get("instructions", "system", "system_prompt")
    if system is not None and name != "contents":
        messages.insert(0, FieldReader({"role": "system", "content": system}, request.place("system")))
    return messages


def _is_silent(item: Any) -> bool:
    return is_object(item) and item.get("type") == "reasoning"


def item_message(item: FieldReader) -> dict[str, Any]:
    """Return an item of a response as a message of a chat."""
    kind = "message" if "role" in item else item.text("type") or "message"
    if kind == "function_call":
        return {"role": "assistant", "content": None, "tool_calls": [item.value]}
    if kind == "function_call_output":
        return {"role": "tool", "tool_call_id": item.name("call_id"), "content": item.get("output")}
    if kind == "message":
        return item.value
    raise RecordError(f"an item of type {kind!r} has no place in a chat", field=item.at)


def _response(inner: FieldReader, request: FieldReader) -> tuple[str | None, Any]:
    """Return the answer and the name of its field; no name if there is no such field."""
    if "choices" in inner:
        return "choices", {name: inner.value.get(name) for name in ("choices", "model", "created")}
    names = [name for name in RESPONSES if name in inner]
    asked = {name for name in REQUESTS if request is inner}
    name = next((name for name in names if inner.value[name] is not None), names[0] if names else None)
    if name is None or name in asked:
        return None, None
    value = inner.value[name]
    told = parsed(value)
    return name, told if told is not value and _is_answer(told) else value


def _is_answer(value: Any) -> bool:
    known = ("choices", "candidates", "body", "output", "role", "messages")
    return are_messages(value) or (is_object(value) and any(name in value for name in known))


def _choices(value: Any, at: str, depth: int = 0) -> list[list[FieldReader]]:  # noqa: PLR0911 - one form of an answer each
    """Return the answers that a response holds, in whichever form."""
    if value is None or depth > _DEEPEST:
        return []
    if isinstance(value, str | int | float):
        return [[FieldReader({"role": "assistant", "content": as_text(value)}, at)]]
    if is_list(value):
        return _listed(value, at)
    response = FieldReader(value, at)
    if response.get("choices", "candidates") is not None:
        return [[_choice(each)] for each in response.nodes("choices", "candidates")]
    for name in ("body", "data", "json"):
        inner = response.unpacked(name)
        if is_object(inner):
            return _choices(inner, response.place(name), depth + 1)
    for name in ("messages", "output", "message"):
        inner = response.value.get(name)
        if isinstance(inner, list | dict):
            return _choices(inner, response.place(name), depth + 1)
    if response.first("role", "tool_calls", "parts", "function_call") or is_list(response.get("content")):
        return [[FieldReader({**value, "role": "assistant"}, at)]]
    text = response.text(*_TEXTS)
    return [] if text is None else [[FieldReader({"role": "assistant", "content": text}, at)]]


def _listed(items: list[Any], at: str) -> list[list[FieldReader]]:
    nodes = [
        FieldReader(item, f"{at}[{number}]") for number, item in enumerate(items) if not _is_silent(item)
    ]
    if nodes and all(node.first("message", "delta") for node in nodes):
        return [[_choice(node)] for node in nodes]
    if nodes and not any(node.first("role", "type") for node in nodes):
        return [[FieldReader({**node.value, "role": "assistant"}, node.at)] for node in nodes[:1]]
    return (
        [[FieldReader({"role": "assistant", **item_message(node)}, node.at) for node in nodes]]
        if nodes
        else []
    )


def _choice(choice: FieldReader) -> FieldReader:
    for name in ("message", "content"):
        inner = choice.get(name)
        if is_object(inner):
            return FieldReader({**inner, "role": "assistant"}, choice.place(name))
    return FieldReader({"role": "assistant", "content": choice.get("text", "content", "message")}, choice.at)


def _beyond(asked: Sequence[FieldReader], choice: list[FieldReader]) -> list[FieldReader]:
    """Return an answer's messages without those of the request, which some logs repeat in it."""
    if len(choice) > len(asked) and all(
        message_key(a) == message_key(b) for a, b in zip(asked, choice, strict=False)
    ):
        return choice[len(asked) :]
    return choice


def _bodies(response: Any, depth: int = 0) -> list[FieldReader]:
    """Return a response and the body within it, as far as they are objects."""
    if not is_object(response) or depth > _DEEPEST:
        return []
    node = FieldReader(response)
    return [node, *_bodies(node.unpacked("body"), depth + 1)]


def _error(node: FieldReader) -> str | None:
    """Return what an object says of an error; None where it says of none."""
    for name in _ERRORS:
        told = parsed(node.get(name))
        if is_object(told):
            told = next((told[key] for key in ("message", "detail", "type", "code") if told.get(key)), told)
        if told:
            return "error" if told is True else as_text(told)
    return None


def _failure(node: FieldReader) -> str | None:
    """Return the error, or the status, that says that a call failed."""
    return _error(node) or _status(node)


def _status(node: FieldReader) -> str | None:
    """Return a status that says that a call failed."""
    status = node.get("status_code", "statusCode", "status")
    if isinstance(status, int) and not isinstance(status, bool) and status >= _LEAST_HTTP_ERROR:
        return f"HTTP {status}"
    return status if isinstance(status, str) and status.lower() in _FAILED_STATUS else None


def _name(scopes: Sequence[FieldReader], names: Sequence[str]) -> str | None:
    """Return the first id among some objects that is a text or a whole number."""
    values: Iterator[Any] = (each.value.get(name) for name in names for each in scopes)
    return next((str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool) and v != ""), None)  # fmt: skip


def _time(scopes: Sequence[FieldReader]) -> float | None:
    for name in _TIMES:
        for each in scopes:
            value = each.value.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            if isinstance(value, str):
                try:
                    told = datetime.fromisoformat(value)
                except ValueError:
                    continue
                return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    return None
