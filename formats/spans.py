"""Traces of any tool as examples.

A trace is an example: question and answer at its root, spans below as steps, in order of start. A tool span is the result
of the call with its id, else its name and arguments; unmatched, it is a step. A lower span with an evaluation is its own
example, ``trace/span``. An answer, or arguments, that were not recorded (no attribute, or hidden) are listed, and there is no output; a
recorded empty answer is graded 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
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
from .recorded_content import NO_ANSWER, NO_ARGUMENTS

SpanKind: TypeAlias = Literal["agent", "llm", "tool", "retriever", "other"]


class Span(msgspec.Struct, kw_only=True):
    """One span of a trace; fields that are not listed are those of `Example`.

    Attributes:
        trace: The trace's id; empty if unknown.
        parent: The id of its parent span.
        start: Time of its start, which orders spans.
        messages: The input messages.
        output_messages: The output messages.
        input: The input, if it is not messages.
        output: The result, if it is not messages.
        has_output: Whether its output was recorded, even as empty.
        call: The call of a tool span.
        has_arguments: Whether the arguments of its calls were recorded, even as none.
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
    has_output: bool = False
    call: IdentifiedCall | None = None
    has_arguments: bool = True
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
    """Calls that were made in one step, with their results."""

    def __init__(self, calls: list[IdentifiedCall]) -> None:
        self.calls = calls
        self.results: dict[int, Any] = {}

    def add_result(self, span: Span) -> bool:
        """Store a tool span's result if it belongs to one of these calls; return whether it does."""
        made = span.call
        assert made is not None
        pending = {at: call for at, call in enumerate(self.calls) if at not in self.results}
        by_id = (at for at, call in pending.items() if call.id is not None and call.id == made.id)
        by_content = (at for at, call in pending.items() if _are_same(call, made, span))
        at = next(chain(by_id, by_content), None)
        if at is not None:
            self.results[at] = _result(span)
        return at is not None

    def steps(self) -> Iterator[Step]:
        """Yield the calls, and their results if there are any."""
        yield [each.call for each in self.calls]
        if self.results:
            yield ToolResults(results=[self.results.get(at) for at in range(len(self.calls))])


def _are_same(asked: IdentifiedCall, made: IdentifiedCall, span: Span) -> bool:
    """Return whether a call and a span's have one name and equal arguments, and not both an id.

    The name is enough if the span's arguments were not recorded.
    """
    if (asked.id is not None and made.id is not None) or asked.call.name != made.call.name:
        return False
    return not span.has_arguments or parsed(asked.call.arguments) == parsed(made.call.arguments)


def records_of_spans(spans: Iterable[Span], options: Options) -> Iterator[ImportedRecord]:
    """Yield the records of all traces among these spans, which may come in any order."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        if span.trace:
            traces.setdefault(span.trace, []).append(span)
        elif span.kind in {"llm", "agent"}:
            # A span without a trace is its own trace; no id begins with "\0".
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
    """Return a span and its descendants."""
    ids = {span.id}
    while children := {each.id for each in trace if each.parent in ids} - ids:
        ids |= children
    return [each for each in trace if each.id in ids]


def example_of(root: Span, spans: list[Span]) -> Example:
    """Return a span as an example, from the span and those below it."""
    model = next((span for span in spans if span.kind == "llm"), None)
    answer = _answer(root, spans)
    questions = (_question(span) for span in (root, *spans))
    return Example(
        id=root.case or root.trace or root.id,
        messages=next((each for each in questions if each), list[Message]()),
        tools=root.tools or next((span.tools for span in spans if span.tools), list[dict[str, Any]]()),
        accepted=root.accepted,
        criterion=root.criterion,
        context=[document for span in spans for document in span.documents],
        tags=root.tags,
        cluster=root.session,
        answer=answer if isinstance(answer, AgentAnswer) else None,
        unrecorded=answer if isinstance(answer, str) and root.error is None else None,
        error=root.error,
        system=root.system or (None if model is None else model.system),
        scores=numbered_names(root.scores),
    )


def _question(span: Span) -> list[Message]:
    if span.messages:
        return span.messages
    return [] if span.kind in {"tool", "retriever"} else question_of(parsed(span.input))


def _answer(root: Span, spans: list[Span]) -> AgentAnswer | str:
    """Return the texts and calls of the spans below the root, and the root's text as the last.

    If a part of it was not recorded, return the reason why there is none.
    """
    texts_and_calls: list[str | _Calls] = []
    has_arguments = True
    for span in spans:
        if span.call is not None:
            made = [each for each in texts_and_calls if isinstance(each, _Calls)]
            if not any(calls.add_result(span) for calls in made):
                has_arguments = has_arguments and span.has_arguments
                own_step = _Calls([span.call])
                own_step.add_result(span)
                texts_and_calls.append(own_step)
        elif span.kind == "llm":
            has_arguments = has_arguments and span.has_arguments
            texts_and_calls += _texts_and_calls(span)
    if not _has_answer(root, spans):
        return NO_ANSWER
    if not has_arguments:
        return NO_ARGUMENTS
    steps: list[Step] = []
    for each in texts_and_calls:
        steps += [each] if isinstance(each, str) else each.steps()
    text = _root_text(root)
    if text is not None and (not steps or steps[-1] != text):
        steps.append(text)
    return answer_of_steps(steps)


def _has_answer(root: Span, spans: list[Span]) -> bool:
    """Return whether the root or the last model has an answer, or there are only calls."""
    models = [span for span in spans if span.kind == "llm" and span.error is None]
    if root.has_output or not models:
        return root.has_output or any(span.call is not None for span in spans)
    return models[-1].has_output


def _texts_and_calls(span: Span) -> Iterator[str | _Calls]:
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


def _root_text(root: Span) -> str | None:
    """Return the text at the root; None if the root is a model span, whose steps hold it."""
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
