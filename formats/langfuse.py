"""Langfuse's observations, scores, traces and dataset items.

A trace is a case. A score is a verdict under its name, a person's if annotated; a corrected output is an accepted answer. Dataset items are
cases with accepted answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Source
from .calls import question_of
from .example import Example, answers_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, converted
from .imported_scores import ImportedScore, scored, verdict_on_absent_output
from .json_values import answer_text, is_list, is_object, parsed, tags_of
from .traces.conventions import SpanKind
from .traces.recorded_content import recorded
from .traces.spans import Span, add_call, read_call
from .traces.trace_examples import records_of_spans

NAME = "langfuse"
ABOUT = (
    "observations (v2), scores (v3 and before), traces of version 3, dataset items (pages, JSON, JSON Lines)"
)
LOST = "usage, cost, timing, model parameters, prompts' names; scores of sessions and experiments are listed"

_KIND_OF_TYPE: dict[str, SpanKind] = {
    "AGENT": "agent",
    "CHAIN": "agent",
    "GENERATION": "llm",
    "TOOL": "tool",
    "RETRIEVER": "retriever",
}
_OBSERVATION_TYPES = frozenset({"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"})  # fmt: skip


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is one of Langfuse's records.

    These are a page, an observation, a score, a trace or a dataset item.
    """
    if not is_object(glimpse):
        return False
    page = glimpse.get("data")
    if is_list(page) and page and is_object(page[0]):
        return recognises(page[0])
    has_ids = "traceId" in glimpse or "projectId" in glimpse
    is_observation = str(glimpse.get("type")).upper() in _OBSERVATION_TYPES and has_ids
    return (
        is_observation
        or _is_score(glimpse)
        or _is_trace(glimpse)
        or ("datasetName" in glimpse and "input" in glimpse)
    )


def _is_score(value: dict[str, Any]) -> bool:
    return "dataType" in value or (
        "name" in value and "value" in value and bool({"traceId", "observationId", "subject"} & value.keys())
    )


def _is_trace(value: dict[str, Any]) -> bool:
    return is_list(value.get("observations")) or (
        "projectId" in value and "timestamp" in value and "input" in value and "type" not in value
    )


class _Log:
    """Records read so far, since a score may come before its observation."""

    def __init__(self) -> None:
        self.spans: dict[str, Span] = {}
        self.scores: list[tuple[FieldReader, FilePosition]] = []
        self.items: list[tuple[FieldReader, FilePosition]] = []

    def take(self, row: FileRow) -> Iterable[ImportedRecord]:
        """Store an observation, score, trace or dataset item; records are built later."""
        node = row.node
        if _is_score(node.value):
            self.scores.append((node, row.position))
        elif _is_trace(node.value):
            self._take_trace(node, row.position)
        elif "expectedOutput" in node or "datasetName" in node:
            self.items.append((node, row.position))
        else:
            self._add(_span(node, row.position))
        return ()

    def _take_trace(self, node: FieldReader, position: FilePosition) -> None:
        trace_id = node.need("id")
        root = Span(
            id=trace_id,
            position=position,
            trace=trace_id,
            kind="agent",
            input=parsed(recorded(node.get("input"))),
            output=parsed(output := recorded(node.get("output"))),
            has_output=output is not None,
            session=node.name("sessionId"),
            system=node.text("name"),
            tags=_tags(node),
        )
        self._add(root)
        for observation in node.nodes("observations"):
            span = _span(observation, position)
            span.trace, span.parent = trace_id, span.parent or trace_id
            self._add(span)
        self.scores += [(score, position) for score in node.nodes("scores")]

    def _add(self, span: Span) -> None:
        self.spans[span.id] = span


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read observations, scores and traces; see `Format`."""
    log = _Log()
    rows = read_rows(path, lambda node: node.items("data") if is_list(node.get("data")) else None)
    yield from convert_rows(rows, log.take)
    roots = {span.trace: span for span in reversed(log.spans.values()) if span.parent is None}
    yield from converted(
        log.scores, lambda score: _attach_score(*score, log.spans, roots, options), lambda score: score[1]
    )
    yield from records_of_spans(log.spans.values(), options)
    yield from converted(
        log.items, lambda item: records_of(_dataset_example(item[0]), item[1], options), lambda item: item[1]
    )


def _tags(node: FieldReader) -> dict[str, Any]:
    tag_names = node.get("tags")
    return tags_of(node.object_in("metadata")) | (
        {"tags": ", ".join(map(str, tag_names))} if is_list(tag_names) and tag_names else {}
    )


def _span(node: FieldReader, position: FilePosition) -> Span:
    kind = _KIND_OF_TYPE.get((node.text("type") or "").upper(), "other")
    request, reply = (parsed(recorded(node.get(name))) for name in ("input", "output"))
    span = Span(
        id=node.need("id"),
        position=position,
        trace=node.name("traceId") or "",
        parent=node.name("parentObservationId"),
        kind=kind,
        start=node.text("startTime") or "",
        input=request,
        output=reply,
        has_output=reply is not None,
        system=node.text("model") if kind == "llm" else node.text("name") if kind == "agent" else None,
        session=node.name("sessionId"),
        error=(node.text("statusMessage") or "error") if node.get("level") == "ERROR" else None,
        tags=_tags(node),
    )
    if kind == "tool":
        add_call(span, node.need("name"), request, has_arguments=request is not None)
    elif kind == "llm":
        read_call(span, request, reply)
    elif kind == "retriever" and is_list(reply):
        span.documents = reply
    return span


def _attach_score(
    score: FieldReader,
    position: FilePosition,
    spans: dict[str, Span],
    roots: dict[str, Span],
    options: Options,
) -> Iterator[ImportedRecord]:
    """Add a score to its span, or yield a verdict or a skipped entry if the span is missing."""
    subject = score.node("subject")
    subject_kind = subject.text("kind")
    observation = score.name("observationId") or (
        subject.name("id") if subject_kind == "observation" else None
    )
    trace = score.name("traceId") or (
        subject.name("id") if subject_kind == "trace" else subject.name("traceId")
    )
    if observation is None and trace is None:
        yield position.skipped_part(
            score.path("subject"), f"a score of a {subject_kind or 'session'} belongs to no answer"
        )
        return
    span = spans.get(observation or "") or roots.get(trace or "")
    if score.text("dataType") == "CORRECTION":
        if span is None:
            yield position.skipped_part(
                score.path("subject"), "a correction of an observation that is missing here"
            )
        else:
            span.accepted = [*span.accepted, *answers_of(answer_text(parsed(score.value.get("value"))))]
        return
    imported_score = _imported_score(score)
    if span is None:
        yield verdict_on_absent_output(
            options.converter.convert(imported_score),
            score.node("metadata").value,
            trace or observation or "",
            options.system,
        )
    else:
        span.scores = [*span.scores, imported_score]


def _imported_score(score: FieldReader) -> ImportedScore:
    name, comment, kind = score.need("name"), score.text("comment"), score.text("dataType")
    source: Source = "human" if score.text("source") == "ANNOTATION" else "judge"
    author = score.name("authorUserId")
    by = f"{author}/{name}" if source == "human" and author else name
    value = score.value.get("value")
    if value is None:
        value = score.text("stringValue")
    field = score.path("value")
    if kind == "TEXT" and value is not None:
        raise RecordError("a text is not a score", field=field)
    return scored(
        by,
        value,
        reason=comment,
        source=source,
        field=field,
        written="numbers" if kind == "NUMERIC" else "any",
        absent="the score has no value",
    )


def _dataset_example(item: FieldReader) -> Example:
    return Example(
        id=item.need("id"),
        messages=question_of(item.unpacked("input")),
        accepted=answers_of(answer_text(parsed(item.get("expectedOutput")))),
        tags=_tags(item),
    )
