"""Example: what one row of any tool says, before it is a Case, an Output and Verdicts."""

from __future__ import annotations

from typing import Any

import msgspec

from ..records import ContextItem, Criterion, Message, Step, TagValue
from .calls import AgentAnswer
from .conversation_turns import ConversationTurn
from .imported_scores import ImportedScore
from .json_values import as_text, is_list, is_object, python_texts


class Example(msgspec.Struct, kw_only=True):
    """One row's case, in the words of `Case` and `Output`, with its answer.

    Attributes:
        id: The case's; empty where the file has none, and one is made of the row's number (from 1) behind the prefix.
        expected_calls: The calls that were wanted, as the file has them; empty where none is due, None where it says nothing of calls.
        answer: What was done; None without an answer.
        turns: Its steps by turn, where there are several turns.
        conversation: The turns of a conversation, which take the place of ``messages``, ``answer`` and ``turns``.
        labelled_by: The person whose label the row is of, where a column names one: further rows of an output are then of others.
        calls_made: Whether calls were made, where other answers to the same case count, too; None asks this answer.
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
    error: str | None = None
    system: str | None = None
    trial: int = 0
    turns: list[list[Step]] | None = None
    conversation: list[ConversationTurn] = []
    calls_made: bool | None = None
    opinions: list[ImportedScore] = []
    labelled_by: str | None = None


def context_item(value: Any, number: int) -> ContextItem:
    """Return a passage given as a text or an object; its name is its id or its number."""
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


def answers_of(value: Any) -> list[str]:
    """Accepted answers, from one or a list."""
    return [text for text in (as_text(item) for item in as_values(value)) if text is not None]
