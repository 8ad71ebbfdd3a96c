"""Conversations as turns: a request, and the agent's steps until the next request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from ..records import Message, Step
from .calls import (
    AgentAnswer,
    answer_of_steps,
    has_chat_form,
    message_of,
    results_of,
    role_of,
    steps_of,
    text_of,
)
from .field_reader import FieldReader
from .json_values import is_text_in
from .message_parts import has_untyped_parts, results_apart

Unit: TypeAlias = Literal["session", "turn", "last"]
"""Part of a conversation that becomes a case: all of it, each turn, or its last turn."""

FAILED = "\0failed"
"""Field of a message that stands for a missing answer; its value is the reason.

The NUL keeps it apart from fields of files.
"""

_AGENT_ROLES = frozenset({"assistant", "tool"})
_CHAT_ROLES = frozenset({"user", "system", "developer", "assistant", "tool"})


class ConversationTurn(NamedTuple):
    """One turn of a conversation."""

    request: list[FieldReader]
    reply: list[FieldReader]

    @property
    def error(self) -> str | None:
        """The error at the end of the turn, unless the agent answered after it."""
        return self.reply[-1].value.get(FAILED) if self.reply else None

    @property
    def steps(self) -> list[Step]:
        """The agent's steps."""
        return steps_of(reader for reader in self.reply if FAILED not in reader)

    @property
    def messages(self) -> list[Message]:
        """All messages of the turn."""
        reply = (reader for reader in self.reply if FAILED not in reader)
        return [asked_message(reader) for reader in chain(self.request, reply)]


def is_agents(message: FieldReader) -> bool:
    """Return whether a message is the agent's, or contains only results of its calls."""
    return role_of(message) in _AGENT_ROLES or (bool(results_of(message)) and text_of(message) is None)


def turns_of(messages: Iterable[FieldReader]) -> list[ConversationTurn]:
    """Split a conversation into turns.

    Agent messages before the first user message belong to the question.
    """
    turns: list[ConversationTurn] = []
    user_spoke = False
    for message in results_apart(messages):
        by_agent = is_agents(message)
        if not turns or (turns[-1].reply and not by_agent):
            turns.append(ConversationTurn([], []))
        user_spoke = user_spoke or role_of(message) == "user"
        (turns[-1].reply if by_agent and user_spoke else turns[-1].request).append(message)
    return turns


def asked_message(message: FieldReader) -> Message:
    """Return a message of a question, unchanged if it is in the chat API's format."""
    is_chat_message = (
        is_text_in(message.value.get("role"), _CHAT_ROLES)
        and "parts" not in message
        and not has_untyped_parts(message)
    )
    is_chat_message = is_chat_message and has_chat_form(message)
    if is_chat_message and (message.value["role"] == "tool" or not results_of(message)):
        return message.value
    return message_of(message.value, message.at)


def conversation(messages: Iterable[FieldReader], unit: Unit) -> list[ConversationTurn]:
    """Return a conversation's turns, or none if it has one turn or only its last is read."""
    turns = turns_of(messages) if unit != "last" else []
    return turns if len(turns) > 1 else []


def failed(error: str) -> FieldReader:
    """Return the message that stands for a missing answer."""
    return FieldReader({"role": "assistant", "content": None, FAILED: error})


def answer_over(turns: Sequence[ConversationTurn]) -> AgentAnswer:
    """Return the answer of a whole conversation: its last non-empty text, and all its calls."""
    return answer_of_steps([step for turn in turns for step in turn.steps])
