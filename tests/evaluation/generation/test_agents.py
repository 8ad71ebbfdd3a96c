"""Agents of the user's own: functions, generators of steps, commands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from each_row import failing
from generating import document, folder_case, outputs_of, script_command, weather_case
from provider_server import Answer, ProviderServer, Status

import fiducial as fd
from fiducial.deterministic import check
from fiducial.errors import ConfigurationError, ProviderError, UsageError
from fiducial.evaluation.generation import command_steps, commands
from fiducial.evaluation.generation.printed_answer import TOO_MUCH
from fiducial.evaluation.generation.scene import Scenes, SimulatedWorlds
from fiducial.records import Case, Output


def output_by(agent: Any, case: Case) -> Output:
    (output,) = fd.generate([case], agent, system="me")
    return output


def test_an_agent_calls_the_tools_of_its_case_and_the_calls_are_kept():
    def agent(case: Case, tools: dict[str, Any]) -> str:
        assert tools["weather.now"].schema["function"]["parameters"]["type"] == "object"
        assert tools["weather.now"].description == "The weather in a city."
        tools["weather.now"](city=case.id)
        return "done"

    output = output_by(agent, weather_case())
    assert check(weather_case(), output).score == 1
    assert output.text == "done"


def test_calls_are_executed_in_the_worlds_of_the_case():
    def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        tools["mkdir"]("a")
        return f"there is now: {tools['ls']()}"

    output = output_by(agent, folder_case())
    assert output.turns is not None
    assert "'a'" in str(output.turns[0][-1]) or '"a"' in str(output.turns[0][-1])
    assert check(folder_case(), output).score == 1


@pytest.mark.parametrize(
    ("given", "named"),
    [(("Rome", "tomorrow"), {}), (("Rome",), {"city": "Paris"})],
    ids=["more arguments than parameters", "one argument twice"],
)
def test_a_tool_drops_no_argument_that_it_cannot_place(given: tuple[str, ...], named: dict[str, str]):
    def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        return tools["weather.now"](*given, **named)

    error = output_by(agent, weather_case()).error
    assert error is not None
    assert error.startswith("TypeError: weather.now()")


def test_a_coroutine_awaits_its_tools():
    async def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        await tools["mkdir"](dir_name="a")
        return "done"

    assert check(folder_case(), output_by(agent, folder_case())).score == 1


def test_a_tool_that_is_called_without_await_is_the_agents_error():
    async def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        return f"there is now: {tools['ls']()}"

    error = str(output_by(agent, folder_case()).error)
    assert error.startswith('tools["ls"] was called without await (test_agents.py:')


def test_a_tool_may_be_awaited_in_a_task():
    async def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        task = asyncio.ensure_future(tools["mkdir"](dir_name="a"))
        return f"done: {await task}"

    assert check(folder_case(), output_by(agent, folder_case())).score == 1


def test_a_generator_is_sent_results_and_the_messages_of_the_next_turn():
    received: list[Any] = []

    def agent(case: Case) -> Generator[Any, Any, None]:
        del case
        received.append((yield [{"name": "mkdir", "arguments": {"dir_name": "a"}}]))
        received.append((yield "made"))
        received.append((yield "nothing more"))

    case = folder_case(turns=2)
    output = output_by(agent, case)
    assert received == [["None"], [{"role": "user", "content": "turn 1"}]]
    assert output.turns is not None
    assert [len(turn) for turn in output.turns] == [3, 1]
    assert check(case, output).score == 1


def test_an_async_generator_takes_steps_too():
    async def agent(case: Case) -> AsyncGenerator[Any, Any]:
        del case
        yield {"name": "mkdir", "arguments": {"dir_name": "a"}}
        yield "made"

    assert check(folder_case(), output_by(agent, folder_case())).score == 1


def test_withheld_tools_are_there_from_their_turn_on():
    seen: list[list[str]] = []

    def agent(case: Case, tools: dict[str, Any]) -> Generator[Any, Any, None]:
        del case
        seen.append(sorted(tools))
        yield "first"
        seen.append(sorted(tools))
        yield "second"

    output_by(agent, folder_case(turns=2, withheld={"1": ["cd"]}, withheld_tools=[document("cd")]))
    assert seen == [["ls", "mkdir"], ["cd", "ls", "mkdir"]]


def test_a_generator_without_an_end_is_ended():
    def agent(case: Case) -> Generator[Any, Any, None]:
        del case
        while True:
            yield {"name": "ls", "arguments": {}}

    output = output_by(agent, folder_case())
    assert output.turns is not None
    assert len(output.turns[0]) == 2_000


def test_an_agent_that_takes_one_more_than_there_is_fails_its_item_and_ends():
    def agent(case: Case) -> str:
        return next(tag for tag in case.tags if tag == "no such tag")

    error = str(output_by(agent, folder_case()).error)
    assert error.startswith("RuntimeError: StopIteration (test_agents.py:")


def test_what_was_done_before_a_crash_is_kept():
    def agent(case: Case, tools: dict[str, Any]) -> str:
        del case
        tools["mkdir"]("a")
        raise RuntimeError("out of luck")

    output = output_by(agent, folder_case())
    assert str(output.error).startswith("RuntimeError: out of luck (test_agents.py:")
    assert output.turns
    assert check(folder_case(), output).score == 0


@pytest.mark.parametrize("answer", [b"", b"text", None, 5])
def test_an_answer_of_no_known_form_is_refused(answer: Any):
    def agent(case: Case) -> Any:
        del case
        return answer

    with pytest.raises(UsageError, match=f"the agent gave {type(answer).__name__} for case 'w'"):
        output_by(agent, weather_case())


def test_a_step_of_no_known_form_is_refused():
    def agent(case: Case) -> Generator[Any, Any, None]:
        del case
        yield 5

    with pytest.raises(UsageError, match="yielded int for case 'folders'"):
        output_by(agent, folder_case())


def test_outputs_are_kept_in_a_file_and_gone_on_with(tmp_path: Path):
    asked: list[str] = []

    def agent(case: Case) -> str:
        asked.append(case.id)
        return "x"

    cases = [weather_case(name) for name in "ab"]
    fd.generate(cases[:1], agent, out=tmp_path / "o.jsonl")
    again = fd.generate(cases, agent, out=tmp_path / "o.jsonl")
    assert asked == ["a", "b"]
    assert [output.case_id for output in again] == ["a", "b"]


def test_a_models_name_is_asked_at_an_endpoint(server: ProviderServer, tmp_path: Path):
    outputs = fd.generate([weather_case()], "m", base_url=server.base_url, cache=tmp_path / "c.sqlite")
    assert [(output.system, output.tool_calls) for output in outputs] == [("m", [])]


def test_calls_that_failed_are_warned_of_and_are_no_outputs(server: ProviderServer):
    server.script = lambda seen: Status(400) if "in a?" in seen.text else Answer("x")
    with pytest.warns(UserWarning, match="1 of 2 attempts gave no output: 1 x HTTP 400"):
        outputs = fd.generate(
            [weather_case("a"), weather_case("b")], "m", base_url=server.base_url, cache=False
        )
    assert [output.case_id for output in outputs] == ["b"]
    assert [key.case_id for key in outputs.failures] == ["a"]
    server.script = lambda _seen: Status(400)
    with pytest.raises(ProviderError, match="1 of 1 attempts gave no output"):
        fd.generate([weather_case("a")], "m", base_url=server.base_url, cache=False)


def by_command(script: str, tmp_path: Path, scenes: Scenes | None = None, **how: Any) -> Output:
    (output,) = outputs_of(script_command(script, tmp_path), weather_case(), scenes=scenes, **how)
    return output


BOTH_WAYS = pytest.mark.parametrize("scenes", [None, SimulatedWorlds({})], ids=["answers", "calls"])


def test_a_command_reads_a_case_and_prints_an_output(tmp_path: Path):
    script = """
case = json.load(sys.stdin)
assert "reference" not in case and "tags" not in case
print(json.dumps({"tool_calls": [{"name": "weather.now", "arguments": {"city": case["id"]}}]}))
"""
    assert check(weather_case(), by_command(script, tmp_path)).score == 1


NO_OUTPUT = {
    "print({'text': 'a dictionary'})": "it printed what is no JSON: {'text': 'a dictionary'}",
    "print('{\"answer\": 5}')": 'it printed what is no output: {"answer": 5}',
    "print('{\"text\": 5}')": "it printed what is no output: answer to w:1: text: ",
    "sys.exit('no luck')": "exit code 1: no luck",
    "os.kill(os.getpid(), 9)": "exit code -9, no error text",
}


@BOTH_WAYS
def test_what_is_no_output_is_the_systems_failure(tmp_path: Path, scenes: Scenes | None):
    def attempt(script: str) -> None:
        output = by_command(script, tmp_path, scenes)
        assert str(output.error).startswith(NO_OUTPUT[script])
        assert check(weather_case(), output).score == 0

    assert failing(NO_OUTPUT, attempt) == {}


def test_a_command_that_prints_nothing_gives_no_output(tmp_path: Path):
    assert by_command("pass", tmp_path).error == "it printed nothing"


@BOTH_WAYS
def test_a_command_that_never_ends_is_ended(tmp_path: Path, scenes: Scenes | None):
    assert by_command("time.sleep(600)", tmp_path, scenes, seconds=0.5).error == "no answer within 0.5 s"


@BOTH_WAYS
def test_of_a_command_that_prints_too_much_no_more_is_kept_than_allowed(
    tmp_path: Path, scenes: Scenes | None, monkeypatch: pytest.MonkeyPatch
):
    for module in (commands, command_steps):
        monkeypatch.setattr(module, "MAX_OUTPUT", 1 << 20)
    script = f"sys.stdout.write('x' * {2 << 20})"
    assert by_command(script, tmp_path, scenes).error == TOO_MUCH["error"]


def test_no_agent_and_no_endpoint_are_told_at_once(monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        ConfigurationError, match=r"no agent is called 'm' .* no model endpoint is configured"
    ):
        fd.generate([weather_case()], "m")
