"""Traces of MLflow (schema 3) with assessments.

Feedback is a verdict, a person's under ``source_id/name``; an expectation is an accepted answer; expected facts and guidelines are a criterion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Source
from .example import answers_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import UNREADABLE, ImportedRecord, Skipped
from .imported_scores import (
    ImportedScore,
    collect_parts,
    outcome_called,
    scored,
    unscored,
    verdict_on_absent_output,
)
from .json_values import is_object, parsed, tags_of
from .otlp import hex_id
from .traces.attributes import plain_attributes
from .traces.span_attributes import fill_span, without_stack
from .traces.spans import Span
from .traces.trace_examples import records_of_spans

NAME = "mlflow"
ABOUT = "traces (schema 3) with assessments (JSON, JSON Lines)"
LOST = "previews, timing, artifacts, metadata of traces; overridden assessments"

_CRITERION_NAMES = frozenset({"expected_facts", "guidelines", "criteria", "rubric"})
"""Names of expectations that tell how to grade; others are accepted answers."""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a trace, or an assessment."""
    if not is_object(glimpse):
        return False
    info = glimpse.get("info")
    return (
        (is_object(info) and bool({"trace_id", "request_id"} & info.keys()))
        or "assessment_name" in glimpse
        or "traces" in glimpse
    )


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read traces; see `Format`."""
    rows = read_rows(path, lambda node: node.items("traces") if "traces" in node else None)
    yield from convert_rows(rows, lambda row: _records(row, options))


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    if "assessment_name" in row.node:
        scores = list[ImportedScore]()
        yield from collect_parts(scores, [row.node], _score_readers, row.position)
        metadata, trace = row.node.node("metadata").value, row.node.need("trace_id")
        for score in options.converter.convert_all(scores, row.position):
            if isinstance(score, Skipped):
                yield score
            else:
                yield verdict_on_absent_output(score, metadata, trace, options.system)
        return
    spans = _spans(row)
    yield from _add_assessments(spans, row)
    yield from records_of_spans(spans, options)


def _spans(row: FileRow) -> list[Span]:
    info = row.node.node("info")
    trace = info.need("trace_id", "request_id")
    spans = [_span(span, trace, row) for span in row.node.node("data").nodes("spans")]
    if not spans:  # then the previews stand for a root span
        inputs, outputs = (parsed(info.get(name)) for name in ("request_preview", "response_preview"))
        spans = [
            Span(
                id="",
                position=row.position,
                trace=trace,
                kind="agent",
                input=inputs,
                output=outputs,
                has_output=outputs is not None,
            )
        ]
    root = next((span for span in spans if span.parent is None), spans[0])
    metadata = info.node("trace_metadata", "request_metadata")
    root.session = metadata.text("mlflow.trace.session")
    root.tags = tags_of(
        {name: value for name, value in info.node("tags").value.items() if not name.startswith("mlflow.")}
    )
    if info.get("state", "status") == "ERROR" and root.error is None:
        root.error = "error"
    return spans


def _span(span_fields: FieldReader, trace: str, row: FileRow) -> Span:
    attributes = {
        name: value for name, value in span_fields.node("attributes").value.items() if value != "null"
    }
    status = FieldReader(span_fields.object_in("status"))
    span = Span(
        id=hex_id(span_fields.need("span_id")),
        position=row.position,
        trace=trace,
        parent=hex_id(span_fields.text("parent_span_id", "parent_id") or "") or None,
        # Starts are sorted as text, so numbers need one width.
        start=str(span_fields.get("start_time_unix_nano", "start_time") or "").zfill(20),
    )
    events = ((event.text("name") or "", plain_attributes(event)) for event in span_fields.nodes("events"))
    fill_span(span, attributes, events, span_fields.text("name") or "")
    if "ERROR" in str(status.get("code")):
        span.error = without_stack(status.text("message")) or span.exception or "error"
    return span


def _add_assessments(spans: list[Span], row: FileRow) -> Iterator[Skipped]:
    """Add each feedback to its span, and each expectation to the root span."""
    by_id = {span.id: span for span in spans}
    root = next((span for span in spans if span.parent is None), spans[0])
    for assessment in row.node.node("info").nodes("assessments"):
        if assessment.value.get("valid") is False:
            continue
        try:
            if "expectation" in assessment:
                _add_expectation(root, assessment)
            else:
                span = by_id.get(hex_id(assessment.text("span_id") or ""), root)
                yield from collect_parts(span.scores, [assessment], _score_readers, row.position)
        except UNREADABLE as error:
            yield row.position.skipped(error)


def _add_expectation(root: Span, assessment: FieldReader) -> None:
    name = assessment.need("assessment_name")
    value = assessment.node("expectation").unpacked("value", "serialized_value")
    if is_object(value) and "value" in value:
        value = parsed(value["value"])
    if name in _CRITERION_NAMES:
        root.criterion = "\n".join(filter(None, [root.criterion, *answers_of(value)]))
    elif isinstance(value, str | int | float | list):
        root.accepted = [*root.accepted, *answers_of(value)]
    else:
        raise RecordError(
            "expected a text, a number or a list of them", field=assessment.path("expectation.value")
        )


def _score_readers(assessment: FieldReader) -> Iterator[Callable[[], ImportedScore]]:
    """Yield a function per score of a feedback; a missing value gives an ungraded score."""
    name, assessor = assessment.need("assessment_name"), assessment.node("source")
    assessor_type, assessor_id = assessor.text("source_type") or "", assessor.text("source_id")
    source: Source = "human" if assessor_type.upper() == "HUMAN" else "judge"
    by = f"{assessor_id}/{name}" if source == "human" and assessor_id not in {None, name} else name
    feedback, reason = assessment.node("feedback"), assessment.text("rationale")
    details: dict[str, Any] = {"assessor": assessor_id, "assessor_type": assessor_type or None}
    error = feedback.get("error")
    if error is not None:
        failure = error if is_object(error) else {"error_message": error}
        error_fields = FieldReader(failure, assessment.path("feedback.error"))
        message = ": ".join(
            text for text in (error_fields.text("error_code"), error_fields.text("error_message")) if text
        )
        outcome = outcome_called(error_fields.get("error_code"))
        text = message if outcome is None else error_fields.text("error_message")
        yield partial(unscored, by, outcome or "failed", text or reason, source=source, evidence=details)
        return
    scored_part = partial(
        scored, reason=reason, source=source, field=assessment.path("feedback.value"), evidence=details
    )
    value = feedback.value.get("value")
    if is_object(value) and value:
        for part, part_value in value.items():
            yield partial(scored_part, f"{by}/{part}", part_value)
    else:
        yield partial(scored_part, by, None if is_object(value) else value, absent="the scorer gave no value")
