"""A span of a trace, whatever tool recorded it."""

from __future__ import annotations

from typing import Any

import msgspec

from ...records import Message, TagValue
from ..calls import IdentifiedCall, call_of
from ..field_reader import FieldReader
from ..imported_records import FilePosition
from ..imported_scores import ImportedScore
from ..json_values import is_arguments, is_list, is_object
from ..printed_lists import printed_object
from .conventions import SpanKind
from .model_calls import reply_messages, request_messages, request_of, unwrapped


class Span(msgspec.Struct, kw_only=True):
    """One span of a trace; fields that are not listed have the meaning of those of `Example`.

    Attributes:
        trace: The trace's id, or "" if unknown.
        parent: The id of its parent span.
        start: Time of its start, as text that sorts in order.
        messages: The input messages.
        output_messages: The output messages.
        instructions: System messages, if they were recorded apart from the input.
        input: The input, if it is not messages.
        output: The result, if it is not messages.
        has_output: Whether its output was recorded, even if it is empty.
        call: The call of a tool span.
        has_arguments: Whether the arguments of its calls were recorded, even if there are none.
        model: The model that was asked.
        bare: The input of a tool, if it is no object of arguments.
        exception: The message of an exception event.
        switch: The setting that switches on the recording of content.
        has_messages: Whether its messages were recorded one by one, rather than as a request and a reply.
        documents: The retrieved documents.
        session: The id of its conversation.
        case: The case's id, if it is not the trace's.
    """

    id: str
    position: FilePosition
    trace: str = ""
    parent: str | None = None
    kind: SpanKind = "other"
    start: str = ""
    messages: list[Message] = []
    output_messages: list[FieldReader] = []
    instructions: list[Message] = []
    input: Any = None
    output: Any = None
    has_output: bool = False
    call: IdentifiedCall | None = None
    has_arguments: bool = True
    tools: list[dict[str, Any]] = []
    documents: list[Any] = []
    system: str | None = None
    model: str | None = None
    bare: Any = None
    exception: str | None = None
    switch: str | None = None
    has_messages: bool = False
    error: str | None = None
    accepted: list[str] = []
    criterion: str | None = None
    session: str | None = None
    case: str | None = None
    tags: dict[str, TagValue] = {}
    scores: list[ImportedScore] = []


def add_call(
    span: Span, name: str, arguments: Any, *, has_arguments: bool, identity: str | None = None
) -> None:
    """Set the call of a tool's span, with arguments out of their wrappers."""
    tool_input = printed_object(unwrapped(arguments))
    span.call = call_of(
        {"name": name, "arguments": tool_input if is_arguments(tool_input) else {}, "id": identity}, "tool"
    )
    span.bare = None if is_arguments(tool_input) and not isinstance(tool_input, str) else tool_input
    span.has_arguments = has_arguments


def read_call(span: Span, request: Any, reply: Any) -> None:
    """Read a request to a model and its reply into a span, in the form of any API."""
    fields = request_of(request)
    span.messages = request_messages(request)
    span.output_messages = reply_messages(reply)
    tools = fields.get("tools")
    if is_list(tools) and all(map(is_object, tools)):
        span.tools = span.tools or tools
    model = fields.get("model")
    span.model = span.model or (model if isinstance(model, str) else None)
