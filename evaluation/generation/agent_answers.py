"""Parse an agent's answer: a text, calls, fields of an output, or OpenAI chat messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, cast

import msgspec

from ...errors import UsageError
from ...formats.calls import answer_of, are_messages, role_of
from ...formats.field_reader import FieldReader
from ...formats.openai_chat import reply_messages
from ...records import Case, Output, Step, ToolCall, memory_file, read_records
from .attempt import Attempt

EXPECTED = 'a text, a list of calls, {"messages": [...]}, a mapping with fields of an output ("text", "tool_calls", "turns")'
"""Accepted forms of an answer, for messages."""

_FIELDS = frozenset(Output.__struct_fields__) - {"asked"}
"""Fields of an output that an agent may set."""


def output_of(answer: Any, attempt: Attempt, system: str, trial: int, *, in_turns: bool) -> Output:
    """Return the output made of an agent's answer and its earlier steps.

    Args:
        answer: An answer in one of the forms `EXPECTED`, an `Output`, or None if the steps are the whole output.
        attempt: The attempt, with its earlier steps.
        system: Name of the system.
        trial: Number of the attempt.
        in_turns: True for turns of steps, False for one answer.

    Raises:
        UsageError: The answer is in none of these forms, or of another case.
        RecordError: Its fields are not those of an output.
    """
    case = attempt.case
    identity = {"case_id": case.id, "system": system, "trial": trial}
    if isinstance(answer, Output):
        _refuse_other_case(answer.case_id, case)
        return msgspec.structs.replace(answer, **identity, asked=attempt.asked_turns)
    has_steps = any(attempt.turns)
    fields = {} if answer is None and has_steps else answer_fields(answer, case)
    _refuse_other_case((fields or {}).get("case_id"), case)
    if fields is None:
        raise UsageError(
            f"the agent gave {type(answer).__name__} for case {case.id!r}; expected {EXPECTED}, or an Output"
        )
    if has_steps and "turns" not in fields:
        fields = _with_steps(fields, attempt, in_turns=in_turns)
    output = next(read_records(memory_file(f"answer to {case.id}", [fields | identity]), Output))
    return msgspec.structs.replace(output, asked=attempt.asked_turns)


def _refuse_other_case(case_id: object, case: Case) -> None:
    if case_id not in {None, "", case.id}:
        raise UsageError(
            f"the agent returned an output of case {case_id!r} for case {case.id!r}; set case_id=case.id"
        )


def answer_fields(answer: Any, case: Case) -> dict[str, Any] | None:
    """Return an answer as fields of an output; None if it is in no accepted form.

    Raises:
        RecordError: It is a malformed conversation.
    """
    if isinstance(answer, str):
        return {"text": answer}
    if hasattr(answer, "model_dump"):  # a reply object of a client library
        answer = answer.model_dump(mode="json", exclude_none=True)
    if isinstance(answer, Mapping):
        return _fields_of(dict(cast("Mapping[str, Any]", answer)), case)
    if not isinstance(answer, Sequence) or isinstance(answer, bytes):
        return None
    entries = [*cast("Sequence[Any]", answer)]
    if not all(isinstance(each, (ToolCall, Mapping)) for each in entries):
        return None
    if are_messages(entries) and all("role" in each for each in entries):
        return _fields_from([FieldReader(each, f"[{at}]") for at, each in enumerate(entries)], case)
    return {"tool_calls": entries}


def _fields_of(answer: dict[str, Any], case: Case) -> dict[str, Any] | None:
    if answer.keys() <= _FIELDS:
        return answer
    if (messages := reply_messages(answer)) is not None:
        other_fields = {name: answer[name] for name in _FIELDS & answer.keys() if answer[name] is not None}
        return _fields_from(messages, case) | other_fields
    return {"tool_calls": [answer]} if "name" in answer or "function" in answer else None


def _fields_from(messages: Sequence[FieldReader], case: Case) -> dict[str, Any]:
    """Return an output's fields from a chat, which may begin with the case's messages."""
    after_user = [index for index, each in enumerate(messages, start=1) if role_of(each) == "user"]
    user_counts = [sum(each.get("role") == "user" for each in turn) for turn in case.turns]
    totals = [*accumulate(user_counts)]
    if len(case.turns) < 2 or len(after_user) != totals[-1]:  # noqa: PLR2004 - one turn, or turns that cannot be told apart
        answer = answer_of(messages[after_user[-1] if after_user else 0 :])
        if answer.steps is not None:
            return {"turns": [answer.steps]}
        return {"text": answer.text} | ({} if answer.calls is None else {"tool_calls": answer.calls})
    # A turn's steps begin after its last user message, and stop at the first user message of the next turn.
    begins = [after_user[total - 1] for total in totals]
    stops = [
        *(begin - count for begin, count in zip(begins[1:], user_counts[1:], strict=True)),
        len(messages),
    ]
    return {"turns": [_steps_of(messages[begin:stop]) for begin, stop in zip(begins, stops, strict=True)]}


def _steps_of(messages: Sequence[FieldReader]) -> list[Step]:
    answer = answer_of(messages)
    if answer.steps is not None:
        return answer.steps
    return [*([answer.calls] if answer.calls else []), *([answer.text] if answer.text else [])]


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
