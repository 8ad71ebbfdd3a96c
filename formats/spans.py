"""Traces of any tool as examples.

A trace is an example: question and answer at its root, spans below as steps, in order of start. A tool span is the result
of a call, by id, else by name and arguments, else its own step. A lower span with an evaluation is its own example, ``trace/span``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from ..records import Message, Step, TagValue, ToolResults
from .calls import (
    AgentAnswer,
    IdentifiedCall,
    answer_of,
    answer_of_steps,
    are_messages,
    calls_of,
    question_of,
    text_of,
)
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, converted
from .imported_scores import ImportedScore, numbered_names
from .json_values import answer_text, as_text, is_object, parsed

SpanKind: TypeAlias = Literal["agent", "llm", "tool", "retriever", "other"]


class Span(msgspec.Struct, kw_only=True):
    """One span, by its id within its trace; its example fields follow `Example`.

    Attributes:
        trace: The trace's id; empty if unknown.
        parent: The id of its parent span.
        start: Its time, which orders spans.
        messages: The input messages.
        output_messages: The output messages.
        input: The input, if it is not messages.
        output: The result, if it is not messages.
        call: The call of a tool span.
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
    input: Any = None
    output: Any = None
    call: IdentifiedCall | None = None
    tools: list[dict[str, Any]] = []
    documents: list[Any] = []
    system: str | None = None
    error: str | None = None
    accepted: list[str] = []
    criterion: str | None = None
    session: str | None = None
    case: str | None = None
    tags: dict[str, TagValue] = {}
    scores: list[ImportedScore] = []


class _Calls:
    """Calls that were made together, with their results."""

    def __init__(self, calls: list[IdentifiedCall]) -> None:
        self.calls = calls
        self.results: dict[int, Any] = {}

    def take(self, span: Span) -> bool:
        """Return whether a tool span is the result of one of these calls; if so, store it."""
        assert span.call is not None
        wanted = span.call
        open_calls = [(at, each) for at, each in enumerate(self.calls) if at not in self.results]
        by_id = [at for at, each in open_calls if each.id is not None and each.id == wanted.id]
        alike = [
            at
            for at, each in open_calls
            if (each.id is None or wanted.id is None)
            and each.call.name == wanted.call.name
            and parsed(each.call.arguments) == parsed(wanted.call.arguments)
        ]
        for at in (by_id or alike)[:1]:
            self.results[at] = _result(span)
            return True
        return False

    def steps(self) -> Iterator[Step]:
        """Yield the calls, and their results if there are any."""
        yield [each.call for each in self.calls]
        if self.results:
            yield ToolResults(results=[self.results.get(at) for at in range(len(self.calls))])


def records_of_spans(spans: Iterable[Span], options: Options) -> Iterator[ImportedRecord]:
    """Yield the records of all traces among these spans, which may come in any order."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        if span.trace:
            traces.setdefault(span.trace, []).append(span)
        elif span.kind in {"llm", "agent"}:
            traces.setdefault(f"\0{len(traces)}", []).append(span)
        else:
            reason = f"a span of kind {span.kind!r} without a trace's id belongs to no answer"
            yield span.position.skipped_part("trace_id", reason)
    for trace in traces.values():
        yield from _records(sorted(trace, key=lambda span: span.start), options)


def _records(trace: list[Span], options: Options) -> Iterator[ImportedRecord]:
    root = _root(trace)
    scored = [span for span in trace if span is not root and span.scores]

    def convert(span: Span) -> Iterator[ImportedRecord]:
        example = example_of(span, trace if span is root else _below(span, trace))
        if span is not root:
            example.id = f"{example.id}/{span.id}"
        return records_of(example, span.position, options)

    return converted([root, *scored], convert, lambda span: span.position)


def _root(trace: list[Span]) -> Span:
    ids = {span.id for span in trace}
    roots = [span for span in trace if span.parent is None or span.parent not in ids]
    return next((span for span in roots if span.kind != "other"), roots[0] if roots else trace[0])


def _below(span: Span, trace: list[Span]) -> list[Span]:
    inside = {span.id}
    grew = True
    while grew:
        more = {each.id for each in trace if each.parent in inside} - inside
        inside |= more
        grew = bool(more)
    return [each for each in trace if each.id in inside]


def example_of(root: Span, spans: list[Span]) -> Example:
    """Return the example of a span: its question and answer."""
    model = next((span for span in spans if span.kind == "llm"), None)
    question = _question(root) or next((found for found in map(_question, spans) if found), list[Message]())
    return Example(
        id=root.case or root.trace or root.id,
        messages=question,
        tools=root.tools or next((span.tools for span in spans if span.tools), list[dict[str, Any]]()),
        accepted=root.accepted,
        criterion=root.criterion,
        context=[document for span in spans for document in span.documents],
        tags=root.tags,
        cluster=root.session,
        answer=_answer(root, spans),
        error=root.error,
        system=root.system or (None if model is None else model.system),
        scores=numbered_names(root.scores),
    )


def _question(span: Span) -> list[Message]:
    if span.messages:
        return span.messages
    return [] if span.kind in {"tool", "retriever"} else question_of(parsed(span.input))


def _answer(root: Span, spans: list[Span]) -> AgentAnswer:
    done: list[str | _Calls] = []
    for span in spans:
        if span.call is not None:
            made = [entry for entry in done if isinstance(entry, _Calls)]
            if not any(calls.take(span) for calls in made):
                alone = _Calls([span.call])
                alone.results[0] = _result(span)
                done.append(alone)
        elif span.kind == "llm":
            done += _steps_in(span)
    steps: list[Step] = []
    for entry in done:
        steps += [entry] if isinstance(entry, str) else entry.steps()
    text = _final(root)
    if text is not None and (not steps or steps[-1] != text):
        steps.append(text)
    return answer_of_steps(steps)


def _steps_in(span: Span) -> Iterator[str | _Calls]:
    if not span.output_messages:
        text = None if span.output is None else answer_text(parsed(span.output))
        if text:
            yield text
    for message in span.output_messages:
        text, calls = text_of(message), calls_of(message)
        if text:
            yield text
        if calls:
            yield _Calls(calls)


def _final(root: Span) -> str | None:
    """Return the answer at the root, unless a model span gives it."""
    if root.kind == "llm":
        return None
    if root.output_messages:
        return answer_of(root.output_messages).text
    returned = parsed(root.output)
    messages: Any = returned.get("messages") if is_object(returned) else returned
    if are_messages(messages):
        return answer_of(FieldReader(each) for each in messages).text
    if is_object(returned) and "role" in returned:
        return answer_of([FieldReader(returned)]).text
    return answer_text(returned)


def _result(span: Span) -> Any:
    if span.error is not None:
        return {"error": span.error}
    value = parsed(span.output)
    return value if value is not None else as_text(span.output)
