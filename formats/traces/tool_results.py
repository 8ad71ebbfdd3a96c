"""Calls of a trace, and the tools' spans that ran them.

A span is joined to the call with its id, else to one with its name and arguments, else to the next one with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...records import Step, ToolResults
from ..calls import IdentifiedCall, results_of, role_of
from ..field_reader import FieldReader
from ..json_values import as_text, is_list, is_object, parsed
from ..langchain_messages import plain_message
from ..message_parts import are_parts
from .conventions import FINAL_ANSWER
from .model_calls import unwrapped
from .spans import Span


class MadeCalls:
    """Calls that an agent made in one step, with their results.

    Attributes:
        calls: The calls.
        repeated_results: Results as a later request repeats them, by the number of the call.
        tool_spans: Spans of the tools that ran the calls, by the number of the call.
    """

    def __init__(self, calls: list[IdentifiedCall]) -> None:
        self.calls = calls
        self.repeated_results: dict[int, Any] = {}
        self.tool_spans: dict[int, Span] = {}

    def messages(self) -> Iterator[FieldReader]:
        """Yield the calls and any results as messages of a chat."""
        calls = [
            {"id": str(at), "name": call.call.name, "arguments": call.call.arguments}
            for at, call in enumerate(self.calls)
        ]
        yield FieldReader({"role": "assistant", "tool_calls": calls})
        for at in sorted(self.repeated_results.keys() | self.tool_spans.keys()):
            yield FieldReader({"role": "tool", "tool_call_id": str(at), "content": self.result(at)})

    def steps(self) -> Iterator[Step]:
        """Yield the calls and any results as steps."""
        yield [call.call for call in self.calls]
        if self.repeated_results or self.tool_spans:
            yield ToolResults(results=[self.result(at) for at in range(len(self.calls))])

    def result(self, at: int) -> Any:
        """Return a call's result: its span's error, what the model was told, or the span's output."""
        span = self.tool_spans.get(at)
        if span is not None and span.error is not None:
            repeated_result = self.repeated_results.get(at)
            says_more = (
                isinstance(repeated_result, str)
                and span.exception is None
                and span.error not in repeated_result
            )
            return {"error": repeated_result if says_more else span.exception or span.error}
        if at in self.repeated_results:
            return self.repeated_results[at]
        return None if span is None else result_in(span)


def result_in(span: Span) -> Any:
    """Return the result in a tool's span, without the message or the parts around it."""
    value = parsed(span.output)
    if is_object(value):
        message = plain_message(value)
        if role_of(FieldReader(message)) == "tool" and "content" in message:
            [(_, value)] = results_of(FieldReader(message))[:1]
            return parsed(value)
    if is_list(value) and are_parts(value) and all(is_object(part) and "text" in part for part in value):
        return parsed("".join(str(part["text"]) for part in value))
    return value if value is not None else as_text(span.output)


def id_in(span: Span) -> str | None:
    """Return the id of the call that a span ran; only its result may have it."""
    assert span.call is not None
    if span.call.id is not None:
        return span.call.id
    value = parsed(span.output)
    return FieldReader(plain_message(value)).name("tool_call_id") if is_object(value) else None


def join(tools: list[Span], made: list[MadeCalls]) -> list[Span]:
    """Join tools' spans to the calls that they ran; return the spans that no model call for.

    A call that failed and was run again has the last run's result. A span inside another of the same tool is the same call,
    recorded twice.
    """
    unasked = list[Span]()
    by_id = {span.id: span for span in tools}
    for span in tools:
        owner = _owner_of(span, made)
        if owner is not None:
            owner[0].tool_spans[owner[1]] = span
        elif not (_is_recorded_twice(span, by_id) or _is_retry(span, made) or _ends_run(span)):
            unasked.append(span)
    return unasked


def inside_tools(root: Span, spans: list[Span]) -> dict[str, Span]:
    """Return the spans of models and tools inside a tool's span, by id, with that tool's span.

    They are the work of the tool, such as an agent that another agent calls, and no part of the conversation. If all models
    are inside tools, the result is empty: then their spans are the conversation.
    """
    by_id = {span.id: span for span in spans if span is not root}
    inside = dict[str, Span]()
    for span in spans:
        ancestor, seen = by_id.get(span.parent or ""), {span.id}
        # A faulty log may have a cycle of parents.
        while ancestor is not None and ancestor.id not in seen:
            if ancestor.kind == "tool":
                inside[span.id] = ancestor
            seen.add(ancestor.id)
            ancestor = by_id.get(ancestor.parent or "")
    has_model = any(span.kind == "llm" and span.output_messages for span in spans if span.id not in inside)
    runs_models = {inside[span.id].id for span in spans if span.id in inside and span.kind == "llm"}
    if not has_model:
        return {}
    steps = {span.id for span in spans if span.kind in {"llm", "tool"}}
    return {name: tool for name, tool in inside.items() if tool.id in runs_models and name in steps}


def final_answer_in(calls: list[IdentifiedCall]) -> str | None:
    """Return the answer that is the argument of an only call, as smolagents gives it, or None."""
    arguments = parsed(calls[0].call.arguments) if len(calls) == 1 else None
    name, argument = FINAL_ANSWER
    if not is_object(arguments) or calls[0].call.name != name or [*arguments] != [argument]:
        return None
    return as_text(arguments[argument])


def _is_recorded_twice(span: Span, by_id: dict[str, Span]) -> bool:
    outer = by_id.get(span.parent or "")
    return outer is not None and outer is not span and _tool(outer) == _tool(span)


def _is_retry(span: Span, made: list[MadeCalls]) -> bool:
    """Return whether a span runs a call again; if the earlier run failed, take the new one."""
    identity = id_in(span)
    for step in made:
        for at, earlier_run in step.tool_spans.items():
            call = step.calls[at]
            if identity is not None:
                is_same = call.id == identity
            else:
                is_alike = _name_is_same(call, span) and _arguments_are_same(call, span)
                is_same = is_alike and earlier_run.error is not None
            if is_same:
                if earlier_run.error is not None and span.parent != earlier_run.id:
                    step.tool_spans[at] = span
                return True
    return False


def _ends_run(span: Span) -> bool:
    return _tool(span) == FINAL_ANSWER[0]


def _tool(span: Span) -> str | None:
    return None if span.call is None else span.call.call.name


def _owner_of(span: Span, made: list[MadeCalls]) -> tuple[MadeCalls, int] | None:
    """Return the step and the number of the call that a span ran, or None if no model call.

    If a call has the span's id, only that call counts; otherwise the tests of `_CALL_TESTS` do.
    """
    pending = [(step, at) for step in made for at in range(len(step.calls)) if at not in step.tool_spans]
    identity = id_in(span)
    if identity is not None:
        call_ids = {call.id for step in made for call in step.calls}
        if identity in call_ids:
            return next(((step, at) for step, at in pending if step.calls[at].id == identity), None)
    return next(
        ((step, at) for is_same in _CALL_TESTS for step, at in pending if is_same(step.calls[at], span)),
        None,
    )


def _name_is_same(call: IdentifiedCall, span: Span) -> bool:
    return span.call is not None and call.call.name == span.call.call.name


def _arguments_are_same(call: IdentifiedCall, span: Span) -> bool:
    """Return whether a span has a call's arguments: by name or position, bare, or with defaults."""
    assert span.call is not None
    requested, received = unwrapped(call.call.arguments), unwrapped(span.call.call.arguments)
    if requested == received:
        return True
    if not is_object(requested):
        return False
    if is_object(received):
        positional = received.get("args")
        if is_list(positional) and is_object(by_name := received.get("kwargs", {})):
            others = [value for name, value in requested.items() if name not in by_name]
            return others == positional and _hashable(by_name) and by_name.items() <= requested.items()
        # Further arguments of the span are defaults.
        return bool(requested) and all(
            name in received and received[name] == value for name, value in requested.items()
        )
    values = [*requested.values()]
    return len(values) == 1 and str(span.bare) == str(values[0])


def _hashable(value: dict[str, Any]) -> bool:
    return all(isinstance(item, str | int | float | bool | None) for item in value.values())


_CALL_TESTS: tuple[Callable[[IdentifiedCall, Span], bool], ...] = (
    lambda call, span: _name_is_same(call, span) and _arguments_are_same(call, span),
    _name_is_same,
    lambda call, span: bool(unwrapped(call.call.arguments)) and _arguments_are_same(call, span),
)
"""Tests of whether a span ran a call without an id, the surest first."""
