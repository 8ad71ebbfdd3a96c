"""Example: content of one row of any tool, before it becomes Case, Output and Verdicts."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ..errors import RecordError
from ..records import ContextItem, Criterion, Message, Step, TagValue
from .calls import AgentAnswer
from .conversation_turns import ConversationTurn
from .imported_records import Skipped
from .imported_scores import ImportedScore
from .json_values import as_text, is_list, is_object, python_texts


class Example(msgspec.Struct, kw_only=True):
    """One row's case and answer, with the field names of `Case` and `Output`.

    Attributes:
        id: The case's id; if empty, one is made of the prefix and the row's number (from 1).
        expected_calls: The expected calls, as in the file; empty if none is due, None if the file has no such field.
        answer: The agent's answer, or None if there is none.
        unrecorded: Reason why an answer that was given is not in the file.
        lost: Skipped entries for parts of the source that have no place here.
        turns: Its steps by turn, if there are several turns.
        conversation: The turns of a conversation, instead of ``messages``, ``answer`` and ``turns``.
        labelled_by: The person who gave the row's label, if a column names people; other rows of the output are then other people's.
        is_trial: Whether the row has a trial's number; trials of a case may differ in their question, as with a simulated user.
        in_table: Whether the example is a row of a table, where columns can tell repeated outputs apart.
        calls_made: Whether this or another answer to the case made calls; None until that is determined.
    """

    id: str = ""
    prefix: str = "row"
    number: int = 0
    messages: list[Message] | list[list[Message]] = []
    tools: list[dict[str, Any]] = []
    expected_calls: list[Any] | None = None
    accepted: list[str] = []
    context: list[Any] = []
    criterion: str | None = None
    criteria: list[Criterion] = []
    tags: dict[str, TagValue] = {}
    cluster: str | None = None
    answer: AgentAnswer | None = None
    unrecorded: str | None = None
    lost: list[Skipped] = []
    error: str | None = None
    system: str | None = None
    trial: int = 0
    turns: list[list[Step]] | None = None
    conversation: list[ConversationTurn] = []
    calls_made: bool | None = None
    scores: list[ImportedScore] = []
    labelled_by: str | None = None
    is_trial: bool = False
    in_table: bool = False


def context_item(value: Any, number: int) -> ContextItem:
    """Return a passage, given as a text or an object, with its id or number as name."""
    if is_object(value):
        text = next((value[name] for name in ("content", "page_content", "text") if name in value), value)
        identity = value.get("id")
        return ContextItem(id=str(number if identity is None else identity), content=text)
    return ContextItem(id=str(number), content=value)


def as_values(value: Any) -> list[Any]:
    """Return a value as a list; empty for None and empty text, its items for a printed list."""
    if value is None or value == "":
        return []
    if is_list(value):
        return value
    items = python_texts(value) if isinstance(value, str) else None
    return [value] if items is None else items


_LIST_START = re.compile(r"\A\s*+\[\s*+[\"'{]")


def passages_of(value: Any, at: str) -> list[Any]:
    """Return the passages of a context, which may be one passage or a list.

    Raises:
        RecordError: The text begins as a list and cannot be read as one; it may have been cut off.
    """
    passages = as_values(value)
    if isinstance(value, str) and passages == [value] and _LIST_START.match(value):
        raise RecordError(
            f"begins as a list and cannot be read as one: {value[:40]!r}; write it whole, as JSON, or without the bracket",
            field=at,
        )
    return passages


def answers_of(value: Any) -> list[str]:
    """Return accepted answers as texts, from one answer or a list."""
    return [text for text in (as_text(item) for item in as_values(value)) if text is not None]
