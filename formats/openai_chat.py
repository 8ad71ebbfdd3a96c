"""OpenAI chat logs as Cases and Outputs: what was asked, and what the assistant answered last.

A line is one logged conversation::

    {"id": "...", "model": "...", "messages": [...], "tools": [...], "response": {"choices": [...]}}

``messages`` is all that is needed. The answer is ``response`` (a chat completion) where there is one; else the assistant message at the
end, which then is no part of what was asked; else there is no Output. A logged conversation has no reference, so its Case
is an ``open_answer`` whose criterion the caller names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from ..errors import RecordError
from ..records import Case, Message, Output, TagValue, ToolCall, read_numbered, validate_case

DEFAULT_CRITERION = "The reply does what the user asked for, correctly and completely."


class LoggedChat(NamedTuple):
    """One logged conversation: what was asked, and what was answered, when it was."""

    case: Case
    output: Output | None


class _Function(msgspec.Struct):
    name: str
    arguments: str | dict[str, Any] = {}


class _NativeCall(msgspec.Struct):
    function: _Function


class _Answer(msgspec.Struct):
    """An assistant message; ``content`` is a text or a list of parts."""

    role: str = "assistant"
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[_NativeCall] | None = None
    function_call: _Function | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Answer


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None


class _Line(msgspec.Struct):
    messages: list[dict[str, Any]]
    id: str | int | None = None
    custom_id: str | None = None
    model: str | None = None
    tools: list[dict[str, Any]] | None = None
    functions: list[dict[str, Any]] | None = None
    response: _Completion | None = None


def read_openai_chats(
    path: Path, *, criterion: str = DEFAULT_CRITERION, system: str = "logged"
) -> Iterator[LoggedChat]:
    """Read a file of logged conversations.

    Args:
        path: JSON Lines; keys that are not named in this module's docstring are passed over.
        criterion: What a good answer achieves, in a sentence.
        system: Who answered, where a line names no model.

    Yields:
        Case and Output of every line. A line without id is called after its number.

    Raises:
        InputError: The file cannot be read or is empty.
        RecordError: A line is not a logged conversation, or its id was there before.
    """
    seen: dict[str, int] = {}
    for number, line in read_numbered(path, _Line):
        case_id = line.custom_id or (f"chat-{number:06d}" if line.id is None else str(line.id))
        if case_id in seen:
            message = f"the id {case_id!r} is already on line {seen[case_id]}; ids are unique"
            raise RecordError(message, path=path, line=number, field="id")
        seen[case_id] = number
        try:
            yield _logged_chat(case_id, line, criterion, system)
        except msgspec.ValidationError as error:
            raise RecordError(str(error), path=path, line=number, field="messages") from error


def _logged_chat(case_id: str, line: _Line, criterion: str, system: str) -> LoggedChat:
    answer, asked = _split(line)
    tools = line.tools or line.functions or []
    model = line.model or (line.response.model if line.response else None)
    tags: dict[str, TagValue] = {"source": "openai", "offers_tools": bool(tools)}
    case = Case(
        id=case_id,
        kind="open_answer",
        messages=cast("list[Message | list[Message]]", asked),
        tools=tools,
        reference={"criterion": criterion},
        tags=tags if model is None else {**tags, "model": model},
    )
    # The line's shape is checked by its type; this refuses messages without a role and tools without a name.
    validate_case(case)
    return LoggedChat(case, None if answer is None else _output(case_id, model or system, answer))


def _split(line: _Line) -> tuple[_Answer | None, list[Message]]:
    """The answer, and what had been said before it."""
    if line.response is not None and line.response.choices:
        return line.response.choices[0].message, line.messages
    if line.messages and line.messages[-1].get("role") == "assistant":
        return msgspec.convert(line.messages[-1], _Answer), line.messages[:-1]
    return None, line.messages


def _output(case_id: str, system: str, answer: _Answer) -> Output:
    calls = [call.function for call in answer.tool_calls or []]
    if answer.function_call is not None:
        calls.append(answer.function_call)
    return Output(
        case_id=case_id,
        system=system,
        text=_text(answer),
        tool_calls=[ToolCall(name=call.name, arguments=call.arguments) for call in calls] or None,
    )


def _text(answer: _Answer) -> str | None:
    if answer.content is None:
        return answer.refusal
    if isinstance(answer.content, str):
        return answer.content
    return "".join(str(part.get("text", part.get("refusal", ""))) for part in answer.content)
