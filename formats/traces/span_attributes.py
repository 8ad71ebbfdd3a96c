"""Content of a span from its attributes and events, in any of the `conventions`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...records import Message
from ..calls import lacks_arguments, messages_of, split_question
from ..field_reader import FieldReader
from ..json_values import is_list, is_object, parsed, tags_of
from .attributes import AttributeReader
from .conventions import (
    AGENT_NAMES,
    ANSWERING_MODELS,
    ASKED_MODELS,
    CREW_QUESTION,
    CREW_TASKS_GIVEN,
    INVOCATIONS,
    KINDS,
    MESSAGE_EVENTS,
    MODEL_INPUTS,
    MODEL_OUTPUTS,
    MODEL_TELLS,
    NO_MODEL,
    NO_TOOLS,
    RUN_ANSWERS,
    RUN_CONVERSATIONS,
    RUN_INPUTS,
    RUN_MESSAGES,
    RUN_OUTPUTS,
    SESSIONS,
    SPLIT_ANSWER,
    SWITCHES,
    TOOL_ARGUMENTS,
    TOOL_DEFINITIONS,
    TOOL_IDS,
    TOOL_NAMES,
    TOOL_RESULTS,
    AttributeSource,
    SpanKind,
)
from .model_calls import reply_messages, request_messages, request_of
from .recorded_content import has_content, recorded
from .spans import Span, add_call

_OPERATION = "gen_ai.operation.name"
_RESPONSE_ID = "gen_ai.response.id"


def fill_span(
    span: Span, attributes: Mapping[str, Any], events: Iterable[tuple[str, dict[str, Any]]], name: str = ""
) -> None:
    """Fill a span from its attributes and events.

    Args:
        span: The span; what it has already stays if the attributes say nothing of it.
        attributes: The attributes by name, with plain values.
        events: The events by name, each with its attributes.
        name: The span's name.
    """
    node = AttributeReader({key: value for key, value in attributes.items() if recorded(value) is not None})
    span.kind = _kind(node, span.kind)
    span.switch = span.switch or switch_of([*attributes])
    span.session = _first_name(node, SESSIONS) or span.session
    span.system = _first_text(node, AGENT_NAMES) or span.system
    span.model = _asked_model(node) or _first_text(node, ANSWERING_MODELS) or span.model
    span.tags = {**span.tags, **_tags(node)}
    span.tools = _tools(node) or span.tools
    if span.kind == "tool":
        _read_tool(span, node, name)
    else:
        _read_run(span, node)
    span.documents = [*span.documents, *_documents(node)]
    if span.kind in {"llm", "agent", "other"}:
        _read_messages(span, node)
    for event, fields in events:
        _read_event(span, event, AttributeReader(fields, event))


def switch_of(names: Iterable[str]) -> str | None:
    """Return what switches the recording on, from names of instrumentations and attributes."""
    known = [*names]
    return next((switch for start, switch in SWITCHES if any(name.startswith(start) for name in known)), None)


def without_stack(message: str | None) -> str | None:
    """Return an error's message without the stack that some instrumentations write behind it."""
    return None if message is None else message.partition("Traceback (most recent call last)")[0].strip()


def _kind(node: AttributeReader, known: SpanKind) -> SpanKind:
    for name, kinds in KINDS:
        value = node.decoded(name)
        kind = kinds.get(str(value)) or kinds.get(str(value).lower())
        if kind is not None:
            return kind
    if (
        known == "other"
        and node.get(_OPERATION) not in NO_MODEL
        and any(tell in node for tell in MODEL_TELLS)
    ):
        return "llm"
    return known


def _first_text(node: AttributeReader, names: Iterable[str]) -> str | None:
    values = (node.decoded(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def _first_name(node: AttributeReader, names: Iterable[str]) -> str | None:
    values = (node.decoded(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int) and value != ""), None)


def _asked_model(node: AttributeReader) -> str | None:
    """Return the model of a request, which alone names it if the call failed."""
    named = _first_text(node, ASKED_MODELS)
    requests = (request_of(node.decoded(name)) for name in INVOCATIONS)
    models = (request.get("model", request.get("model_name")) for request in requests)
    return named or next((model for model in models if isinstance(model, str) and model), None)


def _tags(node: AttributeReader) -> dict[str, Any]:
    response = node.name(_RESPONSE_ID)
    tags = tags_of(node.object_in("metadata"))
    return tags if response is None else {_RESPONSE_ID: response, **tags}


def _tools(node: AttributeReader) -> list[dict[str, Any]]:
    for source in TOOL_DEFINITIONS:
        found = _listed(node, source)
        inner = (each.get("tool", each) if is_object(each) else parsed(each) for each in found)
        schemas = (parsed(each.get("json_schema", each)) if is_object(each) else each for each in inner)
        tools = [_with_parsed_fields(schema) for schema in schemas if is_object(schema)]
        if tools:
            return tools
    requests = (request_of(node.decoded(name)).get("tools") for name in INVOCATIONS)
    return next(
        (request for request in requests if is_list(request) and all(map(is_object, request))), list[Any]()
    )


def _with_parsed_fields(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool with its schema as an object, which OpenLLMetry writes as JSON text."""
    return {**tool, "parameters": parsed(tool["parameters"])} if "parameters" in tool else tool


def _listed(node: AttributeReader, source: AttributeSource) -> list[Any]:
    if source.form == "indexed":
        return node.listed(source.attribute)
    value = node.decoded(source.attribute)
    return [parsed(each) for each in value] if is_list(value) else []


def _documents(node: AttributeReader) -> Iterator[Any]:
    for item in node.listed("retrieval.documents"):
        yield FieldReader(item, "retrieval.documents").node("document").value


def _read_tool(span: Span, node: AttributeReader, name: str) -> None:
    tool = _first_text(node, TOOL_NAMES) or name.removeprefix("execute_tool ")
    if tool in NO_TOOLS:
        span.kind = "other"
        return
    arguments = next((argument for argument in TOOL_ARGUMENTS if argument in node), None)
    result = next((tool_result for tool_result in TOOL_RESULTS if tool_result in node), None)
    add_call(
        span,
        tool,
        None if arguments is None else node.value[arguments],
        has_arguments=arguments is not None,
        identity=_first_name(node, TOOL_IDS),
    )
    if result is not None:
        span.output, span.has_output = node.decoded(result), True


def _read_run(span: Span, node: AttributeReader) -> None:
    """Read what a model, an agent or a chain was given, and what came of it."""
    given = next((input_ for input_ in RUN_INPUTS if input_ in node), None)
    returned = next((output for output in RUN_OUTPUTS if output in node), None)
    if given is not None:
        span.input = _value(node, given)
    elif tasks := [each for each in _listed(node, CREW_TASKS_GIVEN) if is_object(each)]:
        span.input = "\n\n".join(str(task[CREW_QUESTION]) for task in tasks if CREW_QUESTION in task)
    if returned is not None:
        span.output, span.has_output = _value(node, returned), True
    if span.kind == "retriever" and is_list(span.output) and not span.documents:
        span.documents = span.output


def _value(node: AttributeReader, name: str) -> Any:
    """Return a value: text of a user or a model stays text if its type says so."""
    value, kind = node.value[name], node.get(f"{name.removesuffix('.value')}.mime_type")
    return value if kind == "text/plain" else node.decoded(name)


def _read_messages(span: Span, node: AttributeReader) -> None:
    is_model = span.kind == "llm"
    span.instructions = _with_system(node, []) or span.instructions
    for source in MODEL_INPUTS if is_model else RUN_MESSAGES:
        if asked := _asked(node, source):
            told = [each for each in span.messages if each.get("role") == "system"]  # by an event of its own
            span.messages = _with_system(node, told + asked)
            span.has_messages = span.has_messages or source.form != "call"
            break
    for source in MODEL_OUTPUTS if is_model else RUN_ANSWERS:
        if source.attribute not in node and not (source.form == "indexed" and _listed(node, source)):
            continue
        if answers := _answers(node, source):
            _add_answers(span, answers)
            span.has_messages = span.has_messages or source.form != "call"
            break
        span.has_output = True
    if (
        is_model
        and not span.output_messages
        and (held := [literal for literal in SPLIT_ANSWER if literal in node])
    ):
        text, calls = node.get(SPLIT_ANSWER[0]), node.decoded(SPLIT_ANSWER[1])
        message = {
            "role": "assistant",
            "content": text if SPLIT_ANSWER[0] in held else None,
            "tool_calls": calls,
        }
        _add_answers(
            span, [FieldReader({name: value for name, value in message.items() if value is not None})]
        )
        span.has_messages = True
    whole = next((each for name in RUN_CONVERSATIONS if (each := _asked(node, name))), list[Message]())
    if whole and not is_model:
        asked, done = split_question([FieldReader(each) for each in whole])
        span.messages = span.messages or _with_system(node, [reader.value for reader in asked])
        if done and not span.output_messages:
            _add_answers(span, done)


def _with_system(node: AttributeReader, asked: list[Message]) -> list[Message]:
    system = node.decoded("gen_ai.system_instructions")
    if is_list(system):
        return messages_of([{"role": "system", "parts": system}]) + asked
    return [{"role": "system", "content": system}, *asked] if isinstance(system, str) else asked


def _asked(node: AttributeReader, source: AttributeSource) -> list[dict[str, Any]]:
    if source.form == "call":
        return request_messages(node.decoded(source.attribute)) if source.attribute in node else []
    value = (
        _indexed(node, source.attribute)
        if source.form == "indexed"
        else recorded(node.decoded(source.attribute))
    )
    return messages_of(value, source.attribute) if value and _are_recorded(value) else []


def _answers(node: AttributeReader, source: AttributeSource) -> list[FieldReader]:
    if source.form == "call":
        return reply_messages(node.get(source.attribute))
    if source.form == "indexed":
        return _spoken(_indexed(node, source.attribute), source.attribute)
    return _spoken(node.decoded(source.attribute), source.attribute)


def _spoken(value: Any, at: str) -> list[FieldReader]:
    """Return an agent's messages."""
    if isinstance(value, str):
        return [FieldReader({"role": "assistant", "content": value})]
    items: list[Any] = value if is_list(value) else [value]
    return [FieldReader({"role": "assistant", **FieldReader(item, at).value}, at) for item in items]


def _indexed(node: AttributeReader, prefix: str) -> list[dict[str, Any]]:
    return [_message(item) for item in node.listed(prefix)]


def _message(value: Any) -> dict[str, Any]:
    """Return a message in the chat API's form, without placeholders of hidden content."""
    outer = FieldReader(value, "message")
    message = outer.node("message") if "message" in outer else outer
    plain = {
        name: message.value[name]
        for name in ("role", "content", "tool_call_id", "tool_calls", "refusal")
        if recorded(message.value.get(name)) is not None
    }
    if "contents" in message:
        parts = [*map(_part, message.nodes("contents"))]
        has_calls = bool(plain.get("tool_calls"))
        plain["content"] = [part for part in parts if not (has_calls and part.get("type") == "tool_use")]
    elif is_list(blocks := parsed(plain.get("content"))) and all(map(_is_part, blocks)):
        plain["content"] = blocks
    if "function_call_name" in message:
        plain["function_call"] = {
            "name": message.get("function_call_name"),
            "arguments": message.get("function_call_arguments_json") or {},
        }
    return plain


def _part(part: FieldReader) -> dict[str, Any]:
    """Return a part of a message, without placeholders; a call beside it is its own."""
    held: dict[str, Any] = part.value.get("message_content", part.value)
    call = part.value.get("tool_call")
    plain = {name: value for name, value in FieldReader(held).value.items() if recorded(value) is not None}
    return plain | ({"tool_call": call} if is_object(call) else {})


def _is_part(value: Any) -> bool:
    return is_object(value) and isinstance(value.get("type"), str)


def _are_recorded(messages: Any) -> bool:
    """Return whether the contents of messages were recorded; texts instead of messages were."""
    items: list[Any] = messages if is_list(messages) else [messages]
    return all(has_content(FieldReader(item)) for item in items if is_object(item))


def _add_answers(span: Span, answers: list[FieldReader]) -> None:
    span.output_messages = [*span.output_messages, *answers]
    span.has_output = all(map(has_content, span.output_messages))
    span.has_arguments = not any(map(lacks_arguments, span.output_messages))


def _read_event(span: Span, name: str, event: AttributeReader) -> None:
    if name == "exception":
        said = without_stack(event.text("exception.message"))
        span.exception = said or event.text("exception.type")
    elif span.kind == "tool":
        _read_tool_event(span, name, event)
    elif name in MESSAGE_EVENTS:
        _read_message_event(span, name, event)
    elif name == "gen_ai.choice":
        _read_choice(span, event)
    elif name == "gen_ai.content.prompt":
        span.messages = messages_of(event.decoded("gen_ai.prompt"), name)
    elif name == "gen_ai.content.completion" and "gen_ai.completion" in event:
        _add_answers(span, _spoken(event.decoded("gen_ai.completion"), name))
    elif name == "gen_ai.client.inference.operation.details":
        span.kind = _kind(event, span.kind)
        if event.value.keys() == {"gen_ai.system_instructions"}:
            span.messages = _with_system(event, span.messages)
        _read_messages(span, event)


def _read_tool_event(span: Span, name: str, event: AttributeReader) -> None:
    """Read arguments and result of a tool's span from its events."""
    if name == "gen_ai.tool.message" and span.call is not None and "content" in event:
        identity = span.call.id or event.name("id")
        add_call(span, span.call.call.name, event.get("content"), has_arguments=True, identity=identity)
    elif name == "gen_ai.choice" and "message" in event:
        span.output, span.has_output = event.decoded("message"), True


def _read_message_event(span: Span, name: str, event: AttributeReader) -> None:
    calls, content = event.decoded("tool_calls"), event.decoded("content")
    fields = {**event.value, "role": MESSAGE_EVENTS[name]} | ({"tool_calls": calls} if is_list(calls) else {})
    if is_list(content) and content and all(map(is_object, content)):
        fields["content"] = content
    if "id" in fields and name == "gen_ai.tool.message":
        fields["tool_call_id"] = fields["id"]
    if has_content(FieldReader(fields, name)):
        span.messages = [*span.messages, *messages_of([fields], name)]
    span.kind = "llm" if span.kind == "other" else span.kind


def _read_choice(span: Span, event: AttributeReader) -> None:
    message = event.decoded("message")
    texts = (
        {"content": message or event.get("content")} if {"message", "content"} & event.value.keys() else {}
    )
    held = message if is_object(message) else texts
    calls = event.decoded("tool_calls")
    if is_list(calls):
        held = {**held, "tool_calls": calls}
    _add_answers(span, _spoken(held, "gen_ai.choice"))
    span.kind = "llm" if span.kind == "other" else span.kind
