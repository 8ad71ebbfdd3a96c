"""Requests and replies of models, as traces hold them: JSON of any provider, or a text."""

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
    """Return what a function was given, out of the wrappers of instrumentations.

    ``{"args": [], "kwargs": {...}}`` gives its keywords or its only argument; ``{"inputs": {...}}`` its inputs.
    """
    value = _decoded(recorded(value))
    while is_object(value):
        positional, named = value.get("args"), value.get("kwargs")
        if is_object(named) and not positional:
            inner = named
        elif is_list(positional) and len(positional) == 1 and not named and value.keys() <= _BOUND:
            inner = positional[0]
        elif value.keys() <= _AROUND and "inputs" in value:
            inner = value["inputs"]
        else:
            return value
        value = inner if isinstance(inner, str) else _decoded(inner)
    return value


def _decoded(value: Any) -> Any:
    """Return an object or a list that is JSON text; any other value unchanged."""
    found = parsed(value)
    return value if isinstance(found, str) else found


_BOUND = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
_AROUND = frozenset({"inputs", "tags", "metadata", "kwargs"})


def request_of(value: Any) -> dict[str, Any]:
    """Return a request as an object; empty if it is none."""
    value = unwrapped(value)
    return value if is_object(value) else {}


def request_messages(value: Any) -> list[Message]:
    """Return the messages of a request, or of a conversation; empty if there are none."""
    value = unwrapped(value)
    if isinstance(value, str):
        return [user_message(value)]
    if (
        is_object(value)
        and value.keys().isdisjoint(("messages", "contents", "instructions"))
        and (text := _words(value))
    ):
        return [user_message(text)]
    if is_object(value):
        value = {**value, "messages": _only_batch(value["messages"])} if "messages" in value else value
        try:
            request = request_in(FieldReader(value))
            found = [] if request is None else asked_messages(request)
        except RecordError:
            found = []
        if not found:
            text = _words(value)
            return [] if text is None else [user_message(text)]
        return _plain(found)
    return conversation_of(_only_batch(value))


def conversation_of(value: Any) -> list[Message]:
    """Return a list of messages in any form; empty if it is none."""
    if not is_list(value) or not (is_conversation(value) or are_messages(value)):
        return []
    try:
        return _plain(conversation_messages(value))
    except RecordError:
        return []


def _plain(messages: list[FieldReader]) -> list[Message]:
    return messages_of([message.value for message in messages])


def _only_batch(value: Any) -> Any:
    """Return the only list in a list of lists, and pairs of role and text as messages."""
    if is_list(value) and value and all(map(_is_pair, value)):
        return [{"role": role, "content": text} for role, text in value]
    return value[0] if is_list(value) and len(value) == 1 and is_list(value[0]) else value


def _is_pair(value: Any) -> bool:
    return is_list(value) and len(value) == 2 and all(isinstance(each, str) for each in value)  # noqa: PLR2004 - role and text


def _words(value: dict[str, Any]) -> str | None:
    """Return the user's text among the arguments of a run."""
    texts = [each for each in value.values() if isinstance(each, str)]
    named = (value[name] for name in QUESTIONS if isinstance(value.get(name), str))
    return next(named, texts[0] if len(texts) == len(value) == 1 else None)


def reply_messages(value: Any) -> list[FieldReader]:
    """Return the messages of a reply, of its first choice if there are several."""
    value = parsed(recorded(value))
    if is_object(value) and is_list(found := value.get("generations")):
        inner = found[0] if found and is_list(found[0]) else found
        value = {"choices": inner} if inner and all(map(is_object, inner)) else None
    if is_object(value) and is_object(held := value.get("response")) and not value.keys() & _REPLIES:
        value = held
    try:
        choices = answers_in(value, "output")
    except RecordError:
        choices = []
    if choices:
        return choices[0]
    text = None if value is None or is_list(value) else answer_text(value)
    return [] if text is None else [FieldReader({"role": "assistant", "content": text})]


_REPLIES = frozenset({"choices", "candidates", "messages", "message", "output", "role", "content"})
