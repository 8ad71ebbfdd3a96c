"""OpenTelemetry traces in any convention.

A trace is a case; ``gen_ai.evaluation.result`` and OpenInference's evaluations are verdicts on their span. Ids may be hexadecimal (with or
without ``0x``) or base64, numbers texts, names in camel or snake case.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from ..errors import RecordError
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import UNREADABLE, FilePosition, ImportedRecord, Skipped, converted
from .imported_scores import (
    ImportedScore,
    collect_scores,
    outcome_called,
    scored,
    unscored,
    verdict_on_absent_output,
)
from .json_values import is_object, parsed
from .traces.attributes import plain_attributes
from .traces.openinference_scores import evaluations_of, openinference_score
from .traces.span_attributes import fill_span, switch_of, without_stack
from .traces.spans import Span
from .traces.trace_examples import records_of_spans

NAME = "otlp"
ABOUT = "OTLP JSON, spans and events as an SDK prints them; GenAI conventions (old and new), OpenInference, OpenLLMetry, Langfuse, MLflow, Logfire, Vercel's AI SDK"
LOST = "usage, timing, links, resources; evaluations of whole sessions are listed"

EVALUATION = "gen_ai.evaluation.result"
TRACE_TAG, SPAN_TAG = "otel.trace_id", "otel.span_id"
"""Tags with the ids of a case's span, to which verdicts can be sent."""

_Event: TypeAlias = tuple[FilePosition, FieldReader, dict[str, Any]]
"""Position, object and attributes of an event."""

_SPAN_FIELDS = ("context", "event_name", "name", "span_name")
_LOGFIRE_COLUMNS = {
    "name": "span_name",
    "start_time": "start_timestamp",
    "status_code": "otel_status_code",
    "status_message": "otel_status_message",
    "events": "otel_events",
}
"""Columns of Logfire's table of records, by the fields of a span."""

_SPAN_RESOURCES, _LOG_RESOURCES = ("resourceSpans", "resource_spans"), ("resourceLogs", "resource_logs")
_RESOURCE_KEYS = frozenset({*_SPAN_RESOURCES, *_LOG_RESOURCES})
_OPENINFERENCE_KIND = "openinference.span.kind"
_HEX_LENGTHS = frozenset({16, 32})
"""Lengths of the ids of spans and traces."""

_HEX = re.compile("[0-9a-fA-F]+")


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is OTLP, or a span or event."""
    if not is_object(glimpse):
        return False
    if glimpse.keys() & _RESOURCE_KEYS:
        return True
    return "attributes" in glimpse and not glimpse.keys().isdisjoint(_SPAN_FIELDS)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read spans and events; see `Format`."""
    return read_spans(read_rows(path), options)


def read_spans(rows: Iterator[FileRow | Skipped], options: Options) -> Iterator[ImportedRecord]:
    """Read spans and events from the rows of a file; see `read`."""
    spans: dict[tuple[str, str], Span] = {}
    events: list[_Event] = []

    def take(row: FileRow) -> Iterator[ImportedRecord]:
        node = row.node
        attributes = plain_attributes(node)
        if _is_event(node):
            events.append((row.position, node, attributes))
            return
        span = _span(node, attributes, row)
        spans[span.trace, span.id] = span
        yield from collect_scores(
            span.scores,
            _evaluations(node, attributes),
            lambda attributes: [evaluation(attributes)],
            row.position,
        )
        if _OPENINFERENCE_KIND in attributes:
            yield from collect_scores(
                span.scores,
                evaluations_of(attributes),
                lambda score: [openinference_score(score)],
                row.position,
            )

    yield from convert_rows(_flat_records(map(_plain_row, rows)), take)
    # Events come after all spans, since their span may stand in a later row.
    yield from converted(events, lambda event: _attach_event(*event, spans, options), lambda event: event[0])
    yield from records_of_spans(spans.values(), options)


def _flat_records(rows: Iterator[FileRow | Skipped]) -> Iterator[FileRow | Skipped]:
    """Yield spans and log records out of the resources and scopes that contain them."""
    for row in rows:
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            node = row.node
            resources = node.nodes(*_SPAN_RESOURCES) + node.nodes(*_LOG_RESOURCES)
            if not resources and "attributes" in node:
                yield row
                continue
            if not resources and not node.value.keys() & _RESOURCE_KEYS:
                raise RecordError("expected a span, resourceSpans or resourceLogs", field=node.at or None)
            for resource in resources:
                resource_attributes = plain_attributes(resource.node("resource"))
                for scope in resource.nodes("scopeSpans", "scope_spans", "scopeLogs", "scope_logs"):
                    context = {
                        "resource": {"attributes": resource_attributes},
                        "scope": scope.node("scope").value,
                    }
                    for path, span_or_log in scope.items("spans", "logRecords", "log_records"):
                        if is_object(span_or_log):
                            span_or_log = {**context, **span_or_log}  # noqa: PLW2901
                        yield FileRow(span_or_log, row.position, path)
        except UNREADABLE as error:
            yield row.position.skipped(error)


def _plain_row(row: FileRow | Skipped) -> FileRow | Skipped:
    """Return a row of Logfire's table as a span, or any other row unchanged."""
    if isinstance(row, Skipped) or not is_object(row.value) or "span_name" not in row.value:
        return row
    record = row.value
    fields = {name: parsed(record.get(column)) for name, column in _LOGFIRE_COLUMNS.items()}
    scope = {"name": record.get("otel_scope_name")}
    return replace(
        row, value={**record, **fields, "attributes": parsed(record.get("attributes")), "scope": scope}
    )


def _is_event(node: FieldReader) -> bool:
    return "event_name" in node or "eventName" in node or "body" in node or "severityNumber" in node


def _event_name(node: FieldReader, attributes: Mapping[str, Any]) -> str:
    return str(node.get("eventName", "event_name", "name") or attributes.get("event.name") or "")


def _span(node: FieldReader, attributes: dict[str, Any], row: FileRow) -> Span:
    context = node.node("context")
    status = node.node("status")
    resource = plain_attributes(node.node("resource"))
    span = Span(
        id=hex_id(node.text("spanId", "span_id") or context.text("span_id") or "")
        or f"span-{row.number:06d}",
        position=row.position,
        trace=hex_id(node.text("traceId", "trace_id") or context.text("trace_id") or ""),
        parent=hex_id(node.text("parentSpanId", "parent_span_id", "parent_id") or "") or None,
        start=_sortable_time(node.get("startTimeUnixNano", "start_time_unix_nano", "start_time")),
    )
    scope = node.node("scope", "instrumentation_scope").text("name")
    if _OPENINFERENCE_KIND not in attributes and isinstance(kind := node.get("span_kind"), str):
        attributes[_OPENINFERENCE_KIND] = kind  # Phoenix's server returns the kind outside the attributes
    provider = attributes.get("gen_ai.provider.name")
    span.switch = switch_of([name for name in (scope, provider) if isinstance(name, str)])
    events = ((_event_name(event, {}), plain_attributes(event)) for event in node.nodes("events"))
    fill_span(span, attributes, events, node.text("name") or "")
    code = str(status.get("code", "status_code") or node.get("status_code") or "")
    has_failed = code in {"2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"}
    if has_failed or (span.kind == "tool" and span.exception is not None and not span.has_output):
        description = status.text("message", "description") or node.text("status_message")
        message = without_stack(description) or span.exception
        span.error = message or str(
            attributes.get("error.message") or attributes.get("error.type") or "error"
        )
    if span.trace:
        span.tags = {TRACE_TAG: span.trace, SPAN_TAG: span.id, **span.tags}
    if span.system is None and span.model is None and span.kind == "agent":
        name = resource.get("service.name")
        span.system = name if isinstance(name, str) and not name.startswith("unknown_service") else None
    return span


def _sortable_time(value: Any) -> str:
    """Return a time (nanoseconds, seconds, or a date in any zone) as text that sorts in order."""
    if isinstance(value, float):
        # 20 digits before the point, as in the text of a whole number below.
        return f"{value:031.10f}"
    text = str(value or "")
    if text[4:5] == "-":
        try:
            time = datetime.fromisoformat(text)
            zoned = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
            return zoned.isoformat(timespec="microseconds")
        except (ValueError, OverflowError):
            return text
    return text.zfill(20)


def _evaluations(span_node: FieldReader, attributes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    events = [event for event in span_node.nodes("events") if _event_name(event, {}) == EVALUATION]
    yield from map(plain_attributes, events)
    if "gen_ai.evaluation.name" in attributes:
        yield attributes


def _attach_event(
    position: FilePosition,
    event: FieldReader,
    attributes: dict[str, Any],
    spans: dict[tuple[str, str], Span],
    options: Options,
) -> Iterator[ImportedRecord]:
    """Add an event to its span, or yield a verdict or a skipped entry if the span is missing."""
    name = _event_name(event, attributes)
    trace = hex_id(event.text("traceId", "trace_id") or "")
    span = spans.get((trace, hex_id(event.text("spanId", "span_id") or "")))
    span = span or _span_with_response(spans, attributes.get("gen_ai.response.id"))
    if name == EVALUATION and span is not None:
        span.scores.append(evaluation(attributes))
    elif name == EVALUATION and (trace or "fiducial.case_id" in attributes):
        score = options.converter.convert(evaluation(attributes))
        yield verdict_on_absent_output(score, attributes, trace, options.system)
    elif name == EVALUATION:
        yield position.skipped_part("trace_id", "an evaluation of a span that is missing here")
    elif span is not None and name.startswith("gen_ai."):
        fill_span(span, {}, [(name, {**attributes, **_body(event)})])
    else:
        yield position.skipped_part(
            "event_name", f"an event {name!r} is not an evaluation, and belongs to no span here"
        )


def _span_with_response(spans: dict[tuple[str, str], Span], response: Any) -> Span | None:
    if response is None:
        return None
    return next((span for span in spans.values() if span.tags.get("gen_ai.response.id") == response), None)


def _body(event: FieldReader) -> dict[str, Any]:
    return plain_attributes(FieldReader({"attributes": event.value.get("body")}))


def evaluation(attributes: Mapping[str, Any]) -> ImportedScore:
    """Return the score in a ``gen_ai.evaluation.result`` event."""
    node = FieldReader(dict(attributes))
    evaluator = node.need("gen_ai.evaluation.name")
    value = node.value.get("gen_ai.evaluation.score.value")
    label, reason = node.text("gen_ai.evaluation.score.label"), node.text("gen_ai.evaluation.explanation")
    # Fields that fiducial's own export adds, such as the outcome and the case.
    own_fields = {name: value for name, value in node.value.items() if name.startswith("fiducial.")}
    error = node.text("error.type")
    if error is not None:
        outcome = outcome_called(own_fields.get("fiducial.outcome")) or "failed"
        return unscored(evaluator, outcome, reason or error, evidence=own_fields)
    passed = {"pass": True, "fail": False}.get((label or "").lower())
    return scored(
        evaluator,
        label if value is None else value,
        passed=passed,
        reason=reason,
        written="numbers" if value is not None else "any",
        evidence={"label": label, **own_fields},
        field="gen_ai.evaluation.score.value",
        absent="the evaluation has no score",
    )


def hex_id(identifier: str) -> str:
    """Return a trace or span id of hexadecimal or base64 as hexadecimal, any other unchanged."""
    # Only hexadecimal gets small letters: base64 distinguishes them from capitals.
    text = identifier.removeprefix("0x").lower() if identifier.startswith("0x") else identifier
    if len(text) in _HEX_LENGTHS and _HEX.fullmatch(text) is not None:
        return text.lower() if text.strip("0") else ""  # all zeros mean that there is no id
    if text.endswith("="):
        try:
            raw = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return text
        return raw.hex() if 2 * len(raw) in _HEX_LENGTHS else text
    return text
