"""`fd.generate`: an agent works on cases."""

from __future__ import annotations

import asyncio
import re
import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import AgentSetupError, InputError, RecordError, RunFolderError, UsageError

CASES: list[dict[str, Any]] = [
    {"id": name, "kind": "open_answer", "reference": {"criterion": "It is short."}}
    for name in ("a", "b", "c")
]


def _echo(case: fd.Case) -> str:
    return f"answer to {case.id}"


async def _echo_later(case: fd.Case) -> str:
    await asyncio.sleep(0)
    return f"answer to {case.id}"


class _Agent:
    async def __call__(self, case: fd.Case) -> str:
        return f"answer to {case.id}"


@pytest.mark.parametrize("agent", [_echo, _echo_later, _Agent()])
def test_every_case_and_trial_has_an_output_in_order(agent: Any):
    outputs = fd.generate(CASES, agent, system="me", trials=2)
    assert [(output.case_id, output.trial, output.text) for output in outputs] == [
        (name, trial, f"answer to {name}") for name in "abc" for trial in (0, 1)
    ]
    assert {output.system for output in outputs} == {"me"}


def test_a_system_is_named_after_its_agent():
    assert fd.generate(CASES[:1], _echo)[0].system == "_echo"


@each_row(
    ("answer", "field", "expected"),
    [
        ("text", "text", "text"),
        ([{"name": "f", "arguments": {"x": 1}}], "tool_calls", [fd.ToolCall(name="f", arguments={"x": 1})]),
        ({"name": "f", "arguments": {}}, "tool_calls", [fd.ToolCall(name="f")]),
        ({"text": "t", "tool_calls": []}, "tool_calls", []),
        (fd.Output(case_id="a", system="?", text="mine"), "text", "mine"),
        ([], "tool_calls", []),
    ],
)
def test_an_answer_may_be_text_calls_fields_or_an_output(answer: Any, field: str, expected: Any):
    output = fd.generate(CASES[:1], lambda _case: answer, system="me")[0]
    assert (getattr(output, field), output.case_id, output.system) == (expected, "a", "me")


def _challenge(name: str) -> dict[str, Any]:
    return {"id": name, "kind": "artifact", "messages": [], "reference": {"ground": {"files": [".txt"]}}}


def test_an_answer_without_a_workspace_is_no_output_on_a_challenge():
    with pytest.warns(UserWarning, match="1 of 4 attempts are not for this agent.*fiducial artifacts run"):
        outputs = fd.generate([*CASES, _challenge("d")], _echo)
    assert [output.case_id for output in outputs] == ["a", "b", "c"]
    assert outputs.tally.passed_over.total() == 1
    for ask in (fd.generate, fd.evaluate):
        with pytest.raises(InputError, match="1 of 1 attempts are not for this agent"):
            ask([_challenge("d")], _echo)


def test_a_workspace_or_a_crash_is_an_output_on_a_challenge(tmp_path: Path):
    def crash(case: fd.Case) -> str:
        raise RuntimeError(case.id)

    def work(case: fd.Case) -> fd.Output:
        return fd.Output(case_id=case.id, system="work", workspace=tmp_path.name)

    assert fd.generate([_challenge("d")], work)[0].workspace == tmp_path.name
    assert "RuntimeError: d" in str(fd.generate([_challenge("d")], crash)[0].error)


@each_row(
    "setting",
    [
        {"mode": "prompt"},
        {"parameters": {"seed": 1}},
        {"steps_per_turn": 3},
        {"base_url": "http://127.0.0.1:9/v1"},
        {"timeout": 5.0},
        {"embedding_model": "m"},
    ],
)
def test_settings_of_a_model_are_refused_for_a_function(setting: dict[str, Any]):
    with pytest.raises(UsageError, match=f"^{next(iter(setting))}: only for models"):
        fd.generate(CASES[:1], _echo, **setting)


def test_settings_of_a_function_are_refused_for_a_model():
    with pytest.raises(UsageError, match="keep_crashes is for agents that are functions"):
        fd.generate(CASES[:1], "m", keep_crashes=True, base_url="http://127.0.0.1:9/v1")


def test_default_settings_of_a_model_are_accepted_for_a_function():
    found = fd.generate(CASES[:1], _echo, mode="tools", parameters={}, steps_per_turn=21, keep_crashes=True)
    assert len(found) == 1


@pytest.mark.parametrize("raised", [TimeoutError("too slow"), SystemExit(2)], ids=repr)
def test_an_exception_of_the_agent_is_the_systems_failure(raised: BaseException):
    def agent(case: fd.Case) -> str:
        if case.id == "b":
            raise raised
        return "fine"

    outputs = fd.generate(CASES, agent)
    assert [outputs[0].error, outputs[2].error] == [None, None]
    expected = rf"{type(raised).__name__}: {raised} \(test_generating\.py:\d+\)"
    assert re.fullmatch(expected, str(outputs[1].error))


@pytest.mark.parametrize("answer", [5, None, {"answer": "x"}])
def test_an_answer_of_no_known_form_is_refused_with_the_case(answer: Any):
    with pytest.raises(UsageError, match="for case 'a'; expected a text"):
        fd.generate(CASES[:1], lambda _case: answer)


@pytest.mark.parametrize(
    "answer", [fd.Output(case_id="zzz", system="me", text="x"), {"case_id": "zzz", "text": "x"}]
)
def test_an_output_of_another_case_is_refused(answer: Any):
    with pytest.raises(UsageError, match=r"output of case 'zzz' for case 'a'; set case_id=case\.id"):
        fd.generate(CASES[:1], lambda _case: answer)


OWN = {"output": fd.Output(case_id="a", system="x", text="t"), "fields": {"system": "x", "text": "t"}}


@pytest.mark.parametrize("form", OWN)
def test_an_output_of_another_system_is_refused_unless_the_system_is_named(form: str):
    def agent(_case: fd.Case) -> Any:
        return OWN[form]

    for make in (fd.generate, fd.evaluate):
        with pytest.raises(
            UsageError, match="output of system 'x' for case 'a', and is itself named 'agent'"
        ):
            make(CASES[:1], agent)
    assert fd.generate(CASES[:1], agent, system="me")[0].system == "me"
    assert fd.generate(CASES[:1], agent, system="x")[0].system == "x"
    agent.__name__ = "x"
    assert fd.generate(CASES[:1], agent)[0].system == "x"
    assert fd.evaluate(CASES[:1], agent).systems.keys() == {"x"}


def test_an_output_without_a_system_is_of_the_agents():
    assert (
        fd.generate(CASES[:1], lambda _: fd.Output(case_id="a", system="", text="t"))[0].system == "<lambda>"
    )


def test_a_prompt_beside_messages_is_no_system():
    reply = {"system": "Be brief.", "messages": [{"role": "assistant", "content": "t"}]}
    (made,) = fd.generate(CASES[:1], lambda _: reply)
    assert (made.system, made.text) == ("<lambda>", "t")


def test_calls_of_the_wrong_form_are_refused_with_the_case():
    with pytest.raises(RecordError, match=r"answer to a:1: .*tool_calls"):
        fd.generate(CASES[:1], lambda _case: [{"name": 5}])


def test_no_more_cases_are_at_work_than_asked_for():
    running, most, lock = 0, 0, threading.Lock()

    def agent(case: fd.Case) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1
        return case.id

    fd.generate(CASES * 1, agent, trials=4, concurrency=2)
    assert most == 2


def test_it_works_inside_a_running_event_loop():
    async def notebook() -> list[fd.Output]:
        return fd.generate(CASES, _echo_later)

    assert len(asyncio.run(notebook())) == 3


def test_coroutines_may_run_in_the_callers_own_loop():
    async def work() -> bool:
        here = asyncio.get_running_loop()

        async def agent(case: fd.Case) -> str:
            return str(asyncio.get_running_loop() is here)

        return {output.text for output in await fd.agenerate(CASES, agent)} == {"True"}

    assert asyncio.run(work())


def test_an_agent_may_stand_where_outputs_do(tmp_path: Path):
    cases: list[dict[str, Any]] = [
        {
            "id": name,
            "kind": "no_call",
            "messages": [{"role": "user", "content": "Hello."}],
            "tools": [{"name": "f", "parameters": {"type": "object", "properties": {}}}],
        }
        for name in "ab"
    ]
    for out in (None, tmp_path / "run"):
        run = fd.evaluate(cases, _echo, out=out)
        assert (run.systems["_echo"].decided.value, run.systems["_echo"].decided.n) == (1.0, 2)
    assert len((tmp_path / "run" / "outputs.jsonl").read_text().splitlines()) == 2
    assert fd.evaluate(cases, _echo, out=tmp_path / "run").systems["_echo"].decided.n == 2


ANSWERABLE: list[dict[str, Any]] = [
    {"id": f"q{number}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}} for number in range(12)
]


def test_an_agent_that_was_changed_is_not_given_its_old_score(tmp_path: Path):
    def made_of(answer: str) -> Any:
        def agent(_case: fd.Case) -> str:
            return answer

        return agent

    out = tmp_path / "run"
    before = fd.evaluate(ANSWERABLE, made_of("Rome"), out=out).systems["agent"].decided.value
    with pytest.raises(
        RunFolderError, match=r"code of 'agent' has changed .*\(answer\); again=True regenerates them"
    ):
        fd.evaluate(ANSWERABLE, made_of("Oslo"), out=out)
    after = fd.evaluate(ANSWERABLE, made_of("Oslo"), out=out, again=True).systems["agent"].decided.value
    assert (before, after) == (1.0, None)
    file = tmp_path / "outputs.jsonl"
    fd.generate(ANSWERABLE, made_of("Rome"), out=file)
    with pytest.raises(RunFolderError, match="has changed since its outputs were made"):
        fd.generate(ANSWERABLE, made_of("Oslo"), out=file)
    assert {output.text for output in fd.generate(ANSWERABLE[:1], made_of("Oslo"), out=file, again=True)} == {
        "Oslo"
    }


def test_an_agent_whose_code_is_not_known_is_warned_of(tmp_path: Path):
    agent: Any = "{0.id} Rome".format
    out = tmp_path / "run"
    fd.evaluate(ANSWERABLE, agent, out=out)
    with pytest.warns(UserWarning, match="0 generated now; the agent's code is not tracked"):
        fd.evaluate(ANSWERABLE, agent, out=out)


def test_a_function_that_fails_alike_from_the_start_is_an_error_and_no_score(tmp_path: Path):
    def agent(case: fd.Case) -> str:
        raise ImportError(f"no module for {case.id}")

    for call in (fd.evaluate, fd.generate):
        with pytest.raises(
            AgentSetupError,
            match=r"first 8 cases.*ImportError: no module for q\d+ \(test_generating\.py:\d+\);.*keep_crashes=True",
        ):
            call(ANSWERABLE, agent, out=tmp_path / call.__name__)
    with pytest.warns(
        UserWarning, match=r"agent crashed in 12 attempts \(graded 0\); most common: ImportError"
    ):
        run = fd.evaluate(ANSWERABLE, agent, out=tmp_path / "evaluate", keep_crashes=True)
    assert run.systems["agent"].decided.value == 0.0


def test_the_traceback_of_a_failing_agent_begins_with_its_code_and_shows_no_group():
    def agent(case: Any) -> str:
        return case["messages"]

    with pytest.raises(AgentSetupError) as refused:
        fd.evaluate(ANSWERABLE, agent)
    cause = refused.value.__cause__
    assert isinstance(cause, TypeError)
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["agent"]
    assert "ExceptionGroup" not in "".join(traceback.format_exception(refused.value))


class _Reply:
    def model_dump(self, **_how: Any) -> dict[str, Any]:
        return {"choices": [{"message": {"role": "assistant", "content": "Rome"}}]}


@pytest.mark.parametrize(
    "answer",
    [
        {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Rome"}]},
        [{"role": "assistant", "content": "Rome"}],
        _Reply(),
    ],
)
def test_a_reply_in_the_form_of_the_api_is_an_answer(answer: Any):
    assert fd.generate(CASES[:1], lambda _case: answer, system="me")[0].text == "Rome"
