"""Commands that call the tools of a case as they work, line by line."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from generating import folder_case, outputs_of, script_command, weather_case
from left_running import nothing_runs

from fiducial.deterministic import check
from fiducial.errors import ConfigurationError
from fiducial.evaluation.generation import custom_agents
from fiducial.evaluation.generation.scene import SimulatedWorlds
from fiducial.records import Case, Output

EXAMPLE = Path(__file__).parents[2] / "examples" / "calling_agent.py"
ASK = "def ask(line):\n    print(json.dumps(line), flush=True)\n    return json.loads(input())\n"
MKDIR = '{"name": "mkdir", "arguments": {"dir_name": "a"}}'


in_worlds = partial(outputs_of, scenes=SimulatedWorlds({}, "strict"))


def by(script: str, tmp_path: Path, case: Case, *, seconds: float = 20.0) -> Output:
    (output,) = in_worlds(script_command(f"{ASK}\n{script}", tmp_path), case, seconds=seconds)
    return output


def test_the_example_of_the_docs_is_led_through_its_turns_in_its_worlds():
    (output,) = in_worlds(f"{sys.executable} {EXAMPLE}", folder_case(2))
    assert output.error is None
    first, second = output.turns or []
    assert [type(step).__name__ for step in first] == ["list", "ToolResults", "list", "ToolResults", "str"]
    assert second == ['there is {"current_directory_content": ["a"]}']
    assert check(folder_case(2), output).score == 1.0


def test_the_docs_link_it():
    page = (Path(__file__).parents[3] / "docs" / "generate.md").read_text()
    assert "](../tests/examples/calling_agent.py)" in page


def test_a_command_may_answer_at_once_and_knows_its_trial(tmp_path: Path):
    script = """
case = json.loads(input())
assert 'reference' not in case
print(json.dumps([{'name': 'weather.now', 'arguments': {'city': case['id'] + os.environ['FIDUCIAL_TRIAL']}}]))
"""
    outputs = in_worlds(script_command(script, tmp_path), weather_case("Rome"), trials=2)
    assert [str((output.tool_calls or [])[0].arguments) for output in outputs] == [
        "{'city': 'Rome0'}",
        "{'city': 'Rome1'}",
    ]


def test_calls_that_nobody_executes_are_noted_and_become_the_answer(tmp_path: Path):
    call = '{"name": "weather.now", "arguments": {"city": "w"}}'
    script = f"input()\nassert 'noted' in ask({{'call': json.loads('{call}')}})['result']"
    output = by(script, tmp_path, weather_case())
    assert output.error is None
    assert check(weather_case(), output).score == 1.0


NEITHER = {
    "input(); print({'text': 5})": "it printed what is no JSON: {'text': 5}",
    "print('{\"call\": 5}')": 'it printed what is no call: {"call": 5}',
    "print('{\"calls\": []}')": 'it printed what is no call: {"calls": []}',
    "pass": "it ended without an answer",
    "print()\nprint()": "it ended without an answer",
}


def test_what_is_neither_a_step_nor_an_output_is_the_systems_failure(tmp_path: Path):
    found = {script: str(by(script, tmp_path, folder_case()).error) for script in NEITHER}
    assert {script: error for script, error in found.items() if not error.startswith(NEITHER[script])} == {}


def test_what_was_done_before_a_failure_is_kept(tmp_path: Path):
    output = by(
        f"input()\nask({{'call': json.loads('{MKDIR}')}})\nsys.exit('no luck')", tmp_path, folder_case()
    )
    assert output.error == "exit code 1: no luck"
    ((calls, results),) = output.turns or []
    assert "mkdir" in str(calls)
    assert results


def test_a_disk_that_takes_no_folder_is_nothing_of_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    with pytest.raises(ConfigurationError, match=r"the agent cannot be run: .*not there"):
        in_worlds(f"{sys.executable} {EXAMPLE}", folder_case())


def test_more_steps_than_there_may_be_end_it_and_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(custom_agents, "MAX_STEPS", 20)
    script = f"input()\nwhile True: ask({{'call': json.loads('{MKDIR}')}})"
    output = by(script, tmp_path, folder_case(), seconds=120)
    assert output.error is None
    assert output.turns
    assert len(output.turns[0]) == 2 * 20
    assert nothing_runs(str(tmp_path))


def test_a_long_case_and_long_results_go_through(tmp_path: Path):
    messages: list[Any] = [[{"role": "user", "content": "x" * 500_000}]]
    case = msgspec.structs.replace(folder_case(), messages=messages)
    script = f"case = json.loads(input())\nassert len(case['messages'][0][0]['content']) == 500_000\nask({{'call': json.loads('{MKDIR}')}})\nprint(json.dumps({{'text': 'y' * 300_000}}))"
    output = by(script, tmp_path, case)
    assert output.error is None
    assert "y" * 300_000 in str(output.turns)


def test_a_line_that_is_no_text_is_skipped(tmp_path: Path):
    script = """
input()
sys.stdout.buffer.write(b'"\\xff"\\n')
ask({"say": "Rome"})
"""
    output = by(script, tmp_path, weather_case())
    assert (output.error, output.text) == (None, "Rome")
