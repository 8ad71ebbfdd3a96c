"""Judges of conversations see calls executed in the case's environment, in every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from command import Result, fiducial
from provider_server import ProviderServer

EXAMPLES = Path(__file__).parent.parent / "examples"
CASES, OUTPUTS = EXAMPLES / "calendar_cases.jsonl", EXAMPLES / "calendar_outputs.jsonl"
WORLD = ("--environment", "calendar_world:Calendar")
SHOWN = '"hour": 13}}, "result": {"moved": "event-1"}}'
PROMPT = """---
name: Mine
inputs:
  transcript: {type: string, kind: string}
  fence: {type: string, kind: string}
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1, step: 1}
parse: {mode: number, pick: alone}
---
user:
=== {{fence}} begin transcript ===
{{transcript}}
=== {{fence}} end transcript ===
Reply with one character. The whole reply is one of these two:

0

1
"""

Asked: TypeAlias = Callable[..., Result]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a custom prompt that shows the transcript.

    The environment's module is found from the current folder.
    """
    (tmp_path / "calendar_world.py").write_text((EXAMPLES / "calendar_world.py").read_text())
    path = tmp_path / "mine.prompty"
    path.write_text(PROMPT)
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture
def judge(mine: Path, server: ProviderServer) -> Asked:
    """Judges the calendar's outputs by the prompt, recording replies."""

    def call(*args: str | Path, command: str = "judge") -> Result:
        asked = ("--judge", mine, "--model", "m", "--out", args[0], *args[1:])
        return fiducial(command, CASES, "--outputs", OUTPUTS, *asked)

    return call


def recorded() -> set[str]:
    return {json.loads(line)["key"] for line in Path("replies.jsonl").read_text().splitlines()}


def test_results_are_shown_and_every_door_asks_the_same(judge: Asked, mine: Path, server: ProviderServer):
    at = ("--base-url", server.base_url, "--record", "replies.jsonl")
    assert judge("judged", *WORLD, *at).code == 0
    calls = len(server.seen)
    assert calls
    assert any(SHOWN in seen.text for seen in server.seen)

    fiducial("batch", "export", CASES, *WORLD, outputs=OUTPUTS, judge=mine, model="m", out="b.jsonl")
    assert {json.loads(line)["custom_id"] for line in Path("b.jsonl").read_text().splitlines()} == recorded()

    replay = ("--replay", "replies.jsonl")
    assert f"calls: 0 for {calls} verdicts" in judge("foreseen", *WORLD, *replay, "--dry-run").out
    everything = ("--judge-on", "all", *replay)
    assert judge("run", *WORLD, *everything, command="run").code == 0
    shown = fiducial(
        "prompts", "render", mine, *WORLD, cases=CASES, outputs=OUTPUTS, id="calendar-1", json=True
    )
    body: dict[str, Any] = json.loads(shown.out)
    assert body["messages"] in [seen.messages for seen in server.seen]
    assert len(server.seen) == calls


def test_an_audit_shows_probes_with_what_their_calls_return(mine: Path, server: ProviderServer):
    made = fiducial("audit", "mutate", CASES, "--outputs", OUTPUTS, *WORLD, "--out", "probes")
    assert made.code == 0
    at = ("--base-url", server.base_url)
    asked = fiducial("audit", "run", "probes", "--judge", mine, "--model", "m", *WORLD, *at, "--out", "audit")
    assert asked.code == 0
    assert any(SHOWN in seen.text for seen in server.seen)


def test_a_world_that_is_not_known_is_named_before_anything_is_asked(judge: Asked, server: ProviderServer):
    result = judge("judged", "--base-url", server.base_url)
    assert (result.code, len(server.seen)) == (2, 0)
    assert "no environment is called 'Calendar'" in result.err.splitlines()[-1]


def test_replies_read_again_leave_the_judge_that_was_asked(judge: Asked, server: ProviderServer):
    at = ("--base-url", server.base_url)
    judge("judged", *WORLD, *at)
    assert fiducial("judge", "--reparse", "judged").code == 0
    calls = len(server.seen)
    assert (judge("judged", *WORLD, *at).code, len(server.seen)) == (0, calls)


def test_a_prompt_with_recorded_replies_is_shown_calls_without_results(mine: Path):
    asked = ("--cases", CASES, "--outputs", OUTPUTS, "--id", "calendar-1")
    result = fiducial("prompts", "render", "task_completion/reasons", *asked)
    assert result.code == 0
    assert '"result"' not in result.out
