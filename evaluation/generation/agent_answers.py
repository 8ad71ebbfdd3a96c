"""Agents' answers: a text, calls, fields of an output or chat messages, read into an output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeGuard, cast

import msgspec

from ...errors import UsageError
from ...formats.calls import answer_of, answer_of_steps, results_of, role_of, steps_of
from ...formats.field_reader import FieldReader
from ...formats.json_values import parsed
from ...formats.logged_messages import conversation_messages, is_conversation
from ...formats.logged_request import with_messages
from ...formats.openai_chat import reply_messages
from ...records import Case, Output, ToolCall, memory_file, message_text, read_records
from ...spelling import setting
from .attempt import Attempt

EXPECTED = 'a text, a list of calls, {"messages": [...]}, a mapping with fields of an output ("text", "tool_calls", "turns")'
"""Accepted forms of an answer, for messages."""


def expected_instead(answer: Any) -> str:
    """Return the accepted forms, for an error message about an answer in another form."""
    if isinstance(answer, Mapping) and "messages" in answer:
        return 'messages with a role and a content each, such as {"role": "assistant", "content": "..."}, or the form in which a framework stores them'
    return EXPECTED


_FIELDS = frozenset(Output.__struct_fields__) - {"asked"}
"""Fields of an output that an agent may set."""

_MESSAGE_FIELDS = frozenset({"messages", "choices", "output"})
"""Fields that contain messages; with them, an agent may set fields of an output."""


def output_of(
    answer: Any, attempt: Attempt, system: str, trial: int, *, in_turns: bool, renamed: bool = False
) -> Output:
    """Return the output made of an agent's answer and its earlier steps.

    Args:
        answer: An answer in one of the forms `EXPECTED`, an `Output`, or None if the steps are the whole output.
        attempt: The attempt, with its earlier steps.
        system: Name of the system.
        trial: Number of the attempt.
        in_turns: True for turns of steps, False for one answer.
        renamed: True if the user named the system, which then replaces the answer's own.

    Raises:
        UsageError: The answer is in none of these forms, or of another case or system.
        RecordError: Its fields are not those of an output.
    """
    case = attempt.case
    identity = {"case_id": case.id, "system": system, "trial": trial}
    if isinstance(answer, Output):
        _require_same_case(answer.case_id, case)
        _require_same_system(answer.system, case, system, renamed=renamed)
        return msgspec.structs.replace(answer, **identity, asked=attempt.asked_turns)
    has_steps = any(attempt.turns)
    fields = {} if answer is None and has_steps else answer_fields(answer, case)
    _require_same_case((fields or {}).get("case_id"), case)
    if fields is None:
        raise UsageError(
            f"the agent gave {type(answer).__name__} for case {case.id!r}; expected {expected_instead(answer)}, or an Output"
        )
    _require_same_system(fields.get("system"), case, system, renamed=renamed)
    if has_steps and "turns" not in fields:
        fields = _with_steps(fields, attempt, in_turns=in_turns)
    output = next(read_records(memory_file(f"answer to {case.id}", [fields | identity]), Output))
    return msgspec.structs.replace(output, asked=attempt.asked_turns)


def _require_same_case(case_id: object, case: Case) -> None:
    if case_id not in {None, "", case.id}:
        raise UsageError(
            f"the agent returned an output of case {case_id!r} for case {case.id!r}; set case_id=case.id"
        )


def _require_same_system(own: object, case: Case, system: str, *, renamed: bool) -> None:
    """Refuse an answer of another system: outputs are stored and resumed under the agent's name."""
    if not renamed and own not in {None, "", system}:
        raise UsageError(
            f"the agent returned an output of system {own!r} for case {case.id!r}, and is itself named {system!r}; leave the output's system empty, or generate with {setting('system', f'{str(own)!r}')}"
        )


def answer_fields(answer: Any, case: Case) -> dict[str, Any] | None:
    """Return an answer as fields of an output, or None if it is in no accepted form.

    Raises:
        RecordError: It is a malformed conversation.
    """
    if isinstance(answer, str):
        return {"text": answer}
    answer = parsed(answer.decode("utf-8", "replace")) if isinstance(answer, bytes) else _as_json(answer)
    if isinstance(answer, Mapping):
        return _fields_of(dict(cast("Mapping[str, Any]", answer)), case)
    if not _is_sequence(answer):
        return None
    entries = [_as_json(entry) for entry in answer]
    if not all(isinstance(entry, (ToolCall, Mapping)) for entry in entries):
        return None
    if is_conversation(entries):
        return _fields_from(conversation_messages(entries), case)
    return {"tool_calls": entries}


def _as_json(value: Any) -> Any:
    """Return a message or reply object of a client library as JSON; any other value unchanged."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _is_sequence(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _fields_of(answer: dict[str, Any], case: Case) -> dict[str, Any] | None:
    if answer.keys() <= _FIELDS:
        return answer
    answer = with_messages(answer)
    if _is_sequence(messages := answer.get("messages")):
        answer["messages"] = [_as_json(message) for message in messages]
    if (messages := reply_messages(answer)) is not None:
        # The calls of a single message are read already. `system` next to messages may be a prompt, and is ignored.
        field_names = (
            (_FIELDS - {"system"}) & answer.keys() if answer.keys() & _MESSAGE_FIELDS else frozenset[str]()
        )
        other_fields = {name: answer[name] for name in field_names if answer[name] is not None}
        return _fields_from(messages, case) | other_fields
    return {"tool_calls": [answer]} if "name" in answer or "function" in answer else None


def _fields_from(messages: Sequence[FieldReader], case: Case) -> dict[str, Any]:
    """Return an output's fields from a chat, which may begin with the case's messages.

    A case of several turns gives steps by turn, if the chat has as many user messages as the case.
    """
    # Positions just after a user's message.
    after_user = [number for number, message in enumerate(messages, start=1) if _is_users(message)]
    user_counts = [sum(message.get("role") == "user" for message in turn) for turn in case.turns]
    totals = [*accumulate(user_counts)]
    if len(case.turns) < 2 or len(after_user) != totals[-1]:  # noqa: PLR2004 - one turn, or turns that cannot be told apart
        answer = answer_of(messages[_answer_start(messages, after_user, case) :])
        turns = None if answer.steps is None else [answer.steps]
    else:
        # A turn's steps start after its last user message, and end at the first user message of the next turn.
        starts = [after_user[total - 1] for total in totals]
        ends = [
            *(start - count for start, count in zip(starts[1:], user_counts[1:], strict=True)),
            len(messages),
        ]
        turns = [steps_of(messages[start:end]) for start, end in zip(starts, ends, strict=True)]
        answer = answer_of_steps([step for turn in turns for step in turn])
    fields = {"tool_calls": answer.calls, "turns": turns}
    return {"text": answer.text} | {name: value for name, value in fields.items() if value is not None}


def _is_users(message: FieldReader) -> bool:
    """Return whether a message is the user's; in some APIs, results of calls have that role."""
    return role_of(message) == "user" and not results_of(message)


def _answer_start(messages: Sequence[FieldReader], after_user: Sequence[int], case: Case) -> int:
    """Return the position of the answer: after the case's messages, else the user's last one.

    An agent's program may write messages as the user's in the middle of its work.
    """
    first = case.turns[0] if case.turns else []
    texts_of_case = [message_text(message) for message in first if message.get("role") == "user"]
    texts = [message_text(messages[number - 1].value) for number in after_user[: len(texts_of_case)]]
    if texts_of_case and texts == texts_of_case:
        return after_user[len(texts_of_case) - 1]
    return after_user[-1] if after_user else 0


def _with_steps(fields: dict[str, Any], attempt: Attempt, *, in_turns: bool) -> dict[str, Any]:
    """Add the steps taken earlier to an answer's fields."""
    text: str | None = fields.pop("text", None)
    calls: list[Any] = fields.pop("tool_calls", None) or []
    steps = [step for turn in attempt.turns for step in turn]
    if not in_turns:
        earlier_calls = [call for step in steps if isinstance(step, list) for call in step]
        earlier_texts = [step for step in steps if isinstance(step, str)]
        all_text = text or "\n".join(earlier_texts) or None
        return fields | {"text": all_text, "tool_calls": [*earlier_calls, *calls]}
    last_steps: list[Any] = [*([calls] if calls else []), *([] if text is None else [text])]
    return fields | {"turns": [*attempt.turns[:-1], [*attempt.turns[-1], *last_steps]], "tool_calls": []}
