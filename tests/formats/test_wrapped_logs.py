"""Systems with equal truth are read alike, however their logs are wrapped or split.

Order and failures on the way make no difference, either.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fiducial as fd
from fiducial.records import Output

Messages: TypeAlias = list[dict[str, Any]]


class Turn(NamedTuple):
    """Turn of a session: the user's question, a call or none, and an answer or an error."""

    asked: str
    order: str | None
    answer: str | None


class Call(NamedTuple):
    """One call of a model: what it was sent, and what came back."""

    sent: Messages
    answer: dict[str, Any] | None


Wrapper: TypeAlias = Callable[[str, Call], dict[str, Any]]

TURNS = st.builds(
    Turn,
    st.sampled_from(["Where is it?", "And the other?", "Thanks!", "Cancel it.", "Hello"]),
    st.sampled_from([None, "7", "8"]),
    st.sampled_from(["In transit.", "Done.", '{"state": "gone"}', "Bye!", None]),
)
LOGS = st.lists(st.lists(TURNS, min_size=1, max_size=4), min_size=1, max_size=4)


def completion(message: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if message is None else {"model": "m", "choices": [{"index": 0, "message": message}]}


def items(message: dict[str, Any] | None) -> dict[str, Any] | None:
    if message is None:
        return None
    calls = [
        {"type": "function_call", "call_id": each["id"], **each["function"]}
        for each in message.get("tool_calls", [])
    ]
    text = message.get("content")
    parts = [{"type": "output_text", "text": text}]
    said = [{"type": "message", "role": "assistant", "content": parts}] if text else []
    return {
        "object": "response",
        "model": "m",
        "output": [{"type": "reasoning", "summary": []}, *calls, *said],
    }


def failure(call: Call) -> dict[str, Any]:
    return {"error": {"message": "timed out"}} if call.answer is None else {}


def body(call: Call) -> dict[str, Any]:
    return {"model": "m", "messages": call.sent}


WRAPPERS: list[Wrapper] = [
    lambda s, c: {"session_id": s, "request": body(c), "response": completion(c.answer), **failure(c)},
    lambda s, c: {"conversation_id": s, "req": body(c), "res": c.answer, **failure(c)},
    lambda s, c: {"metadata": {"thread_id": s}, "input": body(c), "output": items(c.answer), **failure(c)},
    lambda s, c: {"sessionId": s, "model": "m", "input": c.sent, "output": c.answer, **failure(c)},
    lambda s, c: {"session_id": s, **body(c), "response": completion(c.answer), **failure(c)},
    lambda s, c: {"session_id": s, **body(c), "choices": (completion(c.answer) or {}).get("choices"), **failure(c)},
    lambda s, c: {"data": {"session_id": s, "body": body(c), "response": {"status_code": 200 if c.answer else 504, "body": completion(c.answer)}}},
    lambda s, c: {"chat_id": s, "prompt": json.dumps(body(c)), "completion": json.dumps(completion(c.answer)) if c.answer else None, "status": "ok" if c.answer else "error"},
    lambda s, c: {"event": {"session_id": s, "request": {"method": "POST", "body": body(c)}, "response": {"body": completion(c.answer)}, **failure(c)}},
    lambda s, c: {"session_id": s, "request": body(c), "response": {"messages": [*c.sent, c.answer]} if c.answer else None, **failure(c)},
]  # fmt: skip


def calls_of(session: list[Turn], *, whole: bool, retried: bool) -> list[Call]:
    """Return the model calls of a session.

    Each sends the whole session so far, or its own turn alone.
    """
    calls: list[Call] = []
    said: Messages = []
    for number, turn in enumerate(session):
        said = (
            [*said, {"role": "user", "content": turn.asked}]
            if whole
            else [{"role": "user", "content": turn.asked}]
        )
        if retried:
            calls.append(Call(said, None))
        if turn.order is not None:
            function = {"name": "find", "arguments": json.dumps({"order": turn.order, "turn": number})}
            asked = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]}  # fmt: skip
            calls.append(Call(said, asked))
            said = [*said, asked, {"role": "tool", "tool_call_id": f"c{number}", "content": "moving"}]
        answer = None if turn.answer is None else {"role": "assistant", "content": turn.answer}
        calls.append(Call(said, answer))
        said = said if answer is None else [*said, answer]
    return calls


def grades(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Each session's last text, its calls, and whether it failed; and how a checker grades it."""
    with TemporaryDirectory() as folder:
        log, table = Path(folder) / "log.jsonl", Path(folder) / "expected.jsonl"
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        expected = [{"name": "find", "arguments": {"order": "7", "turn": 0}}]
        names = [f"s{number}" for number in range(9)]
        table.write_text(
            "".join(json.dumps({"id": name, "expected_calls": expected}) + "\n" for name in names)
        )
        read = fd.read(log, join=table)
    cases = {case.id: case for case in read.cases}
    assert {output.system for output in read.outputs} == {"m"}
    assert len(read.outputs) == len(cases)
    return {
        output.case_id: (*said(output), fd.check(cases[output.case_id], output).score)
        for output in read.outputs
    }


def said(output: Output) -> tuple[Any, ...]:
    calls = [json.loads(str(call.arguments)) for call in output.tool_calls or []]
    return output.text, calls, output.error is not None


@given(LOGS, st.data())
def test_how_a_log_is_wrapped_ordered_split_and_retried_makes_no_difference(
    sessions: list[list[Turn]], data: st.DataObject
):
    truth = [
        [turn._replace(asked=f"{turn.asked} ({at})") for at, turn in enumerate(session)]
        for session in sessions
    ]
    seen: list[dict[str, Any]] = []
    for _ in range(2):
        lines: list[dict[str, Any]] = []
        retried, stamped = data.draw(st.booleans()), data.draw(st.booleans())
        for number, session in enumerate(truth):
            wrap, whole = data.draw(st.sampled_from(WRAPPERS)), data.draw(st.booleans())
            calls = calls_of(session, whole=whole, retried=retried)
            made = [wrap(f"s{number}", call) for call in calls]
            if stamped:
                made = [{**line, "timestamp": f"2026-11-22T10:{at:02}:00Z"} for at, line in enumerate(made)]
                made = data.draw(st.permutations(made))
            lines += made
        if stamped:
            lines = data.draw(st.permutations(lines))
        seen.append(grades(lines))
    assert seen[0] == seen[1]


def test_lines_of_a_session_that_extend_each_other_are_one_conversation_in_any_order(tmp_path: Path):
    session = [Turn("Where is 7?", "7", "In transit."), Turn("Thanks!", None, "Bye!")]
    calls = calls_of(session, whole=True, retried=False)
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(WRAPPERS[0]("s0", call)) + "\n" for call in reversed(calls)))
    read = fd.read(log)
    assert [case.id for case in read.cases] == ["s0"]
    assert [len(turn) for turn in read.cases[0].turns] == [1, 1]
    assert read.outputs[0].turns is not None
    assert (len(read.outputs[0].turns), read.outputs[0].text) == (2, "Bye!")
    assert read.skipped == []


@pytest.mark.parametrize("remark", [None, "Let me look."])
def test_a_history_of_texts_alone_repeats_no_turn(tmp_path: Path, remark: str | None):
    session = [
        Turn("Where is 7?", "7", "In transit."),
        Turn("And 8?", "8", "Gone."),
        Turn("Bye", None, "Bye!"),
    ]
    sent: list[Call] = []
    for call in calls_of(session, whole=True, retried=False):
        for message in [*call.sent, call.answer or {}]:
            if "tool_calls" in message:
                message["content"] = remark
        asked_at = max(at for at, each in enumerate(call.sent) if each["role"] == "user")
        earlier = [
            each for each in call.sent[:asked_at] if "tool_calls" not in each and each["role"] != "tool"
        ]
        sent.append(Call([*earlier, *call.sent[asked_at:]], call.answer))
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(WRAPPERS[0]("s0", call)) + "\n" for call in sent))
    read = fd.read(log)
    assert [[each["content"] for each in turn] for turn in read.cases[0].turns] == [["Where is 7?"], ["And 8?"], ["Bye"]]  # fmt: skip
    assert [len(turn) for turn in read.outputs[0].turns or []] == [3 + bool(remark), 3 + bool(remark), 1]
