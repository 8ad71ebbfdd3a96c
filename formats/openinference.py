"""OpenInference's conventions on a span: attributes flattened by index, and evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .attributes import unflattened
from .calls import call_of, messages_of
from .field_reader import FieldReader
from .imported_scores import ImportedScore, scored, unscored
from .json_values import is_arguments, is_object, parsed, tags_of
from .recorded_content import has_content, recorded
from .spans import Span, SpanKind

_KINDS: dict[str, SpanKind] = {
    "LLM": "llm",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "agent",
    "RETRIEVER": "retriever",
    "RERANKER": "retriever",
}


def openinference_span(
    span: Span, attributes: Mapping[str, Any], events: list[tuple[str, dict[str, Any]]]
) -> None:
    """Fill a span from its attributes."""
    del events
    node = FieldReader(dict(attributes))
    span.kind = _KINDS.get((node.text("openinference.span.kind") or "").upper(), "other")
    span.input, span.output = _value(node, "input"), _value(node, "output")
    asked, answered = (_messages(node, f"llm.{side}_messages") for side in ("input", "output"))
    span.messages = messages_of([each.value for each in asked]) if all(map(has_content, asked)) else []
    span.output_messages = answered
    span.has_output = recorded(node.value.get("output.value")) is not None or (
        bool(answered) and all(map(has_content, answered))
    )
    span.system = node.text("agent.name", "llm.model_name", "llm.request.model_name") or _asked_model(node)
    span.session = node.name("session.id")
    span.documents = [_document(item) for item in unflattened(node.value, "retrieval.documents")]
    span.tools = list(_tools(node))
    span.tags = {**span.tags, **tags_of(node.object_in("metadata"))}
    if span.kind == "tool" and node.get("tool.name") is not None:
        given = (recorded(node.get(name)) for name in ("input.value", "tool.parameters"))
        inputs = parsed(next((each for each in given if each is not None), None))
        span.has_arguments = inputs is not None
        arguments = inputs if is_arguments(inputs) else {}
        name, identity = node.text("tool.name"), node.name("tool.id", "tool_call.id")
        span.call = call_of({"name": name, "arguments": arguments, "id": identity}, "tool")


def evaluations_of(attributes: Mapping[str, Any]) -> list[Any]:
    """Return the evaluations among a span's attributes."""
    groups = ("evaluations", "annotations", "trace.evaluations", "trace.annotations")
    return [each for group in groups for each in unflattened(dict(attributes), group)]


def _asked_model(node: FieldReader) -> str | None:
    """Return the model of a request, which alone names it if the call failed."""
    parameters = parsed(node.get("llm.invocation_parameters"))
    model = parameters.get("model") if is_object(parameters) else None
    return model if isinstance(model, str) else None


def _value(node: FieldReader, name: str) -> Any:
    value = recorded(node.get(f"{name}.value"))
    return parsed(value) if node.get(f"{name}.mime_type") == "application/json" else value


def _messages(node: FieldReader, name: str) -> list[FieldReader]:
    return [FieldReader(_message(item), name) for item in unflattened(node.value, name)]


def _message(value: Any) -> dict[str, Any]:
    """Return a message in the chat API's form, without placeholders of hidden content."""
    message = FieldReader(value, "message").node("message")
    plain = {
        name: message.value[name]
        for name in ("role", "content", "tool_call_id", "tool_calls")
        if recorded(message.value.get(name)) is not None
    }
    if "contents" in message:
        parts = (part.node("message_content").value for part in message.nodes("contents"))
        plain["content"] = [
            {name: held for name, held in part.items() if recorded(held) is not None} for part in parts
        ]
    if "function_call_name" in message:
        plain["function_call"] = {
            "name": message.get("function_call_name"),
            "arguments": message.get("function_call_arguments_json") or {},
        }
    return plain


def _document(value: Any) -> dict[str, Any]:
    return FieldReader(value, "retrieval.documents").node("document").value


def _tools(node: FieldReader) -> Iterator[dict[str, Any]]:
    for item in unflattened(node.value, "llm.tools"):
        schema = parsed(FieldReader(item, "llm.tools").node("tool").get("json_schema"))
        if is_object(schema):
            yield schema


def openinference_score(evaluation: Any) -> ImportedScore:
    """Return the score of an evaluation."""
    outer = FieldReader(evaluation, "evaluations")
    inner = outer.node("evaluation", "annotation")
    by, label = inner.need("name"), inner.text("label")
    is_human = (inner.text("annotator_kind") or "").upper() == "HUMAN"
    source, identifier = "human" if is_human else "judge", inner.text("identifier")
    if is_human and identifier:
        by = f"{identifier}/{by}"
    value, reason = inner.value.get("score"), inner.text("explanation")
    if value is None and label is None:
        return unscored(by, "not_applicable", reason or "the evaluation has no score", source=source)
    return scored(
        by,
        label if value is None else value,
        reason=reason,
        source=source,
        field="evaluation.score",
        written="numbers" if value is not None else "any",
        evidence={"label": label, "identifier": identifier},
    )
