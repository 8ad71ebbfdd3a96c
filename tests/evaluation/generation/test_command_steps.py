"""Commands that call the tools of a case as they work, line by line."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import pytest
from generating import folder_case, weather_case
from left_running import nothing_runs

from fiducial.deterministic import check
from fiducial.errors import ConfigurationError
from fiducial.evaluation.generation.commands import MOST_OUTPUT
from fiducial.evaluation.generation.kept_attempts import Kept
from fiducial.evaluation.generation.scene import SimulatedWorlds
from fiducial.evaluation.generation.sources import command_source, work_through
from fiducial.evaluation.progress import Silent
from fiducial.records import Case, CaseIndex, Output, memory_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "calling_agent.py"
ASK = "def ask(line):\n    print(json.dumps(line), flush=True)\n    return json.loads(input())\n"
MKDIR = '{"name": "mkdir", "arguments": {"dir_name": "a"}}'


def outputs_of(command: str, *cases: Case, seconds: float = 20.0, trials: int = 1) -> list[Output]:
    source = command_source(
        command, {"PATH": "/usr/bin:/bin"}, system="me", seconds=seconds, scenes=SimulatedWorlds({}, "strict")
    )
    kept = Kept()
    with CaseIndex(memory_file("cases", cases), source.examine) as index:
        asyncio.run(work_through(source, index, kept, Silent(), trials=trials))
    return [kept.outputs[key] for key in sorted(kept.outputs)]


def by(script: str, tmp_path: Path, case: Case, *, seconds: float = 20.0) -> Output:
    path = tmp_path / "agent.py"
    path.write_text(f"import json, os, sys, time\n{ASK}\n{script}\n")
    (output,) = outputs_of(f"{sys.executable} {path}", case, seconds=seconds)
    return output


def test_the_example_of_the_docs_is_led_through_its_turns_in_its_worlds():
    (output,) = outputs_of(f"{sys.executable} {EXAMPLE}", folder_case(2))
    assert output.error is None
    first, second = output.turns or []
    assert [type(step).__name__ for step in first] == ["list", "ToolResults", "list", "ToolResults", "str"]
    assert second == ['there is {"current_directory_content": ["a"]}']
    assert check(folder_case(2), output).score == 1.0


def test_it_stands_in_the_docs():
    text = EXAMPLE.read_text().split('"""\n\n', 1)[1]
    assert text in (Path(__file__).parents[3] / "docs" / "generate.md").read_text()


def test_a_command_may_answer_at_once_and_knows_its_trial(tmp_path: Path):
    path = tmp_path / "agent.py"
    path.write_text(
        "import json, os\ncase = json.loads(input())\nassert 'reference' not in case\n"
        "print(json.dumps([{'name': 'weather.now', 'arguments': {'city': case['id'] + os.environ['FIDUCIAL_TRIAL']}}]))"
    )
    outputs = outputs_of(f"{sys.executable} {path}", weather_case("Rome"), trials=2)
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


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("print('garbage')", "it printed what is no JSON: garbage"),
        ("input(); print(5)", "it printed what is no output: 5"),
        ("print('{\"text\": 5}')", "it printed what is no output: answer to folders:1: text"),
        ("print('{\"call\": 5}')", 'it printed what is no call: {"call": 5}'),
        ("print('{\"calls\": []}')", 'it printed what is no call: {"calls": []}'),
        ("pass", "it ended without an answer"),
        ("print()\nprint()", "it ended without an answer"),
        ("sys.exit('no luck')", "exit code 1: no luck"),
        ("os.kill(os.getpid(), 9)", "exit code -9: it said nothing"),
    ],
)
def test_what_is_neither_a_step_nor_an_output_is_the_systems_failure(tmp_path: Path, script: str, error: str):
    assert str(by(script, tmp_path, folder_case()).error).startswith(error)


def test_what_was_done_before_a_failure_is_kept(tmp_path: Path):
    output = by(
        f"input()\nask({{'call': json.loads('{MKDIR}')}})\nsys.exit('no luck')", tmp_path, folder_case()
    )
    assert output.error == "exit code 1: no luck"
    ((calls, results),) = output.turns or []
    assert "mkdir" in str(calls)
    assert results


def test_a_command_that_is_neither_read_nor_ends_is_ended(tmp_path: Path):
    assert by("time.sleep(600)", tmp_path, folder_case(), seconds=0.5).error == "no answer within 0.5 s"


def test_of_lines_without_end_no_more_is_read_than_allowed(tmp_path: Path):
    script = "sys.stdout.write('x' * (1 << 20))\n" * (2 + (MOST_OUTPUT >> 20))
    assert by(script, tmp_path, folder_case()).error == f"it printed more than {MOST_OUTPUT >> 20} MiB"


def test_a_disk_that_takes_no_folder_is_nothing_of_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    with pytest.raises(ConfigurationError, match=r"the agent cannot be run: .*not there"):
        outputs_of(f"{sys.executable} {EXAMPLE}", folder_case())


def test_more_steps_than_there_may_be_end_it_and_its_process(tmp_path: Path):
    script = f"input()\nwhile True: ask({{'call': json.loads('{MKDIR}')}})"
    output = by(script, tmp_path, folder_case(), seconds=120)
    assert output.error is None
    assert output.turns
    assert nothing_runs(str(tmp_path))


def test_a_long_case_and_long_results_go_through(tmp_path: Path):
    case = folder_case()
    case = Case(
        **{name: getattr(case, name) for name in case.__struct_fields__ if name != "messages"},
        messages=[[{"role": "user", "content": "x" * 500_000}]],
    )
    script = f"case = json.loads(input())\nassert len(case['messages'][0][0]['content']) == 500_000\nask({{'call': json.loads('{MKDIR}')}})\nprint(json.dumps({{'text': 'y' * 300_000}}))"
    output = by(script, tmp_path, case)
    assert output.error is None
    assert "y" * 300_000 in str(output.turns)
