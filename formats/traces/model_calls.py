"""Requests and replies of models in traces: JSON of any provider, or a text."""

from __future__ import annotations

from typing import Any

from ...errors import RecordError
from ...records import Message
from ..calls import are_messages, messages_of, user_message
from ..field_reader import FieldReader
from ..json_values import answer_text, is_list, is_object, parsed
from ..logged_answer import answers_in
from ..logged_messages import conversation_messages, is_conversation
from ..logged_request import asked_messages, request_in
from .conventions import QUESTIONS
from .recorded_content import recorded


def unwrapped(value: Any) -> Any:
    """Return a function's arguments without the wrappers that instrumentations put around them.

    ``{"args": [], "kwargs": {...}}`` gives the keywords or the only argument, and ``{"inputs": {...}}`` the inputs.
    """
    value = _decoded(recorded(value))
    while is_object(value):
        positional, named = value.get("args"), value.get("kwargs")
        if is_object(named) and not positional:
            inner = named
        elif (
            is_list(positional) and len(positional) == 1 and not named and value.keys() <= _CALL_WRAPPER_KEYS
        ):
            inner = positional[0]
        elif value.keys() <= _INPUT_WRAPPER_KEYS and "inputs" in value:
            inner = value["inputs"]
        else:
            return value
        value = inner if isinstance(inner, str) else _decoded(inner)
    return value


def _decoded(value: Any) -> Any:
    decoded = parsed(value)
    return value if isinstance(decoded, str) else decoded


_CALL_WRAPPER_KEYS = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
_INPUT_WRAPPER_KEYS = frozenset({"inputs", "tags", "metadata", "kwargs"})


def request_of(value: Any) -> dict[str, Any]:
    """Return a request as an object, empty for anything else."""
    value = unwrapped(value)
    return value if is_object(value) else {}


def request_messages(value: Any) -> list[Message]:
    """Return the messages of a request or a conversation, or an empty list."""
    value = unwrapped(value)
    if isinstance(value, str):
        return [user_message(value)]
    if (
        is_object(value)
        and value.keys().isdisjoint(("messages", "contents", "instructions"))
        and (text := _user_text(value))
    ):
        return [user_message(text)]
    if is_object(value):
        value = {**value, "messages": _without_batch(value["messages"])} if "messages" in value else value
        try:
            request = request_in(FieldReader(value))
            messages = [] if request is None else asked_messages(request)
        except RecordError:
            messages = []
        if not messages:
            text = _user_text(value)
            return [] if text is None else [user_message(text)]
        return _plain(messages)
    return conversation_of(_without_batch(value))


def conversation_of(value: Any) -> list[Message]:
    """Return a list of messages of any form, empty for anything else."""
    if not is_list(value) or not (is_conversation(value) or are_messages(value)):
        return []
    try:
        return _plain(conversation_messages(value))
    except RecordError:
        return []


def _plain(messages: list[FieldReader]) -> list[Message]:
    return messages_of([message.value for message in messages])


def _without_batch(value: Any) -> Any:
    """Return the messages in a batch of one conversation; pairs of role and text are messages."""
    if is_list(value) and value and all(map(_is_pair, value)):
        return [{"role": role, "content": text} for role, text in value]
    return value[0] if is_list(value) and len(value) == 1 and is_list(value[0]) else value


def _is_pair(value: Any) -> bool:
    return is_list(value) and len(value) == 2 and all(isinstance(item, str) for item in value)  # noqa: PLR2004 - role and text


def _user_text(value: dict[str, Any]) -> str | None:
    texts = [argument for argument in value.values() if isinstance(argument, str)]
    question_arguments = (value[name] for name in QUESTIONS if isinstance(value.get(name), str))
    return next(question_arguments, texts[0] if len(texts) == len(value) == 1 else None)


def reply_messages(value: Any) -> list[FieldReader]:
    """Return the messages of a reply, or of its first choice."""
    value = parsed(recorded(value))
    if is_object(value) and is_list(generations := value.get("generations")):
        # LangChain's result: a list of generations for each prompt of a batch.
        choices = generations[0] if generations and is_list(generations[0]) else generations
        value = {"choices": choices} if choices and all(map(is_object, choices)) else None
    if is_object(value) and is_object(response := value.get("response")) and not value.keys() & _REPLY_KEYS:
        value = response
    try:
        choices = answers_in(value, "output")
    except RecordError:
        choices = []
    if choices:
        return choices[0]
    text = None if value is None or is_list(value) else answer_text(value)
    return [] if text is None else [FieldReader({"role": "assistant", "content": text})]


_REPLY_KEYS = frozenset({"choices", "candidates", "messages", "message", "output", "role", "content"})
