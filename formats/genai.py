"""OpenTelemetry's GenAI conventions on a span: attributes, events, or flattened keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .attributes import unflattened
from .calls import call_of, lacks_arguments, messages_of
from .field_reader import FieldReader
from .json_values import is_list, is_object, parsed
from .recorded_content import has_content
from .spans import Span, SpanKind

_KINDS: dict[str, SpanKind] = {
    "chat": "llm",
    "generate_content": "llm",
    "text_completion": "llm",
    "completion": "llm",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "agent",
    "invoke_workflow": "agent",
    "plan": "agent",
    "retrieval": "retriever",
    "embeddings": "other",
}

_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
"""Events that hold one message each, by its role."""


_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion")


def genai_span(span: Span, attributes: Mapping[str, Any], events: list[tuple[str, dict[str, Any]]]) -> None:
    """Fill a span from its attributes and events."""
    node = FieldReader(dict(attributes))
    span.kind = _kind(attributes, span.kind)
    span.system = (
        node.text("gen_ai.agent.name", "gen_ai.response.model", "gen_ai.request.model") or span.system
    )
    span.session = node.name("gen_ai.conversation.id", "session.id") or span.session
    response = node.name("gen_ai.response.id")
    if response is not None:
        span.tags = {**span.tags, "gen_ai.response.id": response}
    if span.kind == "tool" and "gen_ai.tool.name" in node:
        arguments = parsed(node.get("gen_ai.tool.call.arguments"))
        given: dict[str, Any] = {
            "name": node.text("gen_ai.tool.name"),
            "arguments": {} if arguments is None else arguments,
            "id": node.name("gen_ai.tool.call.id"),
        }
        span.call = call_of(given, "gen_ai.tool.call")
        span.has_arguments = "gen_ai.tool.call.arguments" in node
        span.output = parsed(node.get("gen_ai.tool.call.result"))
    _read_attributes(span, node)
    for name, fields in events:
        _read_event(span, name, FieldReader(fields, name))


def _kind(attributes: Mapping[str, Any], known: SpanKind) -> SpanKind:
    kind = _KINDS.get(str(attributes.get("gen_ai.operation.name")))
    if kind is not None:
        return kind
    tells = ("gen_ai.request.model", "gen_ai.prompt", "gen_ai.prompt.0.role", "gen_ai.completion")
    return "llm" if any(name in attributes for name in tells) else known


def _read_attributes(span: Span, node: FieldReader) -> None:
    system = parsed(node.get("gen_ai.system_instructions"))
    inputs = parsed(node.get("gen_ai.input.messages", "gen_ai.prompt")) or unflattened(
        node.value, "gen_ai.prompt"
    )
    if inputs and _are_recorded(inputs):
        messages = messages_of(inputs, "gen_ai.input.messages")
        if is_list(system):
            messages = messages_of([{"role": "system", "parts": system}]) + messages
        elif isinstance(system, str):
            messages = [{"role": "system", "content": system}, *messages]
        span.messages = messages
    done = parsed(node.get(*_OUTPUTS)) or unflattened(node.value, "gen_ai.completion")
    if done:
        _add_answers(span, _answers(done, "gen_ai.output.messages"))
    span.has_output = span.has_output or (not done and any(name in node for name in _OUTPUTS))
    tools = parsed(node.get("gen_ai.tool.definitions"))
    if is_list(tools):
        span.tools = [FieldReader(tool, "gen_ai.tool.definitions").value for tool in tools]


def _are_recorded(messages: Any) -> bool:
    """Return whether the contents of messages were recorded; texts instead of messages were."""
    items = messages if is_list(messages) else [messages]
    return all(has_content(FieldReader(item)) for item in items if is_object(item))


def _add_answers(span: Span, answers: list[FieldReader]) -> None:
    span.output_messages = [*span.output_messages, *answers]
    span.has_output = all(map(has_content, span.output_messages))
    span.has_arguments = not any(map(lacks_arguments, span.output_messages))


def _answers(value: Any, at: str) -> list[FieldReader]:
    if isinstance(value, str):
        return [FieldReader({"role": "assistant", "content": value})]
    items = value if is_list(value) else [value]
    return [FieldReader({"role": "assistant", **FieldReader(item, at).value}, at) for item in items]


def _read_event(span: Span, name: str, event: FieldReader) -> None:
    if name in _EVENTS:
        calls = parsed(event.get("tool_calls"))
        fields = {**event.value, "role": _EVENTS[name]} | ({"tool_calls": calls} if is_list(calls) else {})
        if "id" in fields and name == "gen_ai.tool.message":
            fields["tool_call_id"] = fields["id"]
        if has_content(FieldReader(fields, name)):
            span.messages = [*span.messages, *messages_of([fields], name)]
        span.kind = "llm" if span.kind == "other" else span.kind
    elif name == "gen_ai.choice":
        message = parsed(event.get("message"))
        texts = (
            {"content": message or event.get("content")}
            if {"message", "content"} & event.value.keys()
            else {}
        )
        held = message if is_object(message) else texts
        calls = parsed(event.get("tool_calls"))
        if is_list(calls):
            held = {**held, "tool_calls": calls}
        _add_answers(span, _answers(held, name))
        span.kind = "llm" if span.kind == "other" else span.kind
    elif name == "gen_ai.content.prompt":
        span.messages = messages_of(parsed(event.get("gen_ai.prompt")), name)
    elif name == "gen_ai.content.completion" and "gen_ai.completion" in event:
        _add_answers(span, _answers(parsed(event.get("gen_ai.completion")), name))
    elif name == "gen_ai.client.inference.operation.details":
        _read_attributes(span, event)
