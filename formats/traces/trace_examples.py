"""Traces of any tool as examples.

A trace is an example. Its conversation is that of its models' spans: their requests hold the question, their replies texts and calls, and
results stand in tools' spans (found by a call's id, else its name and arguments, else their order) or in the next request. What was
given to the root, and what it returned, counts where no model's span holds content; then tools' spans are the calls. The user's text at
the root replaces a request that only frames it. A lower span with an evaluation is its own
example, ``trace/span``. Models and tools inside a tool's span are its work, and runs of tools that no model asked for are no calls: both
are listed. An answer, or arguments, that were not recorded (no attribute, or hidden) are listed with the setting that
records them, and there is no output; a recorded empty answer is graded 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ..example import Example
from ..example_records import records_of
from ..import_options import Options
from ..imported_records import FilePosition, ImportedRecord, Skipped, converted
from ..imported_scores import numbered_names
from .spans import Span
from .trace_conversation import TraceConversation, conversation_of_spans


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
    failed = list[tuple[Example, FilePosition]]()  # failed traces that name no system
    systems = set[str]()
    for trace in traces.values():
        yield from _records(sorted(trace, key=lambda span: span.start), options, failed, systems)
    (only_system,) = systems if len(systems) == 1 else (None,)
    for example, _ in failed:
        example.system = only_system
    yield from converted(failed, lambda trace: records_of(*trace, options), lambda trace: trace[1])


def _records(
    trace: list[Span], options: Options, failed: list[tuple[Example, FilePosition]], systems: set[str]
) -> Iterator[ImportedRecord]:
    """Yield the records of a trace, or add it to ``failed`` if it failed and names no system."""
    root = _root(trace)
    scored = [span for span in trace if span is not root and span.scores]

    def convert(span: Span) -> Iterable[ImportedRecord]:
        example = example_of(span, trace if span is root else _below(span, trace))
        if _is_no_case(example, trace):
            reason = "a trace without a model, an agent or a question is no case"
            return [span.position.skipped_part("trace_id", reason)]
        if span is not root:
            example.id, example.lost = f"{example.id}/{span.id}", []
        if example.system is None and example.error is not None:
            failed.append((example, span.position))
            return ()
        systems.update(filter(None, [example.system]))
        return records_of(example, span.position, options)

    return converted([root, *scored], convert, lambda span: span.position)


def _is_no_case(example: Example, trace: list[Span]) -> bool:
    has_content = example.messages or example.conversation or example.scores
    return not has_content and not any(span.kind in {"llm", "agent"} for span in trace)


def _root(trace: list[Span]) -> Span:
    ids = {span.id for span in trace}
    roots = [span for span in trace if span.parent is None or span.parent not in ids]
    return next((span for span in roots if span.kind != "other"), roots[0] if roots else trace[0])


def _below(span: Span, trace: list[Span]) -> list[Span]:
    """Return a span and its descendants."""
    ids = {span.id}
    while children := {child.id for child in trace if child.parent in ids} - ids:
        ids |= children
    return [candidate for candidate in trace if candidate.id in ids]


def example_of(root: Span, spans: list[Span]) -> Example:
    """Return the example of a span and the spans below it."""
    conversation = conversation_of_spans(root, spans)
    model = next((span for span in spans if span.kind == "llm" and (span.system or span.model)), None)
    example = Example(
        id=root.case or root.trace or root.id,
        messages=conversation.question,
        tools=root.tools or next((span.tools for span in spans if span.tools), list[dict[str, Any]]()),
        accepted=root.accepted,
        criterion=root.criterion,
        context=[document for span in spans for document in span.documents],
        tags=root.tags,
        cluster=root.session or next((span.session for span in spans if span.session), None),
        answer=conversation.answer,
        error=_error(root, spans, conversation),
        system=root.system or root.model or (None if model is None else model.system or model.model),
        scores=numbered_names(root.scores),
    )
    if example.error is None:
        example.unrecorded = conversation.unrecorded
    example.lost = [*map(_unasked, conversation.unasked), *_inside(conversation.inside.values())]
    if len(conversation.turns) > 1:
        example.messages, example.answer, example.conversation = [], None, conversation.turns
    return example


def _unasked(span: Span) -> Skipped:
    name = None if span.call is None else span.call.call.name
    reason = f"no model asked for this run of the tool {name!r}, so it is no call"
    return span.position.skipped_part("tool_calls", reason)


def _inside(tools: Collection[Span]) -> Iterator[Skipped]:
    """Yield an entry for each tool whose work is recorded, too, such as that of an agent."""
    counts = Counter(tool.id for tool in tools)
    for tool in {tool.id: tool for tool in tools}.values():
        name = None if tool.call is None else tool.call.call.name
        count = counts[tool.id]
        reason = f"{count:,} spans of models and tools inside the tool {name!r} are its work, not the conversation's"
        yield tool.position.skipped_part("spans", reason)


def _error(root: Span, spans: list[Span], conversation: TraceConversation) -> str | None:
    """Return why a run failed: the root's error, or its last model's without an answer."""
    if root.error is not None or root.has_output:
        return root.error
    models = [span for span in spans if span.kind == "llm" and span.id not in conversation.inside]
    return models[-1].error if models and not _is_answered(conversation) else None


def _is_answered(conversation: TraceConversation) -> bool:
    """Return whether a conversation ends with a text."""
    if conversation.answer is None:
        return False
    return (
        conversation.answer.text is not None
        if conversation.answer.steps is None
        else isinstance(conversation.answer.steps[-1], str)
    )
