"""Conversations that an agent returns, in the forms of several libraries."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any

import pytest
from each_row import each_row
from generating import weather_case

import fiducial as fd
from fiducial.deterministic import check
from fiducial.errors import UsageError
from fiducial.evaluation.generation.agent_answers import output_of
from fiducial.evaluation.generation.attempt import Attempt
from fiducial.evaluation.generation.printed_answer import read_answer
from fiducial.records import Case, Output, ToolCall, ToolResults

QUESTION = "How is the weather in w?"
ARGUMENTS = '{"city": "w"}'
ASKED = {"role": "user", "content": QUESTION}
CALLING = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "weather.now", "arguments": ARGUMENTS}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "sunny"}
ANSWER = {"role": "assistant", "content": "It is sunny."}

AI: dict[str, Any] = {
    "type": "ai",
    "name": "agent",
    "content": "",
    "tool_calls": [{"type": "tool_call", "id": "1", "name": "weather.now", "args": {"city": "w"}}],
    "invalid_tool_calls": [],
}
FLAT: list[dict[str, Any]] = [
    {"type": "human", "content": QUESTION},
    AI,
    {"type": "tool", "tool_call_id": "1", "status": "success", "content": "sunny"},
    {"type": "ai", "content": "It is sunny.", "tool_calls": []},
]
BY_CONSTRUCTOR = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "Message"], "kwargs": each}
    for each in FLAT
]


class Model:
    """A message of a client library, as pydantic's models are."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {name: value for name, value in self.fields.items() if value is not None}


CONVERSATIONS: dict[str, Any] = {
    "chat": [ASKED, CALLING, RESULT, ANSWER],
    "without the question": [CALLING, RESULT, ANSWER],
    "with instructions": [{"role": "system", "content": "Be brief."}, ASKED, CALLING, RESULT, ANSWER],
    "goes on after the program's own words": [
        ASKED,
        CALLING,
        RESULT,
        {"role": "user", "content": "Go on."},
        ANSWER,
    ],
    "after an earlier conversation": [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        ASKED,
        CALLING,
        RESULT,
        ANSWER,
    ],
    "LangChain, flat": FLAT,
    "LangChain, with data": [{"type": each["type"], "data": each} for each in FLAT],
    "LangChain, by constructor": BY_CONSTRUCTOR,
    "responses": [
        ASKED,
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "1", "name": "weather.now", "arguments": ARGUMENTS},
        {"type": "function_call_output", "call_id": "1", "output": "sunny"},
        {"type": "message", **ANSWER},
    ],
    "Anthropic": [
        ASKED,
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "weather.now", "input": {"city": "w"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "sunny"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It is sunny."}]},
    ],
}
ALL = each_row("messages", CONVERSATIONS.values())


def output_by(agent: Callable[..., Any], case: Case | None = None) -> Output:
    (output,) = fd.generate([case or weather_case()], agent, system="me")
    return output


def returning(answer: Any) -> Callable[[Case], Any]:
    """Return an agent that gives this answer to every case."""

    def agent(case: Case) -> Any:
        del case
        return answer

    return agent


def is_whole(output: Output) -> bool:
    """Whether the call, its result and the text are there, and the call is graded right."""
    (call,) = output.tool_calls or []
    steps = [step for turn in output.turns or [] for step in turn]
    assert (call.name, output.text) == ("weather.now", "It is sunny.")
    assert [type(step) for step in steps] == [list, ToolResults, str]
    assert steps[1] == ToolResults(results=["sunny"])
    return check(weather_case(), output).score == 1


@ALL
def test_a_conversation_keeps_its_calls_and_its_last_text(messages: list[Any]):
    assert is_whole(output_by(returning({"messages": messages})))
    assert is_whole(output_by(returning(messages)))


@ALL
def test_messages_may_be_objects_of_a_library(messages: list[Any]):
    async def agent(case: Case) -> Any:
        del case
        return {"messages": [Model(message) for message in messages], "remaining_steps": 5}

    assert is_whole(output_by(agent))


@ALL
def test_a_command_may_print_them(messages: list[Any]):
    case = weather_case()
    for printed in ({"messages": messages}, messages):
        answer = read_answer(json.dumps(printed).encode(), case)
        assert is_whole(output_of(answer, Attempt(case=case), "me", 0, in_turns=False))


def test_the_history_may_mix_objects_and_dictionaries():
    messages = [ASKED, Model(CALLING), RESULT, Model(ANSWER)]
    assert is_whole(output_by(returning({"messages": messages})))


@pytest.mark.parametrize("message", [AI, CALLING, BY_CONSTRUCTOR[1]])
def test_a_single_message_with_calls_is_an_answer(message: dict[str, Any]):
    for answer in (message, Model(message)):
        output = output_by(returning(answer))
        assert check(weather_case(), output).score == 1


def test_calls_with_a_type_are_no_messages():
    output = output_by(returning(CALLING["tool_calls"]))
    assert (output.text, check(weather_case(), output).score) == (None, 1)


def test_a_message_may_be_a_step():
    def agent(case: Case) -> Generator[Any, Any, str]:
        del case
        yield Model(AI)
        return "It is sunny."

    assert check(weather_case(), output_by(agent)).score == 1


CALL = ToolCall(name="weather.now", arguments={"city": "w"})


def two_turns(kind: str = "tool_call", **reference: Any) -> Case:
    messages: list[Any] = [[ASKED], [{"role": "user", "content": "Thanks."}]]
    return Case(id="w", kind=kind, messages=messages, tools=weather_case().tools, reference=reference)


def steps(case: Case) -> Generator[Any, Any, None]:
    del case
    yield [CALL]
    yield "It is sunny."
    yield "Goodbye."


RIGHT: dict[str, Any] = {
    "steps": steps,
    "a conversation": returning([ASKED, CALLING, RESULT, ANSWER, {"role": "user", "content": "Thanks."}, ANSWER]),
    "turns": returning({"turns": [[[CALL], "It is sunny."], ["Goodbye."]]}),
    "an output": returning(Output(case_id="w", system="me", turns=[[[CALL]], ["Goodbye."]])),
}  # fmt: skip


@pytest.mark.parametrize("agent", RIGHT.values(), ids=RIGHT)
def test_calls_of_every_turn_are_checked(agent: Any):
    expected = two_turns(calls=weather_case().reference["calls"])
    assert check(expected, output_by(agent, expected)).score == 1
    none_due = two_turns("no_call")
    assert check(none_due, output_by(agent, none_due)).score == 0
    any_due = two_turns("any_call")
    assert check(any_due, output_by(agent, any_due)).error_type is None


def test_a_conversation_of_several_turns_has_its_last_text_and_all_calls():
    case = two_turns(calls=weather_case().reference["calls"])
    output = output_by(RIGHT["a conversation"], case)
    assert [len(turn) for turn in output.turns or []] == [3, 1]
    assert (output.text, len(output.tool_calls or [])) == ("It is sunny.", 1)


def test_messages_in_no_known_form_are_refused_with_another_hint_than_their_own():
    case = Case(id="c", kind="open_answer", messages=[{"role": "user", "content": "Hi"}])
    answers: list[Any] = [{"messages": [{"foo": 1}]}, {"messages": []}]
    for answer in answers:
        with pytest.raises(UsageError) as raised:
            output_of(answer, Attempt(case=case), "s", 0, in_turns=False)
        assert "a role and a content" in str(raised.value)
        assert '{"messages"' not in str(raised.value)
