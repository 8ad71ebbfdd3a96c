"""`fiducial run --agent`: stale outputs are not reused, and a broken setup is no score."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from signal import SIGINT

import pytest
from command import Result, fiducial, typed, verdicts_in
from left_running import signalled

from fiducial.records import Case, Output, read_records, write_records

PYTHON = f"{sys.executable} -I -S"
"""An interpreter that starts in a quarter of the time, since it looks for no installed packages."""

RIGHT = """print('{"text": "Rome"}')\n"""
ASKED = {"role": "user", "content": "Where?"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two cases and an agent that answers both of them."""
    ask(tmp_path, 2)
    (tmp_path / "agent.py").write_text(RIGHT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(folder: Path, count: int) -> None:
    """Write that many cases in place of those of a project."""
    cases = (
        Case(id=f"q{number}", kind="memory_answer", messages=[ASKED], reference={"answers": ["Rome"]})
        for number in range(count)
    )
    write_records(folder / "cases.jsonl", cases)


def run(*more: str, agent: str = "agent.py", command: str = "run") -> Result:
    out = "run" if command == "run" else "outputs.jsonl"
    return fiducial(command, "cases.jsonl", "--agent", f"{PYTHON} {agent}", "--out", out, *more)


def passed(folder: Path) -> int:
    path = folder / "run" / "outputs.jsonl"
    return sum("Rome" in str(record.text) for record in read_records(path, Output))


COMMANDS = pytest.mark.parametrize("command", ["run", "generate"])


@pytest.mark.parametrize(("command", "calls"), [("run", ()), ("generate", ("--agent-calls",))])
def test_an_output_of_another_system_is_refused_unless_the_system_is_named(
    folder: Path, command: str, calls: tuple[str, ...]
):
    write_records(folder / "cases.jsonl", [*read_records(folder / "cases.jsonl", Case)][:1])
    (folder / "agent.py").write_text(RIGHT.replace('{"text"', '{"system": "x", "text"'))
    refused = run(*calls, command=command)
    assert refused.code == 2
    assert refused.err.endswith(
        "the agent returned an output of system 'x' for case 'q0', and is itself named 'agent'; "
        "leave the output's system empty, or generate with --system 'x'\n"
    )
    assert run("--system", "x", "--again", *calls, command=command).code == 0
    path = folder / ("run/outputs.jsonl" if command == "run" else "outputs.jsonl")
    assert [(record.system, record.text) for record in read_records(path, Output)] == [("x", "Rome")]


@COMMANDS
def test_outputs_of_other_code_are_refused_with_both_ways_on(folder: Path, command: str):
    assert run(command=command).code == 0
    assert "2 of 2 outputs, 0 generated now\n" in run(command=command).out
    (folder / "agent.py").write_text("raise SystemExit(1)")
    for more in ((), ("--dry-run",)):
        result = run(*more, command=command)
        assert result.code == 2
        assert "the code of 'agent' has changed since its outputs were made (agent.py); " in result.err
        assert "--again regenerates them, another --out keeps both" in result.err
        assert result.err.count("\n") == 1
    (folder / "agent.py").write_text(RIGHT)
    assert run(command=command).code == 0


@COMMANDS
def test_again_makes_outputs_anew(folder: Path, command: str):
    run(command=command)
    (folder / "agent.py").write_text(RIGHT.replace("Rome", "Oslo"))
    result = run("--again", command=command)
    assert (result.code, "2 of 2 outputs, 2 generated now" in result.out) == (0, True)
    if command == "run":
        assert passed(folder) == 0
        assert "1.00 [" not in result.out
        (folder / "agent.py").write_text(RIGHT)
        assert "1.00 [" in run("--again").out
    assert "0 generated now" in run(command=command).out


def test_again_leaves_other_systems_outputs_alone(folder: Path):
    for more in (("--system", "a"), ("--system", "b"), ("--system", "a", "--again")):
        assert run(*more, command="generate").code == 0
    made = [record.system for record in read_records(folder / "outputs.jsonl", Output)]
    assert made == ["b"] * 2 + ["a"] * 2


def test_again_keeps_what_people_labelled(folder: Path):
    run()
    label = {
        "case_id": "q1",
        "system": "agent",
        "by": "ada",
        "source": "human",
        "outcome": "graded",
        "score": 1.0,
    }
    review = {"evidence": {"review": {"sample": "undecided", "seed": 0}}}
    (folder / "labels.jsonl").write_text(json.dumps(label | review) + "\n")
    assert fiducial("review", "run", "--add", "labels.jsonl").code == 0
    result = run("--again")
    assert result.code == 2
    assert "holds labels that people gave its outputs; choose another --out" in result.err
    assert passed(folder) == 2


def test_code_that_is_not_known_is_said_to_be_not_tracked(folder: Path):
    command = ("run", "cases.jsonl", "--agent", "echo Rome", "--out", "run")
    assert "tracked" not in fiducial(*command).out
    assert "2 of 2 outputs, 0 generated now; the agent's code is not tracked" in fiducial(*command).out


@COMMANDS
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("-c 'import sys; sys.exit(127)'", "the agent cannot be started: exit code 127"),
        (
            "-c 'raise SystemExit(\"no key\")'",
            "failed alike on the first 8 cases, so nothing was kept or graded: exit code 1: no key; ",
        ),
    ],
)
def test_a_broken_setup_stops_with_its_first_error_and_grades_nothing(
    folder: Path, command: str, agent: str, said: str
):
    ask(folder, 9 if "alike" in said else 2)
    result = run(agent=agent, command=command)
    assert result.code == 3, result.err
    (line,) = [line for line in result.err.splitlines() if line.startswith("fiducial: ")]
    assert said in line
    for name in ("outputs.jsonl", "run/outputs.jsonl", "run/verdicts.jsonl"):
        assert not (folder / name).exists() or not (folder / name).read_bytes()
    assert "0.00" not in result.out


@COMMANDS
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("{python} agnet.py", "no such file: 'agnet.py' in {folder} (did you mean 'agent.py'?)"),
        (
            "{python} -u sub/other.py",
            "no such file: 'sub/other.py' in {folder}; name it by its path from that folder",
        ),
        ("env uv run other.js", "no such file: 'other.js' in {folder}; name it by its path from that folder"),
        (
            "agent.py",
            "'agent.py' is no command: type 'python agent.py', or make it executable and type its path",
        ),
        ("./agent.sh", "no such command: './agent.sh'; name a program on PATH, or a path from {folder}"),
    ],
)
def test_a_script_or_program_that_is_not_there_is_refused_before_anything_runs(
    folder: Path, command: str, agent: str, said: str
):
    before = sorted(folder.rglob("*"))
    typed = agent.format(python=sys.executable)
    result = fiducial(command, "cases.jsonl", "--agent", typed, "--out", "made")
    assert (result.code, result.err) == (2, f"fiducial: --agent: {said.format(folder=folder)}\n")
    assert sorted(folder.rglob("*")) == before


def test_a_word_that_may_be_an_options_value_is_not_taken_for_the_script(folder: Path):
    (folder / "say").write_text("print('Rome')\n")
    result = fiducial(
        "generate", "cases.jsonl", "--agent", f"{PYTHON} say --style gone.py", "--out", "made.jsonl"
    )
    assert result.code == 0, result.err


def test_a_broken_setup_can_be_mended_in_the_same_folder(folder: Path):
    ask(folder, 8)
    (folder / "agent.py").write_text("raise SystemExit(1)")
    assert run().code == 3
    (folder / "agent.py").write_text(RIGHT)
    assert run().code == 0
    assert passed(folder) == 8


def test_crashes_can_be_graded_all_the_same(folder: Path):
    result = run("--keep-crashes", agent="-c 'raise SystemExit(\"no luck\")'")
    assert result.code == 0, result.err
    assert "agent crashed in 2 attempts (graded 0); most common: exit code 1: no luck" in result.out


def test_crashed_trials_of_a_case_are_attempts(folder: Path):
    (folder / "agent.py").write_text("import sys\nprint('Rome')\nsys.exit('\"q1\"' in sys.stdin.read())\n")
    assert "agent crashed in 2 attempts (graded 0); most common: exit code 1" in run("--trials", "2").out


def test_the_commonest_reason_is_shown_also_when_the_run_is_resumed(folder: Path):
    crashing = "import json, sys\nname = json.load(sys.stdin)['id']\nprint('Rome')\nsys.exit('no key' if name > 'q0' else 0)\n"
    (folder / "agent.py").write_text(crashing)
    ask(folder, 3)
    for _ in range(2):
        assert "agent crashed in 2 attempts (graded 0); most common: exit code 1: no key" in run().out


@pytest.mark.attack("adversity")
def test_a_setup_that_broke_before_the_run_was_resumed_grades_nothing_either(folder: Path):
    counting = (
        "import json, sys, time\nname = json.load(sys.stdin)['id']\n"
        "if name not in ('q0', 'q1'):\n    open(f'at-{name}', 'w').close()\n    time.sleep(600)\nprint('Rome')\n"
    )
    ask(folder, 10)
    (folder / "slow.py").write_text(counting)
    arguments = typed("run", "cases.jsonl", "--agent", f"{PYTHON} slow.py", "--out", "run")

    def two_are_done_and_eight_at_work() -> bool:
        path = folder / "run" / "outputs.jsonl"
        done = path.exists() and path.read_bytes().count(b"\n") == 2
        return done and len([*folder.glob("at-*")]) == 8

    signalled(SIGINT, two_are_done_and_eight_at_work, arguments)
    before = (folder / "run" / "outputs.jsonl").read_bytes()
    result = fiducial(*arguments, "--agent-timeout", "0.2")
    assert result.code == 3
    assert "failed alike on the first 8 cases" in result.err
    assert (folder / "run" / "outputs.jsonl").read_bytes() == before
    assert not (folder / "run" / "report.html").exists()


def test_what_agents_commonly_print_is_graded_as_the_answer_that_it_is(folder: Path):
    printed = {
        "q0": "Rome",
        "q1": 'loading\n{"text": "Rome"}',
        "q2": '{"messages": [{"role": "assistant", "content": "Rome"}]}',
        "q3": "Oslo",
    }
    (folder / "agent.py").write_text(f"import json, sys\nprint({printed!r}[json.load(sys.stdin)['id']])\n")
    ask(folder, 4)
    result = run()
    assert result.code == 0, result.err
    assert [verdict.case_id for verdict in verdicts_in(folder / "run") if verdict.score != 1] == ["q3"]
    assert "crashed" not in result.out
