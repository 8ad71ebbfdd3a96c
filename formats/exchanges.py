"""Model calls of a log: request, answer and session, in any usual wrapper.

The request is the line itself or under ``request``, ``req``, ``input``, ``inputs``, ``prompt``, ``body``, ``request_body``, ``kwargs``; the
answer under ``response``, ``res``, ``output``, ``outputs``, ``completion``, ``response_body``, ``result``, ``reply``, ``choices``. Both may be
inside ``data``, ``payload``, ``record``, ``event``, ``log``, ``entry``, ``body``, ``message``, as objects or JSON text. An answer is
a completion (``choices``), a response (``output``), candidates, messages, or a text. ``session_id`` (``conversation_id``,
``thread_id``, ``chat_id``) is the case's id, ``user`` its cluster, ``metadata`` its tags.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import msgspec

from ..errors import RecordError
from ..records import TagValue
from ..tables.column_names import SESSIONS
from .calls import are_messages, role_of
from .field_reader import FieldReader
from .file_rows import FileRow
from .imported_records import FilePosition
from .imported_scores import ImportedScore
from .json_values import as_text, is_list, is_object, parsed, tags_of
from .logged_answer import answers_in, beyond_request, bodies_of, is_cut_off, response_in
from .logged_messages import says_something
from .logged_request import REQUESTS, RESPONSES, asked_messages, request_in, scopes_of
from .tool_documents import tools_in

_TIME_FIELDS = ("turn", "turn_index", "seq", "sequence", "timestamp", "time", "ts", "created_at", "createdAt", "created", "start_time", "startTime")  # fmt: skip
_ERROR_FIELDS = ("error", "exception", "error_message", "err")
_FAILED_STATUSES = frozenset({"error", "failed", "failure", "timeout", "timed_out", "exception"})
_MIN_HTTP_ERROR = 400


def error_in(node: FieldReader) -> str | None:
    """Return the error that an object reports, or None if there is none."""
    for name in _ERROR_FIELDS:
        error = parsed(node.get(name))
        if is_object(error):
            error = next(
                (error[key] for key in ("message", "detail", "type", "code") if error.get(key)), error
            )
        if error:
            return "error" if error is True else as_text(error)
    return None


def failure_in(node: FieldReader) -> str | None:
    """Return the error of a failed call, else its status, or None if it did not fail."""
    return error_in(node) or failed_status(node)


def failed_status(node: FieldReader) -> str | None:
    """Return the status of a failed call, or None for any other status."""
    status = node.get("status_code", "statusCode", "status")
    if isinstance(status, int) and not isinstance(status, bool) and status >= _MIN_HTTP_ERROR:
        return f"HTTP {status}"
    return status if isinstance(status, str) and status.lower() in _FAILED_STATUSES else None


def first_name(scopes: Sequence[FieldReader], names: Sequence[str]) -> str | None:
    """Return the first id under these names in some objects: a text, or a whole number as text."""
    values: Iterator[Any] = (scope.value.get(name) for name in names for scope in scopes)
    return next(
        (
            str(value)
            for value in values
            if isinstance(value, str | int) and not isinstance(value, bool) and value != ""
        ),
        None,
    )


def time_in(scopes: Sequence[FieldReader]) -> float | None:
    """Return the time of a call, or its number in its session."""
    for name in _TIME_FIELDS:
        for scope in scopes:
            value = scope.value.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            if isinstance(value, str):
                try:
                    time = datetime.fromisoformat(value)
                except ValueError:
                    continue
                return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return None


_USER_FIELDS = ("user_id", "userId", "user", "end_user")
_ID_FIELDS = ("custom_id", "id", "request_id", "requestId")
_EXPECTED_CALL_FIELDS = ("expected_calls", "expected_tool_calls", "reference_tool_calls")


class Exchange(msgspec.Struct, kw_only=True):
    """One call of a model.

    Attributes:
        messages: The conversation up to the answer.
        choices: The answers, each as messages of the agent; several are attempts at one request.
        answered: Whether the line has a field for an answer, even an empty one.
        error: The reason for a missing answer.
        cut_off: Whether the answer ended at the token limit.
        time: Order within a session, or None if unknown.
        trial: Number of the attempt, if the line has one.
        scores: Scores of the answer in the same line.
    """

    position: FilePosition
    number: int
    messages: list[FieldReader]
    choices: list[list[FieldReader]] = []
    answered: bool = False
    error: str | None = None
    cut_off: bool = False
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
    trial: int | None = None
    scores: list[ImportedScore] = []

    @property
    def has_failed(self) -> bool:
        """True if the exchange ended with an error and without an answer."""
        return self.error is not None and not any(
            says_something(message) for choice in self.choices for message in choice
        )

    @property
    def answers(self) -> bool:
        """True if the line has an answer, perhaps as the last of its messages."""
        return bool(self.choices) or (bool(self.messages) and role_of(self.messages[-1]) == "assistant")


def is_exchange(value: Any, *, plain: bool = True) -> bool:
    """Return whether a line is an exchange with a model.

    An exchange has a request with chat messages or, if ``plain``, columns for session, question and answer.
    """
    if not is_object(value):
        return False
    try:
        scopes = scopes_of(FieldReader(value))
        inner = scopes[-1]
        request = request_in(inner)
    except RecordError:
        return False
    if request is None or (request is scopes[0] and not plain):
        return False
    if first_name(scopes, SESSIONS) is not None and any(name in inner for name in RESPONSES):
        return True
    if request is scopes[0] and not is_object(response_in(inner, request)[1]):
        return False  # these are columns of a table, whose other columns become tags
    return any(are_messages(parsed(request.get(name))) for name in ("messages", "contents", *REQUESTS))


def exchange_of(row: FileRow) -> Exchange:
    """Return the exchange in a line.

    Raises:
        RecordError: The line has no messages.
    """
    line = FieldReader({"messages": row.value}, row.at) if is_list(row.value) else row.node
    scopes = scopes_of(line)
    inner = scopes[-1]
    request = request_in(inner)
    if request is None and (first_name(scopes, SESSIONS) is None or not any(map(failure_in, scopes))):
        raise line.refuse("messages", "a list of messages")
    messages = [] if request is None else asked_messages(request)
    request = request or FieldReader({})
    field, response = response_in(inner, request)
    choices = [
        beyond_request(messages, choice) for choice in answers_in(response, inner.path(field or "response"))
    ]
    bodies = bodies_of(response)
    answered = any(says_something(message) for choice in choices for message in choice)
    error = _error_of([*scopes, *bodies], answered=answered)
    if not (messages or answered or error):
        raise RecordError("there is no message", field=line.path("messages"))
    metadata_objects = (scope.object_in("metadata") for scope in [*scopes, request])
    metadata = [FieldReader(fields) for fields in metadata_objects if fields]
    objects_with_ids = [*scopes, *metadata, request]
    exchange = Exchange(
        position=row.position,
        number=row.number,
        messages=messages,
        choices=choices,
        answered=field is not None,
        error=error,
        cut_off=is_cut_off(response),
        id=first_name(scopes, _ID_FIELDS) or "",
        session=first_name(objects_with_ids, SESSIONS),
        cluster=first_name(objects_with_ids, _USER_FIELDS),
        model=request.text("model") or first_name([*scopes, *bodies], ("model", "modelId", "modelVersion")),
        tools=tools_in(request) or tools_in(inner),
        tags={name: value for scope in metadata for name, value in tags_of(scope.value).items()},
        time=time_in([*scopes, *bodies]),
    )
    for scope in scopes:
        _add_references(exchange, scope)
    return exchange


def _error_of(reports: Sequence[FieldReader], *, answered: bool) -> str | None:
    statuses: Iterable[str | None] = () if answered else map(failed_status, reports)
    return next((error for error in chain(map(error_in, reports), statuses) if error is not None), None)


def _add_references(exchange: Exchange, scope: FieldReader) -> None:
    """Add the reference in a call's line: expected calls, accepted answers, context, criterion."""
    calls, accepted = scope.unpacked(*_EXPECTED_CALL_FIELDS), scope.unpacked("accepted_answers")
    context = scope.unpacked("context", "contexts", "search_results", "retrieved_contexts")
    if is_list(calls):
        exchange.expected_calls = calls
    if accepted is not None:
        exchange.accepted = accepted
    if context is not None:
        exchange.context = context if is_list(context) else [context]
    exchange.criterion = scope.text("criterion") or exchange.criterion
