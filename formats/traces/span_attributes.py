"""Content of a span from its attributes and events, in any of the `conventions`.

`fill_span` reads the attributes by the span's kind: a tool's arguments and result, a model's messages, or a run's input and
output. Events add to it or replace it. Hidden content is left out; see `recorded_content`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...records import Message
from ..calls import lacks_arguments, messages_of, split_question
from ..field_reader import FieldReader
from ..json_values import is_list, is_object, is_text_in, parsed, tags_of
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
        span: The span. Its fields stay as they are if no attribute says otherwise.
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
    """Return the setting that switches recording on, by names of instrumentations or attributes."""
    listed_names = [*names]
    return next(
        (switch for start, switch in SWITCHES if any(name.startswith(start) for name in listed_names)), None
    )


def without_stack(message: str | None) -> str | None:
    """Return an error's message without the stack trace that some instrumentations append."""
    return None if message is None else message.partition("Traceback (most recent call last)")[0].strip()


def _kind(node: AttributeReader, earlier_kind: SpanKind) -> SpanKind:
    for name, kinds in KINDS:
        value = node.decoded(name)
        kind = kinds.get(str(value)) or kinds.get(str(value).lower())
        if kind is not None:
            return kind
    if earlier_kind != "other":
        return earlier_kind
    is_chat = not is_text_in(node.get(_OPERATION), NO_MODEL) and any(tell in node for tell in MODEL_TELLS)
    return "llm" if is_chat else earlier_kind


def _first_text(node: AttributeReader, names: Iterable[str]) -> str | None:
    values = (node.decoded(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def _first_name(node: AttributeReader, names: Iterable[str]) -> str | None:
    values = (node.decoded(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int) and value != ""), None)


def _asked_model(node: AttributeReader) -> str | None:
    """Return the model that was asked, the only one that a failed call names."""
    model_attribute = _first_text(node, ASKED_MODELS)
    requests = (request_of(node.decoded(name)) for name in INVOCATIONS)
    models = (request.get("model", request.get("model_name")) for request in requests)
    return model_attribute or next((model for model in models if isinstance(model, str) and model), None)


def _tags(node: AttributeReader) -> dict[str, Any]:
    response = node.name(_RESPONSE_ID)
    tags = tags_of(node.object_in("metadata"))
    return tags if response is None else {_RESPONSE_ID: response, **tags}


def _tools(node: AttributeReader) -> list[dict[str, Any]]:
    for source in TOOL_DEFINITIONS:
        items = _read_list(node, source)
        # OpenInference wraps each tool twice: {"tool": {"json_schema": ...}}.
        unwrapped = (item.get("tool", item) if is_object(item) else parsed(item) for item in items)
        schemas = (parsed(item.get("json_schema", item)) if is_object(item) else item for item in unwrapped)
        tools = [_with_parsed_fields(schema) for schema in schemas if is_object(schema)]
        if tools:
            return tools
    offers = (request_of(node.decoded(name)).get("tools") for name in INVOCATIONS)
    return next((offer for offer in offers if is_list(offer) and all(map(is_object, offer))), list[Any]())


def _with_parsed_fields(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool whose parameters are an object; OpenLLMetry writes them as JSON text."""
    return {**tool, "parameters": parsed(tool["parameters"])} if "parameters" in tool else tool


def _read_list(node: AttributeReader, source: AttributeSource) -> list[Any]:
    """Return the items of numbered attributes, or of an attribute that is a list."""
    if source.form == "indexed":
        return node.listed(source.attribute)
    value = node.decoded(source.attribute)
    return [parsed(item) for item in value] if is_list(value) else []


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
    """Read the input and the output of a model, an agent or a chain."""
    input_attribute = next((name for name in RUN_INPUTS if name in node), None)
    output_attribute = next((name for name in RUN_OUTPUTS if name in node), None)
    if input_attribute is not None:
        span.input = _read_value(node, input_attribute)
    elif tasks := [task for task in _read_list(node, CREW_TASKS_GIVEN) if is_object(task)]:
        span.input = "\n\n".join(str(task[CREW_QUESTION]) for task in tasks if CREW_QUESTION in task)
    if output_attribute is not None:
        span.output, span.has_output = _read_value(node, output_attribute), True
    if span.kind == "retriever" and is_list(span.output) and not span.documents:
        span.documents = span.output


def _read_value(node: AttributeReader, name: str) -> Any:
    value, mime_type = node.value[name], node.get(f"{name.removesuffix('.value')}.mime_type")
    return value if mime_type == "text/plain" else node.decoded(name)


def _read_messages(span: Span, node: AttributeReader) -> None:
    is_model = span.kind == "llm"
    span.instructions = _with_system(node, []) or span.instructions
    for source in MODEL_INPUTS if is_model else RUN_MESSAGES:
        if messages := _input_messages(node, source):
            # Instructions that came in an event of their own stay in front.
            instructions = [message for message in span.messages if message.get("role") == "system"]
            span.messages = _with_system(node, instructions + messages)
            span.has_messages = span.has_messages or source.form != "call"
            break
    for source in MODEL_OUTPUTS if is_model else RUN_ANSWERS:
        if source.attribute not in node and not (source.form == "indexed" and _read_list(node, source)):
            continue
        if answers := _answers(node, source):
            _add_answers(span, answers)
            span.has_messages = span.has_messages or source.form != "call"
            break
        span.has_output = True
    text_name, calls_name = SPLIT_ANSWER
    if is_model and not span.output_messages and (text_name in node or calls_name in node):
        message = {
            "role": "assistant",
            "content": node.get(text_name),
            "tool_calls": node.decoded(calls_name),
        }
        _add_answers(
            span, [FieldReader({name: value for name, value in message.items() if value is not None})]
        )
        span.has_messages = True
    conversations = (_input_messages(node, source) for source in RUN_CONVERSATIONS)
    conversation = next(filter(None, conversations), list[Message]())
    if conversation and not is_model:
        question, answer = split_question([FieldReader(message) for message in conversation])
        span.messages = span.messages or _with_system(node, [reader.value for reader in question])
        if answer and not span.output_messages:
            _add_answers(span, answer)


def _with_system(node: AttributeReader, messages: list[Message]) -> list[Message]:
    system = node.decoded("gen_ai.system_instructions")
    if is_list(system):
        return messages_of([{"role": "system", "parts": system}]) + messages
    return [{"role": "system", "content": system}, *messages] if isinstance(system, str) else messages


def _input_messages(node: AttributeReader, source: AttributeSource) -> list[dict[str, Any]]:
    if source.form == "call":
        return request_messages(node.decoded(source.attribute)) if source.attribute in node else []
    value = (
        _indexed_messages(node, source.attribute)
        if source.form == "indexed"
        else recorded(node.decoded(source.attribute))
    )
    return messages_of(value, source.attribute) if value and _are_recorded(value) else []


def _answers(node: AttributeReader, source: AttributeSource) -> list[FieldReader]:
    if source.form == "call":
        return reply_messages(node.get(source.attribute))
    if source.form == "indexed":
        return _assistant_messages(_indexed_messages(node, source.attribute), source.attribute)
    return _assistant_messages(node.decoded(source.attribute), source.attribute)


def _assistant_messages(value: Any, at: str) -> list[FieldReader]:
    """Return texts or messages without a role as an agent's messages."""
    if isinstance(value, str):
        return [FieldReader({"role": "assistant", "content": value})]
    items: list[Any] = value if is_list(value) else [value]
    return [FieldReader({"role": "assistant", **FieldReader(item, at).value}, at) for item in items]


def _indexed_messages(node: AttributeReader, prefix: str) -> list[dict[str, Any]]:
    return [_message(item) for item in node.listed(prefix)]


def _message(value: Any) -> dict[str, Any]:
    """Return a message as the chat API writes it, without placeholders of hidden content."""
    outer = FieldReader(value, "message")
    message = outer.node("message") if "message" in outer else outer
    chat_message = {
        name: message.value[name]
        for name in ("role", "content", "tool_call_id", "tool_calls", "refusal")
        if recorded(message.value.get(name)) is not None
    }
    if "contents" in message:
        parts = [*map(_part, message.nodes("contents"))]
        has_calls = bool(chat_message.get("tool_calls"))
        chat_message["content"] = [
            part for part in parts if not (has_calls and part.get("type") == "tool_use")
        ]
    elif is_list(blocks := parsed(chat_message.get("content"))) and all(map(_is_part, blocks)):
        chat_message["content"] = blocks
    if "function_call_name" in message:
        chat_message["function_call"] = {
            "name": message.get("function_call_name"),
            "arguments": message.get("function_call_arguments_json") or {},
        }
    return chat_message


def _part(part: FieldReader) -> dict[str, Any]:
    """Return a part of a message, with the call that stands beside its content, if any."""
    content: dict[str, Any] = part.value.get("message_content", part.value)
    call = part.value.get("tool_call")
    fields = {
        name: value for name, value in FieldReader(content).value.items() if recorded(value) is not None
    }
    return fields | ({"tool_call": call} if is_object(call) else {})


def _is_part(value: Any) -> bool:
    return is_object(value) and isinstance(value.get("type"), str)


def _are_recorded(messages: Any) -> bool:
    """Return whether the contents of all messages were recorded; a text instead of one was."""
    items: list[Any] = messages if is_list(messages) else [messages]
    return all(has_content(FieldReader(item)) for item in items if is_object(item))


def _add_answers(span: Span, answers: list[FieldReader]) -> None:
    span.output_messages = [*span.output_messages, *answers]
    span.has_output = all(map(has_content, span.output_messages))
    span.has_arguments = not any(map(lacks_arguments, span.output_messages))


def _read_event(span: Span, name: str, event: AttributeReader) -> None:
    if name == "exception":
        message = without_stack(event.text("exception.message"))
        span.exception = message or event.text("exception.type")
    elif span.kind == "tool":
        _read_tool_event(span, name, event)
    elif name in MESSAGE_EVENTS:
        _read_message_event(span, name, event)
    elif name == "gen_ai.choice":
        _read_choice(span, event)
    elif name == "gen_ai.content.prompt":
        span.messages = messages_of(event.decoded("gen_ai.prompt"), name)
    elif name == "gen_ai.content.completion" and "gen_ai.completion" in event:
        _add_answers(span, _assistant_messages(event.decoded("gen_ai.completion"), name))
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
    has_text = not event.value.keys().isdisjoint(("message", "content"))
    text_fields = {"content": message or event.get("content")} if has_text else {}
    answer = message if is_object(message) else text_fields
    calls = event.decoded("tool_calls")
    if is_list(calls):
        answer = {**answer, "tool_calls": calls}
    _add_answers(span, _assistant_messages(answer, "gen_ai.choice"))
    span.kind = "llm" if span.kind == "other" else span.kind
