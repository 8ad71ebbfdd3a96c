"""Conversations that fill a memory before BFCL's questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from ...errors import RecordError
from ...records.typed_values import convert
from .data_source import DataSource, read_objects

_QUESTION_FILE = "BFCL_v4_memory.json"


class EarlierConversation(NamedTuple):
    """A conversation that fills a memory before questions are questions.

    Attributes:
        scenario: Scenario of the questions.
        id: Its id in result files, without the kind of memory.
        turns: The user's messages by turn.
    """

    scenario: str
    id: str
    turns: list[list[dict[str, Any]]]


def read_conversations(source: DataSource) -> Iterator[EarlierConversation]:
    """Read the conversations before memory questions, in order within each scenario.

    A scenario without a file has no conversations.

    Raises:
        RecordError: A line is not a conversation.
    """
    questions = read_objects(source, _QUESTION_FILE) if source.has(_QUESTION_FILE) else ()
    for scenario in dict.fromkeys(str(raw.get("scenario")) for _, raw in questions):
        path = f"memory_prereq_conversation/memory_{scenario}.json"
        for line, raw in read_objects(source, path) if source.has(path) else ():
            try:
                turns = convert(raw["question"], list[list[dict[str, Any]]])
                yield EarlierConversation(scenario, convert(raw["id"], str), turns)
            except (KeyError, msgspec.ValidationError) as error:
                message = f"expected an id and the turns of a conversation: {error}"
                raise RecordError(message, path=source.place(path), line=line) from error
