"""Tool calls in any format, and chats as steps of an agent.

Name: ``name``, ``function``, ``function.name``. Arguments (an object or JSON text): ``arguments``, ``args``, ``kwargs``, ``inputParameters``,
``input_parameters``, ``input``, ``parameters``. Id: ``id``, ``tool_call_id``, ``call_id``. All may be inside ``tool_call``. Results are messages of role
``tool``, or parts of messages, matched by id, else in order; a failed one is ``{"error": ...}``. Messages may be in the form of OpenAI,
Anthropic, Gemini, Bedrock or LangChain, whose ``invalid_tool_calls`` are calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from ..errors import RecordError
from ..records import Message, Step, ToolCall, ToolResults
from ..records.json_text import type_name
from .field_reader import FieldReader
from .json_values import as_text, is_list, is_object, is_text_in, parsed, question_text
from .message_parts import RESULT_PARTS, are_parts, parts_of, results_apart

_ARGUMENT_KEYS = ("arguments", "args", "kwargs", "inputParameters", "input_parameters", "input", "parameters")
_ID_KEYS = ("call_id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "id")
_EXTRA_FIELDS = "additional_kwargs"
"""Field in which LangChain keeps a provider's further fields; older versions keep calls there."""

_CALL_PARTS = frozenset({"tool_call", "function_call", "openapi_call", "tool_use", "toolCall", "tool-call"})
_CALL_WRAPPERS = ("tool_call", "function_call", "functionCall", "function")
"""Fields that contain a call, the outermost first."""
_ROLES = {
    **dict.fromkeys(("human", "customer", "client", "visitor"), "user"),
    **dict.fromkeys(("ai", "model", "gpt", "bot", "chatbot", "agent"), "assistant"),
    **dict.fromkeys(("function", "observation"), "tool"),
}
"""Roles by their names in logs and in the ShareGPT format."""

_ROLE_KEYS = ("role", "type", "from", "sender", "speaker")
_TEXT_KEYS = ("value", "text", "message", "body")
"""Keys of a message's text in logs that do not call it `content`."""
_CONTENT_FIELDS = frozenset(
    {"content", "parts", "contents", "refusal", *_TEXT_KEYS, "tool_calls", "toolCalls", "function_call"}
)
_METADATA_FIELDS = frozenset({*_ROLE_KEYS, "id", "name", "model", "status", "finish_reason", "stop_reason", "object", "timestamp", "time", "ts", "date",
                    "created", "created_at", "createdAt"})  # fmt: skip
"""Fields of a message that are not its text."""


class IdentifiedCall(NamedTuple):
    """A call, and the id by which its result refers to it."""

    call: ToolCall
    id: str | None = None


class AgentAnswer(NamedTuple):
    """Agent's answer.

    Attributes:
        text: Its last text.
        calls: All its calls, or None without any.
        steps: Its texts, calls and results in order, or None if text and calls say as much.
    """

    text: str | None = None
    calls: list[ToolCall] | None = None
    steps: list[Step] | None = None

    @property
    def is_empty(self) -> bool:
        """True if the answer has neither text nor calls."""
        return not (self.text or "").strip() and self.calls is None and not self.steps


def call_of(value: Any, at: str = "") -> IdentifiedCall:
    """Read a tool call in any of the known forms.

    Args:
        value: The call.
        at: Its path, for errors.

    Raises:
        RecordError: The call has no name, or arguments that are neither an object nor a text.
    """
    node = FieldReader(value, at)
    identity = node.name(*_ID_KEYS)
    for name in _CALL_WRAPPERS:
        if is_object(node.value.get(name)):
            node = node.node(name)
            identity = identity or node.name(*_ID_KEYS)
    function = node.name("name", "function", "tool_name", "toolName")
    if not function:
        raise node.refuse("name", "the name of a function")
    return IdentifiedCall(ToolCall(name=function, arguments=_arguments(node)), identity)


def plain_calls(values: Iterable[Any], at: str) -> list[ToolCall]:
    """Return the tool calls of a list, without their ids."""
    if not values:  # most rows make no call, and a comprehension over none costs a call of Python
        return []
    return [call_of(call, f"{at}[{number}]").call for number, call in enumerate(values)]


def has_arguments(value: Any) -> bool:
    """Return whether a call has arguments, even an empty object of them."""
    call = value if is_object(value) else dict[str, Any]()
    return any(call.get(name) is not None for name in _ARGUMENT_KEYS) or any(
        is_object(inner := call.get(name)) and has_arguments(inner) for name in _CALL_WRAPPERS
    )


def _arguments(node: FieldReader) -> dict[str, Any] | str:
    name = node.first(*_ARGUMENT_KEYS)
    if name is None:
        return {}
    value = node.value[name]
    if not isinstance(value, dict | str):
        raise RecordError(f"expected an object or a text, got {type_name(value)}", field=node.path(name))
    return cast("dict[str, Any] | str", value)


def calls_of(message: FieldReader) -> list[IdentifiedCall]:
    """Return the calls of an assistant's message, from any of its fields."""
    return [call_of(value, at) for value, at in _call_values(message)]


def lacks_arguments(message: FieldReader) -> bool:
    """Return whether any call of a message lacks the key of its arguments."""
    return not all(_names_arguments(value) for value, _ in _call_values(message))


def _call_values(message: FieldReader) -> Iterator[tuple[Any, str]]:
    """Yield the calls of a message as they are written, each with its path."""
    items = message.items("tool_calls", "toolCalls")
    if not items and _EXTRA_FIELDS in message and is_object(extra_fields := message.value[_EXTRA_FIELDS]):
        items = FieldReader(extra_fields, message.path(_EXTRA_FIELDS)).items("tool_calls")
    yield from ((item, at) for at, item in items)
    if message.get("function_call") is not None:
        yield message.value["function_call"], message.path("function_call")
    yield from ((part.value, part.at) for part in parts_of(message) if part.text("type") in _CALL_PARTS)


def _names_arguments(value: Any) -> bool:
    """Return whether a call has a key for arguments, even with null, unlike `has_arguments`."""
    call = value if is_object(value) else dict[str, Any]()
    return any(name in call for name in _ARGUMENT_KEYS) or any(
        _names_arguments(call[name]) for name in _CALL_WRAPPERS if name in call
    )


def text_of(message: FieldReader) -> str | None:
    """Return a message's text, joined from its parts, or None if there is none.

    A refusal counts as text.
    """
    name = message.first("content", "parts", "contents", "refusal")
    if name is None:
        return _other_text(message)
    value = message.value[name]
    if isinstance(value, str):
        return value
    if not is_list(value):
        raise message.refuse(name, "a text or a list of parts")
    texts = [part.text("text", "content", "refusal") for part in parts_of(message) if _is_text(part)]
    return "".join(text for text in texts if text is not None) if texts else None


def _other_text(message: FieldReader) -> str | None:
    """Return a text under a name other than `content`."""
    return next((text for name in _TEXT_KEYS if isinstance(text := message.get(name), str)), None)


def has_chat_form(message: FieldReader) -> bool:
    """Return whether a message has its text, if any, in `content`, as the chat API does."""
    return message.get("content") is not None or _other_text(message) is None


def _require_known_text(message: FieldReader) -> None:
    """Require that an agent's message has no text under an unknown key; it would seem empty.

    Raises:
        RecordError: The message has such a text.
    """
    if message.value.keys() & _CONTENT_FIELDS:
        return
    unknown_fields = [
        name
        for name, value in message.value.items()
        if isinstance(value, str) and name not in _METADATA_FIELDS
    ]
    if unknown_fields:
        raise RecordError(
            f"missing; expected a text; rename the field that holds it: {', '.join(map(repr, unknown_fields))}",
            field=message.path("content"),
        )


def _is_text(part: FieldReader) -> bool:
    return part.text("type") in {None, "text", "input_text", "output_text", "refusal"}


def results_of(message: FieldReader) -> list[tuple[str | None, Any]]:
    """Return the results of calls in a message, each with the id of its call, or None."""
    call_id = message.name("tool_call_id", "toolCallId")
    if (
        call_id is None
        and _EXTRA_FIELDS in message
        and is_object(extra_fields := message.value[_EXTRA_FIELDS])
    ):
        call_id = FieldReader(extra_fields, message.path(_EXTRA_FIELDS)).name("tool_call_id")
    results = list[tuple[str | None, Any]]()
    for part in parts_of(message):
        fields = RESULT_PARTS.get(str(part.get("type")))
        if fields is not None:
            results.append((part.name(*_ID_KEYS) or call_id, _result(part, _typed_output(part.get(*fields)))))
    if results or role_of(message) != "tool":
        return results
    return [(call_id, _result(message, message.get("content")))]


_VERCEL_RESULT_TYPES = frozenset({"text", "json", "content", "error-text", "error-json"})


def _typed_output(value: Any) -> Any:
    """Return a result without the ``{type, value}`` in which Vercel's AI SDK wraps it."""
    if (
        not is_object(value)
        or value.keys() != {"type", "value"}
        or not is_text_in(value["type"], _VERCEL_RESULT_TYPES)
    ):
        return value
    return {"error": value["value"]} if value["type"].startswith("error") else value["value"]


def _result(node: FieldReader, value: Any) -> Any:
    """Return a call's result: texts in parts as one text, an error as an object."""
    parts = parts_of(FieldReader({"content": value}, node.at)) if are_parts(value) else []
    if parts and all(part.get("type") == "text" for part in parts):
        value = text_of(FieldReader({"content": value}, node.at))
    error = node.get("error")
    if error is None and (node.get("is_error") is True or node.get("status") == "error"):
        error = value
    return value if error is None else {"error": error}


def role_of(message: FieldReader) -> str | None:
    """Return the role of a message as the chat API calls it, or None without one."""
    role = message.text(*_ROLE_KEYS)
    return None if role is None else _ROLES.get(role, role)


def message_of(value: Any, at: str = "") -> Message:
    """Return a message of a case in the chat API's format."""
    message = FieldReader(value, at)
    role = role_of(message)
    if role is None:
        raise message.refuse("role", "the role of a message")
    results = _result_messages(message)
    if len(results) == 1:
        return results[0]
    content = message.get("content", "contents")
    text = text_of(message)
    if text is None and all(part.text("type") in _CALL_PARTS for part in parts_of(message)):
        content = None if is_list(content) else content
    chat_message: Message = {
        "role": role,
        "content": content if text is None and "parts" not in message else text,
    }
    calls = calls_of(message)
    if calls:
        chat_message["tool_calls"] = [
            {
                **({} if call.id is None else {"id": call.id}),
                "type": "function",
                "function": {"name": call.call.name, "arguments": as_text(call.call.arguments)},
            }
            for call in calls
        ]
    return chat_message


def _result_messages(message: FieldReader) -> list[Message]:
    return [
        {"role": "tool", "content": as_text(value)} | ({} if identity is None else {"tool_call_id": identity})
        for identity, value in results_of(message)
    ]


def _split_results(message: FieldReader) -> list[Message]:
    messages = list[Message]()
    for reader in results_apart([message]):
        results = _result_messages(reader)
        messages += results if len(results) > 1 else [message_of(reader.value, reader.at)]
    return messages


def messages_of(value: Any, at: str = "") -> list[Message]:
    """Return the messages of a case from a text, a message, or a list of messages or texts."""
    value = parsed(value)
    if value is None:
        return []
    if isinstance(value, str):
        return [user_message(value)]
    if not is_list(value):
        return _split_results(FieldReader(value, at))
    messages: list[Message] = []
    for number, item in enumerate(value):
        if isinstance(item, str):
            messages.append(user_message(item))
        else:
            messages += _split_results(FieldReader(item, f"{at}[{number}]"))
    return messages


def user_message(text: str | None) -> Message:
    """Return a user message."""
    return {"role": "user", "content": text}


def question_of(value: Any, at: str = "") -> list[Message]:
    """Return a question as messages: a list of them, perhaps under `messages`, or a text."""
    for messages in (value, value.get("messages") if is_object(value) else None):
        if are_messages(messages):
            return messages_of(messages, at)
    text = question_text(value)
    return [] if text is None else [user_message(text)]


def split_question(messages: list[FieldReader]) -> tuple[list[FieldReader], list[FieldReader]]:
    """Split messages after the user's last text into question and answer.

    Results of calls belong to the answer, even if they are in a user message.
    """
    separate = list(results_apart(messages))
    are_questions = (role_of(reader) == "user" and not results_of(reader) for reader in separate)
    end = max((count for count, is_question in enumerate(are_questions, start=1) if is_question), default=0)
    return separate[:end], separate[end:]


def are_messages(value: Any) -> bool:
    """Return whether a value is a list of chat messages."""
    if not is_list(value) or not value:
        return False
    return all(
        is_object(item) and ("role" in item or "content" in item or _names_speaker(item)) for item in value
    )


def _names_speaker(item: dict[str, Any]) -> bool:
    """Return whether an object has a speaker, under a key other than a role or type, and a text."""
    # Without the first two, `role` and `type`, which objects of other kinds have, too.
    has_speaker = any(isinstance(item.get(name), str) for name in _ROLE_KEYS[2:])
    return has_speaker and not item.keys().isdisjoint(_TEXT_KEYS)


def answer_of(messages: Iterable[FieldReader]) -> AgentAnswer:
    """Return an agent's answer from the messages of its turn."""
    return answer_of_steps(steps_of(messages))


def steps_of(messages: Iterable[FieldReader]) -> list[Step]:
    """Return the steps of an agent's turn: its texts, its calls, and their results."""
    steps, pending_ids = list[Step](), list[str | None]()
    results = list[tuple[str | None, Any]]()

    def add_results() -> None:
        if pending_ids and results:
            steps.append(ToolResults(results=_in_order(pending_ids, results)))
        pending_ids.clear()
        results.clear()

    for message in messages:
        if role_of(message) == "assistant":
            add_results()
            text, calls = text_of(message), calls_of(message)
            _require_known_text(message)
            if text:
                steps.append(text)
            if calls:
                steps.append([call.call for call in calls])
                pending_ids.extend(call.id for call in calls)
        results.extend(results_of(message))
    add_results()
    return steps


def answer_of_steps(steps: list[Step]) -> AgentAnswer:
    """Return an agent's answer from its steps; its steps are None if text and calls say as much."""
    texts = [step for step in steps if isinstance(step, str)]
    calls = [call for step in steps if is_list(step) for call in step]
    has_more_steps = len(steps) > len(texts[-1:]) + bool(calls)
    is_text_after_calls = len(steps) == 2 and is_list(steps[0])  # noqa: PLR2004 - calls, and a text after them
    order_matters = has_more_steps or is_text_after_calls
    return AgentAnswer(texts[-1] if texts else None, calls or None, steps if order_matters else None)


def _in_order(call_ids: list[str | None], results: list[tuple[str | None, Any]]) -> list[Any]:
    """Return one result per call: the one with its id, else the next result without a known id."""
    by_id = {call_id: value for call_id, value in results if call_id is not None and call_id in call_ids}
    unmatched = iter([value for call_id, value in results if call_id is None or call_id not in call_ids])
    return [by_id[call_id] if call_id in by_id else next(unmatched, None) for call_id in call_ids]
