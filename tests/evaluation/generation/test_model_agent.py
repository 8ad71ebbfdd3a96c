"""A model is led through the turns and steps of a case."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from generating import Scripted, calling, converse, document, folder_case, weather_case

from fiducial.deterministic import check
from fiducial.evaluation.generation.attempt import MadeOutput, NoOutputError
from fiducial.judges import CallError, Reply
from fiducial.judges.transport import RequestedCall
from fiducial.records import Case, ContextItem, ToolCall, ToolResults

DONE = Reply(text="done")


def lead(case: Case, *replies: Reply | CallError, **settings: Any) -> tuple[MadeOutput, Scripted]:
    provider = Scripted(*replies)
    return asyncio.run(converse(case, provider, **settings)), provider


def test_tools_are_offered_as_the_api_takes_them_and_calls_come_back_by_their_own_names():
    (output, attempt), provider = lead(weather_case(), calling("weather_now", '{"city": "w"}'))
    (tool,) = provider.asked[0].parameters["tools"]
    assert tool["function"]["name"] == "weather_now"
    assert tool["function"]["parameters"]["type"] == "object"
    assert output.tool_calls == [ToolCall(name="weather.now", arguments='{"city": "w"}')]
    assert attempt.raw == [[[{"weather_now": '{"city": "w"}'}]]]
    assert check(weather_case(), output).score == 1


def test_who_could_have_called_and_did_not_made_no_calls():
    (output, _), _ = lead(weather_case(), Reply(text="sunny"))
    assert (output.text, output.tool_calls) == ("sunny", [])


def test_without_tools_none_are_offered_and_none_were_left_out():
    case = Case(
        id="c", kind="open_answer", messages=[{"role": "user", "content": "?"}], reference={"criterion": "c"}
    )
    (output, _), provider = lead(case, Reply(text="yes"))
    assert dict(provider.asked[0].parameters) == {}
    assert (output.text, output.tool_calls, output.turns) == ("yes", None, None)


def test_a_refusal_is_what_the_system_said():
    (output, _), _ = lead(weather_case(), Reply(refusal="I will not."))
    assert output.text == "I will not."


def test_passages_are_shown_before_the_question():
    case = Case(
        id="c",
        kind="grounded_answer",
        messages=[{"role": "user", "content": "Who?"}],
        context=[ContextItem(id="1", content="It was Elif.")],
    )
    _, provider = lead(case, DONE)
    shown, question = provider.asked[0].messages
    assert "It was Elif." in shown["content"]
    assert question["content"] == "Who?"


def test_in_prompt_mode_tools_stand_in_the_instructions():
    (output, _), provider = lead(weather_case(), Reply(text='[weather.now(city="w")]'), mode="prompt")
    assert dict(provider.asked[0].parameters) == {}
    assert "weather.now" in provider.asked[0].messages[0]["content"]
    assert (output.text, output.tool_calls) == ('[weather.now(city="w")]', None)
    assert check(weather_case(), output).score == 1


def test_a_tag_of_ones_own_is_not_taken_for_a_prompt_format():
    case = weather_case(tags={"style": "formal", "ret_fmt": "shouting"})
    _, provider = lead(case, DONE, mode="prompt")
    assert "weather.now" in provider.asked[0].messages[0]["content"]


def test_calls_are_executed_and_their_results_are_told():
    (output, _), provider = lead(
        folder_case(), calling("mkdir", '{"dir_name": "a"}'), calling("ls", "{}"), DONE
    )
    told = [message for message in provider.asked[-1].messages if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in told] == ["1", "1"]
    assert "a" in told[1]["content"]
    assert output.turns is not None
    assert [type(step).__name__ for step in output.turns[0]] == [
        "list",
        "ToolResults",
        "list",
        "ToolResults",
        "str",
    ]
    assert check(folder_case(), output).score == 1


def test_results_are_told_in_prompt_mode_too():
    (output, _), provider = lead(
        folder_case(), Reply(text='[mkdir(dir_name="a")]'), Reply(text="[ls()]"), DONE, mode="prompt"
    )
    assert "current_directory_content" in provider.asked[-1].messages[-1]["content"]
    assert output.turns is not None
    assert output.tool_calls is None
    assert check(folder_case(), output).score == 1


def test_a_turn_ends_with_a_step_without_calls():
    (output, _), provider = lead(folder_case(turns=2), DONE, calling("ls", "{}"), DONE)
    assert output.turns is not None
    assert [len(turn) for turn in output.turns] == [1, 3]
    assert [message["content"] for message in provider.asked[1].messages] == ["turn 0", "done", "turn 1"]


def test_who_never_calls_in_a_conversation_said_texts_and_not_calls():
    (output, _), _ = lead(folder_case(), Reply(text="[mkdir(dir_name='a')]"))
    assert output.tool_calls == []
    assert check(folder_case(), output).score == 0


def test_withheld_functions_are_offered_from_their_turn_on():
    case = folder_case(turns=2, withheld={"1": ["cd"]}, withheld_tools=[document("cd")])
    _, provider = lead(case, DONE, DONE)
    offered = [
        [tool["function"]["name"] for tool in request.parameters["tools"]] for request in provider.asked
    ]
    assert offered == [["mkdir", "ls"], ["mkdir", "ls", "cd"]]


def test_in_prompt_mode_withheld_functions_stand_before_what_the_user_says():
    case = folder_case(turns=2, withheld={"1": ["cd"]}, withheld_tools=[document("cd")])
    _, provider = lead(case, DONE, DONE, mode="prompt")
    assert '"name": "cd"' not in provider.asked[0].messages[0]["content"]
    said = provider.asked[1].messages[-1]["content"]
    assert '"name": "cd"' in said
    assert said.endswith("\nturn 1")


def test_an_unknown_tool_is_told_as_an_error_and_the_turn_goes_on():
    (output, _), _ = lead(folder_case(), calling("fly", "{}"), DONE)
    assert output.turns is not None
    assert output.turns[0][1] == ToolResults(results=["Error during execution: name 'fly' is not defined"])


@pytest.mark.parametrize("arguments", ["no JSON", "[1]", '""'])
def test_arguments_that_are_no_object_are_told_as_an_error_and_kept_as_they_came(arguments: str):
    (output, _), _ = lead(folder_case(), calling("mkdir", arguments), DONE)
    assert output.turns is not None
    calls, results, text = output.turns[0]
    assert calls == [ToolCall(name="mkdir", arguments=arguments)]
    assert isinstance(results, ToolResults)
    assert results.results[0].startswith("Error: the call cannot be read")
    assert text == "done"


def test_under_bfcl_rules_a_call_that_cannot_be_read_ends_the_turn():
    (output, _), provider = lead(folder_case(turns=2), calling("mkdir", "no JSON"), DONE, rules="bfcl")
    assert len(provider.asked) == 2
    assert output.turns == [[[ToolCall(name="mkdir", arguments="no JSON")]], ["done"]]


def test_a_loop_without_an_end_is_ended_after_the_steps_of_a_turn():
    provider = Scripted(script=lambda _request: calling("ls", "{}"))
    output, attempt = asyncio.run(converse(folder_case(turns=2), provider))
    assert len(provider.asked) == 21
    assert attempt.stopped == "a turn had 21 steps and was not over"
    assert output.turns is not None
    assert len(output.turns) == 1


def test_an_agent_that_calls_for_ever_at_once_is_ended():
    many = Reply(tool_calls=[RequestedCall(name="ls", arguments="{}")] * 500)
    provider = Scripted(script=lambda _request: many)
    _, attempt = asyncio.run(converse(folder_case(), provider, steps_per_turn=500))
    assert attempt.stopped == "the output has more calls than are executed"
    assert len(provider.asked) == 5


def test_a_conversation_that_outgrew_the_models_context_is_the_systems_failure():
    full = CallError("HTTP 400: maximum context length is 8192 tokens", status=400)
    (output, _), _ = lead(folder_case(), calling("ls", "{}"), full)
    assert output.error == "HTTP 400: maximum context length is 8192 tokens"
    assert check(folder_case(), output).score == 0


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_call_that_failed_is_no_output(status: int):
    with pytest.raises(CallError):
        lead(weather_case(), CallError("HTTP: no", status=status))


def test_a_workspace_is_nothing_that_a_model_alone_leaves():
    case = Case(
        id="a",
        kind="artifact",
        messages=[{"role": "user", "content": "Write a file."}],
        reference={"ground": {}},
    )
    with pytest.raises(NoOutputError, match="cannot write a workspace"):
        lead(case, DONE)


def test_each_case_and_trial_is_a_sample_of_its_own():
    keys: set[str] = set()
    for name, trial in (("a", 0), ("a", 1), ("b", 0)):
        case = Case(
            id=name,
            kind="open_answer",
            messages=[{"role": "user", "content": "?"}],
            reference={"criterion": "c"},
        )
        provider = Scripted(DONE)
        asyncio.run(converse(case, provider, trial=trial))
        keys.add(provider.asked[0].key)
    assert len(keys) == 3


def test_object_arguments_are_kept_as_an_object_and_sent_back_as_text():
    (output, _), provider = lead(folder_case(), calling("mkdir", {"dir_name": "a"}), DONE)
    sent = provider.asked[1].messages[1]["tool_calls"][0]["function"]
    assert sent == {"name": "mkdir", "arguments": '{"dir_name": "a"}'}
    assert check(folder_case(), output).score == 1


def test_what_is_said_beside_calls_is_kept():
    (output, _), _ = lead(folder_case(), calling("ls", "{}", text="Let me look."), DONE)
    assert output.turns is not None
    assert output.turns[0][0] == "Let me look."


@pytest.mark.parametrize("mode", ["tools", "prompt"])
def test_an_unknown_role_is_asked_as_the_user(mode: str):
    messages: Any = [{"role": "patient", "content": "Which illness?"}]
    case = Case(id="c", kind="open_answer", messages=messages, reference={"criterion": "any"})
    _, provider = lead(case, DONE, mode=mode)
    assert [message["role"] for message in provider.asked[0].messages] == ["user"]
