"""The answer in what a command printed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from each_row import each_row
from generating import folder_case, weather_case

from fiducial.evaluation.generation.agent_answers import output_of
from fiducial.evaluation.generation.attempt import Attempt
from fiducial.evaluation.generation.printed_answer import read_answer
from fiducial.records import Case, Output, ToolCall, ToolResults

CALL = {"id": "1", "type": "function", "function": {"name": "weather.now", "arguments": '{"city": "w"}'}}
ASKED = [{"role": "user", "content": "How is the weather?"}]
CALLED = [*ASKED, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
TOLD = [*CALLED, {"role": "tool", "tool_call_id": "1", "content": "sunny"}]
SAID = [*TOLD, {"role": "assistant", "content": "It is sunny."}]


def output(printed: str, case: Case | None = None) -> Output:
    case = case or weather_case()
    return output_of(read_answer(printed.encode(), case), Attempt(case=case), "me", 0, in_turns=False)


@each_row(
    ("printed", "text"),
    [
        ("Paris\n", "Paris"),
        ("The capital\nis Paris.\n", "The capital\nis Paris."),
        ("42\n", "42"),
        ("true", "true"),
        ('"Paris"', "Paris"),
        ("[weather(city='Rome')]", "[weather(city='Rome')]"),
        ('{"text": "Paris"}', "Paris"),
        ('loading the model\n{"text": "Paris"}\n', "Paris"),
        ('{"text": "Paris"}\ndone in 3 s\n', "Paris"),
        ('INFO a\n{"level": "info"}\n{"text": "Paris"}\n', "Paris"),
        ('{"level": "info"}\n{\n  "text": "Paris"\n}\n', "Paris"),
        ('loading\n{\n  "text": "Paris",\n  "tool_calls": [\n    {"name": "f"}\n  ]\n}\n', "Paris"),
    ],
)
def test_an_output_is_found_and_other_text_is_the_answer(printed: str, text: str):
    assert output(printed).text == text


@each_row(
    ("printed", "error"),
    [
        ("", "it printed nothing"),
        ("{'text': 'Paris'}", "it printed what is no JSON: {'text': 'Paris'}"),
        ('{"answer": "Paris"}', 'it printed what is no output: {"answer": "Paris"}; expected a text, '),
        ('{"text": "Paris"}\n{"answer": "Paris"}', "it printed what is no output: "),
        ('{"messages": [{"role": "assistant", "content": 5}]}', "it printed what is no output: "),
    ],
)
def test_what_is_no_output_says_so(printed: str, error: str):
    assert str(output(printed).error).startswith(error)


@pytest.mark.parametrize("raw", [b"\xff\xfe", b'{"text": "\xff"}', b'"\xff"'])
def test_bytes_that_are_no_text_are_the_systems_failure(raw: bytes):
    answer = read_answer(raw, weather_case())
    assert answer == {"error": f"it printed what is no UTF-8: {raw.decode('utf-8', 'replace')}"}


def test_an_answer_is_found_below_a_line_that_is_no_text():
    assert read_answer(b'"\xff"\n{"text": "Rome"}\n', weather_case()) == {"text": "Rome"}


SHAPES: list[Any] = [
    {"messages": SAID},
    SAID,
    {"messages": SAID[1:], "model": "m"},
    {
        "messages": [
            {"role": "system", "content": "Be brief."},
            *ASKED,
            {"role": "assistant", "content": "Hm."},
            *SAID,
        ]
    },
]


@pytest.mark.parametrize("answer", SHAPES)
def test_a_conversation_is_an_output_with_its_calls_and_results(answer: Any):
    found = output(json.dumps(answer))
    call = ToolCall(name="weather.now", arguments='{"city": "w"}')
    assert found.turns == [[[call], ToolResults(results=["sunny"]), "It is sunny."]]


@pytest.mark.parametrize(
    "answer",
    [
        {"messages": CALLED},
        CALLED[-1],
        {"choices": [{"message": CALLED[-1]}], "usage": {}},
        {
            "object": "response",
            "output": [
                {"type": "function_call", "call_id": "1", "name": "weather.now", "arguments": '{"city": "w"}'}
            ],
        },
    ],
)
def test_calls_are_read_from_every_reply_of_the_api(answer: Any):
    assert [call.name for call in output(json.dumps(answer)).tool_calls or []] == ["weather.now"]


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": "Paris"},
        {"choices": [{"message": {"role": "assistant", "content": "Paris"}}]},
        {
            "output": [
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Paris"}],
                }
            ]
        },
    ],
)
def test_a_text_is_read_from_every_reply_of_the_api(answer: Any):
    assert output(json.dumps(answer)).text == "Paris"


def test_a_conversation_of_several_turns_is_divided_at_what_the_user_says():
    case = folder_case(2)
    messages = [
        {"role": "user", "content": "turn 0"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "made"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "turn 1"},
        {"role": "assistant", "content": "nothing more"},
    ]
    first, second = output(json.dumps({"messages": messages}), case).turns or []
    assert [type(step).__name__ for step in first] == ["list", "ToolResults", "str"]
    assert second == ["nothing more"]
