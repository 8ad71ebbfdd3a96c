"""`fiducial generate` as a user types it, against a provider on loopback."""

from __future__ import annotations

import json
import sys
from itertools import cycle
from pathlib import Path
from signal import SIGKILL
from typing import Any

import msgspec
import pytest
from command import Result, fiducial, typed
from generating import folder_case, weather_case
from left_running import signalled
from provider_server import Answer, Body, Drop, Hang, ProviderServer, Raw, Response, Seen, Status

from fiducial.records import Case, Output, read_records, write_records


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(name) for name in "abcdef"])
    return path


@pytest.fixture
def weather(server: ProviderServer) -> ProviderServer:
    server.script = right
    return server


def right(seen: Seen) -> Response:
    city = seen.text.removeprefix("How is the weather in ").removesuffix("?")
    return Answer(None, calls=[("weather_now", json.dumps({"city": city}))])


def generate(cases: Path, server: ProviderServer, *more: str) -> Result:
    out = cases.with_name("outputs.jsonl")
    return fiducial("generate", cases, "--model", "m", "--base-url", server.base_url, "--out", out, *more)


def outputs(cases: Path) -> list[Output]:
    return list(read_records(cases.with_name("outputs.jsonl"), Output))


def rows(cases: Path) -> list[dict[str, Any]]:
    lines = cases.with_name("outputs.attempts.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_some_cases_are_generated_and_the_rest_later(cases: Path, weather: ProviderServer):
    assert "m: 1 of 1 output, 1 generated now" in generate(cases, weather, "--only", "b").out
    some = generate(cases, weather, "--only", "a", "--only", "b")
    assert "m: 2 of 2 outputs, 1 generated now" in some.out
    assert "m: 6 of 6 outputs, 4 generated now" in generate(cases, weather).out
    assert sorted(output.case_id for output in outputs(cases)) == list("abcdef")
    assert len(weather.seen) == 6
    assert sorted(path.name for path in cases.parent.glob("*only*")) == []


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_selection_that_matches_nothing_or_would_lose_outputs_is_refused(
    cases: Path, weather: ProviderServer, dry: tuple[str, ...]
):
    generate(cases, weather, "--only", "a", "--only", "b")
    for options, message in [
        (("--only", "z"), "no case has this id"),
        (("--only", "a", "--again"), "--again replaces all"),
    ]:
        refused = generate(cases, weather, *options, *dry)
        assert (refused.code, message in refused.err) == (2, True), refused.err
    assert [output.case_id for output in outputs(cases)] == ["a", "b"]


def test_every_case_and_trial_gets_an_output(cases: Path, weather: ProviderServer):
    result = generate(cases, weather, "--trials", "2")
    assert result.code == 0
    assert "m: 12 of 12 outputs, 12 generated now" in result.out
    assert {(output.case_id, output.system, output.trial) for output in outputs(cases)} == {
        (name, "m", trial) for name in "abcdef" for trial in (0, 1)
    }
    checked = fiducial("check", cases, "--outputs", cases.with_name("outputs.jsonl"), "--out", "v.jsonl")
    assert "12 of 12" in checked.out


def test_the_same_command_asks_nothing_again(cases: Path, weather: ProviderServer):
    generate(cases, weather, "--no-cache")
    result = generate(cases, weather, "--no-cache")
    assert "6 of 6 outputs, 0 generated now" in result.out
    assert len(weather.seen) == 6


def test_an_output_that_was_changed_by_hand_is_refused_unless_that_is_accepted(
    cases: Path, weather: ProviderServer
):
    generate(cases, weather)
    out = cases.with_name("outputs.jsonl")
    out.write_text(out.read_text("utf-8").replace('\\"b\\"', '\\"rome\\"'), "utf-8")
    changed = out.read_bytes()
    line = changed[: changed.index(b"rome")].count(b"\n") + 1
    result = generate(cases, weather)
    assert result.code == 2
    assert result.err.strip().endswith(
        f"outputs.jsonl:{line}: changed by hand since it was made; --accept-edited accepts the edited file"
    )
    assert generate(cases, weather, "--accept-edited").code == 0
    assert generate(cases, weather).code == 0  # it is what was made from now on
    assert out.read_bytes() == changed


def test_a_line_that_was_taken_out_is_made_again(cases: Path, weather: ProviderServer):
    generate(cases, weather)
    out = cases.with_name("outputs.jsonl")
    out.write_text("".join(out.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    assert "6 of 6 outputs, 1 generated now" in generate(cases, weather).out


def test_parameters_are_sent_as_they_are_given(cases: Path, weather: ProviderServer):
    generate(cases, weather, "--parameter", "temperature=0", "--parameter", "reasoning_effort=low")
    assert weather.seen[0].body["temperature"] == 0
    assert weather.seen[0].body["reasoning_effort"] == "low"


def test_failures_are_no_outputs_and_are_tried_again(cases: Path, weather: ProviderServer):
    weather.script = lambda seen: Status(400) if "in a?" in seen.text else right(seen)
    result = generate(cases, weather)
    assert result.code == 3
    assert "m: 5 of 6 outputs, 5 generated now" in result.out
    assert "no output, the call failed: 1 x HTTP 400: scripted 400" in result.out
    assert [row["failure"] for row in rows(cases) if "failure" in row] == ["HTTP 400: scripted 400"]
    weather.script = right
    assert generate(cases, weather).code == 0
    assert len(outputs(cases)) == 6


FAULTS = (
    Status(429, {"retry-after": "0.01"}),
    Status(500),
    Drop(),
    Body(b'{"choices": [{"mess'),
    Body(b"[]"),
)
"""What passes when it is asked again."""


def test_faults_that_pass_cost_no_output(cases: Path, weather: ProviderServer):
    faults = cycle(FAULTS)
    weather.script = lambda seen: next(faults) if seen.attempt == 1 else right(seen)
    assert generate(cases, weather).code == 0
    assert len(outputs(cases)) == 6
    assert len(weather.seen) == 12


def test_what_hangs_is_given_up_and_is_no_output(cases: Path, weather: ProviderServer):
    weather.script = lambda seen: Hang() if "in a?" in seen.text else right(seen)
    result = generate(cases, weather, "--timeout", "0.3", "--attempts", "1", "--patience", "0")
    assert result.code == 3
    assert "1 x no reply within 0.3 s" in result.out
    assert len(outputs(cases)) == 5


def test_a_model_that_there_is_not_is_one_line_and_not_asked_for_ever(tmp_path: Path, server: ProviderServer):
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(f"c{number}") for number in range(50)])
    server.script = lambda _seen: Status(404)
    result = generate(path, server, "--concurrency", "1")
    assert result.code == 3
    assert "no output, the call failed: 9 x HTTP 404: scripted 404" in result.out
    assert "not tried, since all before failed alike: 41" in result.out
    assert len(server.seen) == 9


def test_a_refused_connection_is_never_an_output(cases: Path):
    result = fiducial(
        "generate", cases, model="m", base_url="http://127.0.0.1:9/v1", attempts="1", out="o.jsonl"
    )
    assert result.code == 3
    assert "m: 0 of 6 outputs" in result.out
    assert not Path("o.jsonl").read_bytes()


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(cases: Path, weather: ProviderServer):
    result = generate(cases, weather, "--max-calls", "2")
    assert result.code == 3
    assert len(outputs(cases)) == 2
    assert generate(cases, weather).code == 0
    assert len(weather.seen) == 6


def test_a_recording_is_replayed_without_a_model(cases: Path, weather: ProviderServer):
    generate(cases, weather, "--record", "r.jsonl", "--no-cache")
    result = fiducial("generate", cases, model="m", replay="r.jsonl", no_cache=True, out="again.jsonl")
    assert result.code == 0
    assert len(weather.seen) == 6
    by_case = {record.case_id: record for record in read_records(Path("again.jsonl"), Output)}
    assert by_case == {output.case_id: output for output in outputs(cases)}


def test_other_settings_are_another_system(cases: Path, weather: ProviderServer):
    generate(cases, weather)
    result = generate(cases, weather, "--mode", "prompt")
    assert result.code == 2
    assert (
        "outputs.generation.json: outputs of 'm' were made with different settings: mode; choose another --out or --system"
        in result.err
    )
    weather.script = lambda _seen: Answer("no")
    assert generate(cases, weather, "--mode", "prompt", "--system", "m-prompt").code == 0
    assert {output.system for output in outputs(cases)} == {"m", "m-prompt"}


def test_a_case_that_has_changed_is_not_answered_by_its_old_output(cases: Path, weather: ProviderServer):
    generate(cases, weather)
    write_records(cases, [weather_case("a", context=[])] + [weather_case(name) for name in "bcdef"])
    assert generate(cases, weather).code == 0
    changed = Case(id="a", kind="no_call", messages=[{"role": "user", "content": "Hello."}])
    write_records(cases, [changed, *(weather_case(name) for name in "bcdef")])
    result = generate(cases, weather)
    assert result.code == 2
    assert "the case 'a' has changed since its output was made" in result.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"id": "a", "kind": "no_call"}',
            "cases.jsonl:1: messages: there is nothing to send to a model: the case has no messages",
        ),
        (
            '{"id": "a", "kind": "multi_turn", "messages": [[{"role": "user"}]], "reference": {"classes": ["Moon"], "calls": [[]]}}',
            "cases.jsonl:1: reference.classes: no environment is called 'Moon'",
        ),
        ("{", "cases.jsonl:1: "),
        ("", "cases.jsonl: the file is empty"),
    ],
    ids=["no messages", "no such world", "no JSON", "empty"],
)
def test_a_bad_case_is_one_line_before_anything_is_asked(
    tmp_path: Path, server: ProviderServer, line: str, said: str
):
    path = tmp_path / "cases.jsonl"
    path.write_text(line)
    result = generate(path, server)
    assert result.code == 2
    assert said in result.err
    assert result.err.count("\n") == 1
    assert not server.seen


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            ["--agent", "x"],
            "a model and an agent exclude each other: a model (--model NAME; for `run`, --generate NAME)",
        ),
        (["--parameter", "temperature"], "--parameter: expected NAME=VALUE, got 'temperature'"),
        (["--parameter", "model=other"], "--parameter: model is not a decoding parameter"),
        (["--replay", "nowhere.jsonl"], "no such file: 'nowhere.jsonl'"),
    ],
)
def test_bad_options_are_one_line(cases: Path, server: ProviderServer, more: list[str], said: str):
    result = generate(cases, server, *more)
    assert result.code == 2
    assert said in result.err


@pytest.mark.parametrize(
    ("ignored", "said"),
    [
        (["--mode", "prompt"], "--mode is for models"),
        (["--parameter", "temperature=0"], "--parameter is for models"),
        (["--steps-per-turn", "3"], "--steps-per-turn is for models"),
        (["--embedding-model", "e", "--agent-calls"], "--embedding-model is for models"),
        (["--search", "pages.jsonl"], "--search is for commands that call tools; add --agent-calls"),
    ],
)
def test_options_that_a_command_would_ignore_are_refused(cases: Path, ignored: list[str], said: str):
    result = fiducial("generate", cases, "--agent", "cat", "--out", "o.jsonl", *ignored)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"fiducial: {said}" in result.err


@pytest.mark.parametrize("ignored", [["--keep-crashes"], ["--agent-timeout", "3"]], ids=" ".join)
def test_options_that_a_model_would_ignore_are_refused(
    cases: Path, server: ProviderServer, ignored: list[str]
):
    result = generate(cases, server, *ignored)
    assert (result.code, result.err.count("\n"), server.seen) == (2, 1, [])
    assert f"fiducial: {ignored[0]} is for commands (--agent)" in result.err


def test_settings_of_a_model_in_the_team_file_are_no_obstacle_to_a_command(cases: Path):
    Path("fiducial.toml").write_text('[generate]\nmode = "prompt"\n')
    command = ("--agent", f"{sys.executable} -c print(1)", "--out", "o.jsonl", "--dry-run")
    assert fiducial("generate", cases, *command).code == 0


def test_without_an_endpoint_there_is_one_line(cases: Path):
    result = fiducial("generate", cases, "--model", "m", "--out", "o.jsonl")
    assert result.code == 2
    assert "no model endpoint is configured" in result.err


@pytest.mark.slow
@pytest.mark.attack("adversity")
def test_killed_at_any_time_nothing_is_lost_and_only_what_was_in_flight_is_asked_again(
    tmp_path: Path, server: ProviderServer
):
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(f"c{number}") for number in range(60)])

    def slowly(seen: Seen) -> Response:
        answer = right(seen)
        assert isinstance(answer, Answer)
        return Answer(None, calls=answer.calls, delay=0.05)

    server.script = slowly
    out = path.with_name("outputs.jsonl")
    arguments = typed(
        "generate", path, model="m", base_url=server.base_url, out=out, concurrency="4", patience="0"
    )
    signalled(SIGKILL, lambda: len(server.seen) >= 20, [*arguments, "--no-cache"])
    before = out.read_bytes()
    out.write_bytes(before + b'{"case_id": "torn')
    result = generate(path, server, "--no-cache")
    assert result.code == 0
    assert out.read_bytes().startswith(before)
    assert sorted(output.case_id for output in outputs(path)) == sorted(f"c{number}" for number in range(60))
    asked_again = [seen for seen in server.seen if seen.attempt > 1]
    # Two attempts are at work per call in flight: a reply may be there and not yet be written.
    assert len(asked_again) <= 2 * 4


def test_an_agent_with_a_memory_holds_its_conversations_once(tmp_path: Path, server: ProviderServer):
    def script(seen: Seen) -> Response:
        if seen.messages[-1]["role"] == "tool":
            return Answer("Noted.")
        said = seen.messages[-1]["content"]
        if "I live in" in said:
            return Answer(None, calls=[("core_memory_add", json.dumps({"key": "home", "value": said}))])
        return Answer(f"From memory: {seen.messages[0]['content'].rpartition('home:')[2]}")

    server.script = script
    add = {
        "name": "core_memory_add",
        "parameters": {"type": "dict", "properties": {"key": {"type": "string"}}},
    }
    questions = [
        Case(
            id=f"q{number}",
            kind="memory_answer",
            messages=[{"role": "user", "content": f"Where, {number}?"}],
            tools=[{"type": "function", "function": add}],
            reference={"answers": ["Lucca"], "classes": ["MemoryAPI_kv"], "history": "ada"},
        )
        for number in range(3)
    ]
    cases = tmp_path / "cases.jsonl"
    write_records(cases, questions)
    histories = tmp_path / "histories.jsonl"
    told = {"history": "ada", "id": "0", "messages": [{"role": "user", "content": "I live in Lucca."}]}
    histories.write_text(json.dumps(told) + "\n")
    first = generate(cases, server, "--no-cache", "--histories", str(histories))
    assert first.code == 0
    assert len(server.seen) == 2 + 3
    # What the conversations before the questions took is counted, too.
    assert "calls: 5; tokens: 500 in, 50 out" in first.out
    checked = fiducial("check", cases, outputs=tmp_path / "outputs.jsonl", rules="bfcl", out=tmp_path / "v")
    assert "3 of 3" in checked.out
    (tmp_path / "outputs.jsonl").unlink()
    (tmp_path / "outputs.attempts.jsonl").unlink()
    again = generate(cases, server, "--no-cache", "--histories", str(histories))
    assert again.code == 0
    assert len(server.seen) == 5 + 3, "what the conversations left was written down"
    assert "calls: 3; tokens: 300 in, 30 out" in again.out


def test_conversations_before_a_question_are_within_the_budget(tmp_path: Path, server: ProviderServer):
    cases, histories = tmp_path / "cases.jsonl", tmp_path / "histories.jsonl"
    reference = {"answers": ["x"], "classes": ["MemoryAPI_kv"], "history": "ada"}
    user = {"role": "user", "content": "?"}
    write_records(cases, [Case(id="q", kind="memory_answer", messages=[user], reference=reference)])
    told = [{"history": "ada", "id": f"{number}", "messages": [user]} for number in range(4)]
    histories.write_text("".join(json.dumps(each) + "\n" for each in told))
    result = generate(
        cases, server, "--no-cache", "--histories", str(histories), "--max-calls", "2", "--price", "5/10"
    )
    assert (result.code, len(server.seen)) == (3, 2)
    assert "calls: 2; tokens: 200 in, 20 out, $0.0012\n" in result.out
    assert generate(cases, server, "--no-cache", "--histories", str(histories)).code == 0
    assert len(server.seen) == 4 + 1


def test_an_endpoint_that_has_no_tools_is_one_line_and_what_needs_none_is_done(
    tmp_path: Path, server: ProviderServer
):
    path = tmp_path / "cases.jsonl"
    plain = Case(id="plain", kind="no_call", messages=[{"role": "user", "content": "Hello."}])
    write_records(path, [plain, *(weather_case(name) for name in "abcdefghijkl")])
    told = json.dumps({"error": {"message": '"tools" is not supported by this model', "code": None}}).encode()
    refusal = b"HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(told)
    server.script = lambda seen: Raw(refusal + told) if "tools" in seen.body else Answer("Hello!")
    result = generate(path, server)
    assert result.code == 3
    (line,) = [line for line in result.out.splitlines() if "tools" in line]
    assert line.endswith('12 x HTTP 400: "tools" is not supported by this model')
    assert [output.case_id for output in outputs(path)] == ["plain"]
    server.script = right
    assert generate(path, server).code == 0
    assert len(outputs(path)) == 13


BAD_AGENTS = {
    "garbage": "echo '{garbage'",
    "a gigabyte": "head -c 1000000000 /dev/zero",
    "nothing that ends": "sleep 600",
    "a crash": "exit 7",
}


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in {"a gigabyte", "nothing that ends"}))
        for name in BAD_AGENTS
    ],
)
@pytest.mark.parametrize("more", [(), ("--agent-calls",)])
def test_an_agent_that_gives_nothing_usable_is_one_line_and_what_is_done_stays(
    tmp_path: Path, what: str, more: tuple[str, ...]
):
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(name) for name in "abc"])
    agent = tmp_path / "agent.sh"
    said = '[{\\"name\\": \\"weather.now\\", \\"arguments\\": {\\"city\\": \\"a\\"}}]'
    agent.write_text(
        f'read -r case || true\ncase "$case" in\n*\'"id":"a"\'*) echo "{said}";;\n*) {BAD_AGENTS[what]};;\nesac\n'
    )
    out = tmp_path / "outputs.jsonl"
    result = fiducial(
        *("generate", path, "--agent", f"sh {agent}", "--agent-timeout", "2", *more, "--out", out)
    )
    assert result.code == 0, result.err
    line = result.out.splitlines()[1]
    assert line.startswith("agent crashed in 2 attempts (graded 0); most common: "), result.out
    assert "Traceback" not in result.err
    checked = fiducial("check", path, "--outputs", out, "--out", tmp_path / "v.jsonl")
    assert "1 of 3" in checked.out or "0.33" in checked.out, checked.out


def test_a_history_that_is_not_there_is_one_line(tmp_path: Path, server: ProviderServer):
    cases = tmp_path / "cases.jsonl"
    reference = {"answers": ["x"], "classes": ["MemoryAPI_kv"], "history": "bea"}
    user = {"role": "user", "content": "?"}
    write_records(cases, [Case(id="q", kind="memory_answer", messages=[user], reference=reference)])
    result = generate(cases, server)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "case 'q': no history is called 'bea' (--histories)" in result.err
    assert server.seen == []


def in_steps(seen: Seen) -> Response:
    """Two steps with calls, then a text, in each turn."""
    steps = 0
    for message in reversed(seen.messages):
        if message["role"] == "user":
            break
        steps += message["role"] == "assistant"
    call = [("mkdir", '{"dir_name": "a"}'), ("ls", "{}")][steps : steps + 1]
    return Answer("done" if not call else None, calls=call, delay=0.02)


def conversations(path: Path, count: int) -> Path:
    cases = [folder_case(2, f"c{number}") for number in range(count)]
    write_records(path, [msgspec.structs.replace(case, messages=_named(case)) for case in cases])
    return path


def _named(case: Case) -> list[Any]:
    return [[{"role": "user", "content": f"{case.id}, turn {turn}"}] for turn in range(2)]


@pytest.mark.slow
@pytest.mark.attack("adversity")
@pytest.mark.parametrize("killed_at", [1, 9, 20, 40])
def test_killed_within_conversations_each_goes_on_at_its_step(
    tmp_path: Path, server: ProviderServer, killed_at: int
):
    path = conversations(tmp_path / "cases.jsonl", 8)
    server.script = in_steps
    out = path.with_name("outputs.jsonl")
    arguments = typed("generate", path, model="m", base_url=server.base_url, out=out, concurrency="3")
    signalled(SIGKILL, lambda: len(server.seen) >= killed_at, arguments)
    before = out.read_bytes() if out.exists() else b""
    result = generate(path, server, "--concurrency", "3")
    assert result.code == 0, result.err
    assert out.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert {output.case_id for output in outputs(path)} == {f"c{number}" for number in range(8)}
    assert all([len(turn) for turn in output.turns or []] == [5, 5] for output in outputs(path))
    assert len({seen.raw for seen in server.seen}) == 8 * 6
    assert len([seen for seen in server.seen if seen.attempt > 1]) <= 3


def test_faults_within_conversations_change_nothing(tmp_path: Path, server: ProviderServer):
    path = conversations(tmp_path / "cases.jsonl", 3)
    server.script = in_steps
    generate(path, server, "--no-cache")
    smooth = {output.case_id: output.turns for output in outputs(path)}
    path.with_name("outputs.jsonl").unlink()
    faults = cycle(FAULTS)
    server.script = lambda seen: next(faults) if seen.attempt == 2 else in_steps(seen)
    assert generate(path, server, "--no-cache").code == 0
    assert {output.case_id: output.turns for output in outputs(path)} == smooth
    assert next(faults) is FAULTS[(3 * 6) % len(FAULTS)]  # each call met one


def test_a_conversation_whose_call_fails_has_no_output_and_goes_on_at_that_step(
    tmp_path: Path, server: ProviderServer
):
    path = conversations(tmp_path / "cases.jsonl", 1)
    server.script = lambda seen: Status(400) if "turn 1" in seen.text else in_steps(seen)
    assert generate(path, server).code == 3
    assert not path.with_name("outputs.jsonl").read_bytes()
    server.script = in_steps
    assert generate(path, server).code == 0
    assert len(server.seen) == 7
