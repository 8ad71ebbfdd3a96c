"""`fiducial generate` and `run` with a model that plays the users of cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from provider_server import Answer, ProviderServer, Response, Seen

from fiducial.evaluation.generation.attempt import UserTurn
from fiducial.records import Output, read_records

CASE: dict[str, Any] = {
    "id": "trip",
    "kind": "multi_turn",
    "messages": [{"role": "system", "content": "You book rooms."}],
    "user": {"goal": "a room in Ghent for two nights", "facts": ["arrives on Friday"], "max_turns": 4},
}


def dialogue(seen: Seen) -> Response:
    if seen.body["model"] == "agent":
        return Answer("From which day on?")
    if seen.body["model"] == "judge":
        return Answer("<S1>why</S1><S2>none</S2>" if '"step"' in seen.text else "<S1>why</S1><S2>0</S2>")
    return Answer("From Friday." if "which day" in seen.text else "A room in Ghent, please.")


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n", encoding="utf-8")
    return path


def test_both_models_and_what_they_took_are_told(cases: Path, tmp_path: Path):
    with ProviderServer(dialogue) as agents, ProviderServer(dialogue) as users:
        done = fiducial(*
            ["generate", str(cases), "--model", "agent", "--base-url", agents.base_url, "--user-model", "person",
             "--user-base-url", users.base_url, "--price", "agent=1/2", "--price", "person=10/20", "--no-cache",
             "--out", "outputs.jsonl"]
        )  # fmt: skip
    assert done.code == 0
    told = done.out
    assert "agent: 1 of 1 output, 1 generated now" in told
    assert "simulated user person: calls: 4; tokens: " in told
    assert "stopped: 1 x the simulated user had 4 turns and was not done" in told
    assert [record.model for record in read_records(tmp_path / "outputs.users.jsonl", UserTurn)] == [
        "person"
    ] * 4


@pytest.mark.attack("keys and transport")
@pytest.mark.parametrize(("own", "sent"), [("", "Bearer k"), (",key-env=USERS_KEY", "Bearer users")])
def test_the_key_of_the_agents_server_is_not_sent_to_the_users(
    cases: Path, monkeypatch: pytest.MonkeyPatch, own: str, sent: str
):
    monkeypatch.setenv("AGENTS_KEY", "agents")
    monkeypatch.setenv("USERS_KEY", "users")
    with ProviderServer(dialogue) as agents, ProviderServer(dialogue) as users:
        done = fiducial(*
            ["generate", str(cases), "--model", "agent", "--base-url", agents.base_url, "--api-key-env", "AGENTS_KEY",
             "--user-model", "person", "--user-base-url", users.base_url + own, "--no-cache", "--out", "outputs.jsonl"]
        )  # fmt: skip
    assert done.code == 0, done
    assert {seen.headers["authorization"] for seen in agents.seen} == {"Bearer agents"}
    assert {seen.headers["authorization"] for seen in users.seen} == {sent}


def test_a_run_generates_dialogues_and_judges_them_without_a_reference(cases: Path, tmp_path: Path):
    with ProviderServer(dialogue) as server:
        done = fiducial(*
            ["run", str(cases), "--generate", "agent", "--user-model", "person", "--model", "judge",
             "--judge", "task_completion", "--judge", "first_wrong_step", "--base-url", server.base_url, "--no-cache",
             "--out", "run"]
        )  # fmt: skip
    assert done.code == 0, done
    verdicts = [json.loads(line) for line in (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()]
    said = {verdict["by"]: verdict for verdict in verdicts if verdict["source"] == "judge"}
    assert said["task_completion/explicit@judge"]["score"] == 0
    assert said["first_wrong_step/reasons@judge"]["evidence"] == {"step": 0, "steps": 4}
    assert [verdict["outcome"] for verdict in verdicts if verdict["source"] == "checker"] == ["undecided"]


def test_a_dry_run_tells_the_bounds_and_calls_nothing(cases: Path):
    with ProviderServer(dialogue) as server:
        done = fiducial(*
            ["generate", str(cases), "--model", "agent", "--user-model", "person", "--base-url", server.base_url,
             "--out", "outputs.jsonl", "--dry-run"]
        )  # fmt: skip
        assert (done.code, server.seen) == (0, [])
    assert "at least 2, at most 88" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "agent"], "--user-model"),
        (["--agent", "cat"], "--user-model"),
        (["--agent", "python agent.py", "--user-model", "p"], "add --agent-calls"),
        (["--model", "agent", "--user-base-url", "http://127.0.0.1:9/v1"], "add --user-model NAME"),
    ],
)
def test_what_cannot_be_is_one_line(cases: Path, options: list[str], message: str):
    done = fiducial(
        *["generate", str(cases), *options, "--base-url", "http://127.0.0.1:9/v1", "--out", "o.jsonl"]
    )
    told = done.err
    assert done.code == 2
    assert message in told
    assert len(told.strip().splitlines()) == 1


_TALKS = """
import json, sys
case = json.loads(input())
assert "user" not in case
messages = case["messages"]
while True:
    print(json.dumps({"say": "heard " + messages[-1]["content"]}), flush=True)
    messages = json.loads(input())["messages"]
"""


def test_a_command_that_talks_in_steps_talks_to_the_user(cases: Path, tmp_path: Path):
    (tmp_path / "agent.py").write_text(_TALKS, encoding="utf-8")
    with ProviderServer(dialogue) as server:
        done = fiducial(
            "generate", cases, "--agent", "python agent.py", "--agent-calls", "--user-model", "person",
            "--base-url", server.base_url, "--no-cache", "--out", "outputs.jsonl",
        )  # fmt: skip
    assert done.code == 0, done
    (output,) = read_records(tmp_path / "outputs.jsonl", Output)
    assert output.turns == [["heard A room in Ghent, please."]] * 4
    assert output.asked is not None
    assert len(output.asked) == 4
