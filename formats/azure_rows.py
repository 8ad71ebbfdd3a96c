"""Rows of azure-ai-evaluation and promptflow as Cases and Outputs.

A line is a row as its evaluators take it, with any of::

    {"id", "query", "response", "context", "ground_truth", "tool_calls", "tool_definitions", "conversation": {"messages", "context"}}

``query`` and ``response`` are texts, or lists of messages whose content may be parts (``text``, ``tool_call``, ``tool_result``). What is asked of a
judge follows from what a row has: calls make the case an ``any_call``, a context a ``grounded_answer``, everything else an
``open_answer``, compared with ``ground_truth`` where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from ..errors import RecordError
from ..records import Case, ContextItem, Kind, Message, Output, ToolCall, read_numbered, validate_case
from .openai_chat import DEFAULT_CRITERION, LoggedChat

_SAME_ANSWER = "The reply says what the expected answer says, and nothing against it."

_Messages = list[dict[str, Any]]


class _Conversation(msgspec.Struct):
    messages: _Messages
    context: Any = None


class _Row(msgspec.Struct):
    id: str | int | None = None
    query: str | _Messages | None = None
    response: str | _Messages | None = None
    context: Any = None
    ground_truth: str | None = None
    tool_calls: dict[str, Any] | _Messages | None = None
    tool_definitions: dict[str, Any] | _Messages | None = None
    conversation: _Conversation | None = None


class _Call(msgspec.Struct):
    name: str
    arguments: str | dict[str, Any] = {}


def read_azure_rows(
    path: Path, *, criterion: str | None = None, system: str = "logged"
) -> Iterator[LoggedChat]:
    """Read a file of rows.

    Args:
        path: JSON Lines; keys that are not named in this module's docstring are passed over.
        criterion: What a good answer achieves, in a sentence, for open answers.
        system: Who answered.

    Yields:
        Case and Output of every row; no Output where nothing was answered. A row without id is called after its number.

    Raises:
        InputError: The file cannot be read or is empty.
        RecordError: A line is not such a row, or its id was there before.
    """
    seen: dict[str, int] = {}
    for number, row in read_numbered(path, _Row):
        case_id = f"row-{number:06d}" if row.id is None else str(row.id)
        if case_id in seen:
            message = f"the id {case_id!r} is already on line {seen[case_id]}; ids are unique"
            raise RecordError(message, path=path, line=number, field="id")
        seen[case_id] = number
        if row.query is None and row.response is None and row.conversation is None:
            raise RecordError("expected a query and a response, or a conversation", path=path, line=number)
        try:
            yield _logged(case_id, row, criterion, system)
        except msgspec.ValidationError as error:
            raise RecordError(str(error), path=path, line=number) from error


def _logged(case_id: str, row: _Row, criterion: str | None, system: str) -> LoggedChat:
    asked, answered = _asked_and_answered(row)
    calls = [_call(call) for call in _objects(row.tool_calls) or _calls_in(answered)]
    context = _context(row)
    kind: Kind = "any_call" if calls else "grounded_answer" if context else "open_answer"
    case = Case(
        id=case_id,
        kind=kind,
        messages=[*asked],
        tools=_objects(row.tool_definitions),
        reference=_reference(row, criterion) if kind == "open_answer" else {},
        context=context,
        tags={"source": "azure"},
    )
    validate_case(case)
    text = _last_text(answered)
    if text is None and not calls:
        return LoggedChat(case, None)
    return LoggedChat(case, Output(case_id=case_id, system=system, text=text, tool_calls=calls or None))


def _asked_and_answered(row: _Row) -> tuple[list[Message], list[Message]]:
    """What was asked, and the messages of the answer."""
    if row.conversation is not None:
        messages = row.conversation.messages
        last = max((place for place, one in enumerate(messages) if one.get("role") == "user"), default=-1)
        return messages[: last + 1], messages[last + 1 :]
    return _messages(row.query, "user"), _messages(row.response, "assistant")


def _messages(given: str | _Messages | None, role: str) -> list[Message]:
    if given is None:
        return []
    return [{"role": role, "content": given}] if isinstance(given, str) else given


def _reference(row: _Row, criterion: str | None) -> dict[str, Any]:
    if row.ground_truth is None:
        return {"criterion": criterion or DEFAULT_CRITERION}
    return {"criterion": criterion or _SAME_ANSWER, "answer": row.ground_truth}


def _context(row: _Row) -> list[ContextItem]:
    given = [row.context]
    if row.conversation is not None:
        given += [row.conversation.context, *(one.get("context") for one in row.conversation.messages)]
    items = [item for part in given for item in _listed(part) if item]
    return [ContextItem(id=str(number), content=item) for number, item in enumerate(items, start=1)]


def _listed(given: Any) -> list[Any]:
    return cast("list[Any]", given) if isinstance(given, list) else [given]


def _parts(message: Message) -> _Messages:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return msgspec.convert(content or [], _Messages)


def _last_text(answered: list[Message]) -> str | None:
    """The text of the last message of the answer that has one."""
    for message in reversed(answered):
        texts = [str(part["text"]) for part in _parts(message) if "text" in part]
        if message.get("role") == "assistant" and texts:
            return "".join(texts)
    return None


def _calls_in(answered: list[Message]) -> _Messages:
    """The calls of an answer: parts of type ``tool_call``, or ``tool_calls`` beside the content."""
    return [
        call
        for message in answered
        for call in (
            *(part for part in _parts(message) if part.get("type") == "tool_call"),
            *msgspec.convert(message.get("tool_calls") or [], _Messages),
        )
    ]


def _call(given: dict[str, Any]) -> ToolCall:
    """A call in Azure's form, or in the chat API's, where its name stands one or two levels deeper."""
    for level in ("tool_call", "function"):
        given = msgspec.convert(given.get(level, given), dict[str, Any])
    call = msgspec.convert(given, _Call)
    return ToolCall(name=call.name, arguments=call.arguments)


def _objects(given: dict[str, Any] | _Messages | None) -> _Messages:
    return [given] if isinstance(given, dict) else given or []
