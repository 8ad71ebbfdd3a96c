"""A machine that lets a run down: kills, clocks that go backwards, renames that fail."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
from audit_items import calls
from command import Command, fiducial, typed
from left_running import signalled
from provider_server import Answer, Hang, ProviderServer, Response, Seen

from fiducial.data import demo_path
from fiducial.records import write_records

pytestmark = pytest.mark.attack("adversity")


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    write_records(tmp_path / "cases.jsonl", calls(8))
    assert fiducial("audit", "mutate", tmp_path / "cases.jsonl", "--out", tmp_path / "probes").code == 0
    return tmp_path / "probes"


def audit(probes: Path, server: ProviderServer, out: Path) -> list[str | Path]:
    judge = typed(judge="tool_call_accuracy/direct", model="m", base_url=server.base_url)
    return typed("audit", "run", probes, *judge, sample=4, no_cache=True, concurrency=2, out=out)


def by_length(seen: Seen) -> Response:
    return Answer("<S2>1</S2>" if len(seen.text) % 3 else "<S2>0</S2>")


def found(out: Path) -> Any:
    """Return an audit's results without its times."""
    audit = json.loads((out / "audit.json").read_text())
    return [{key: each[key] for key in ("judge", "operators")} for each in audit["judges"]]


@pytest.mark.slow
def test_an_audit_that_was_killed_comes_to_what_it_would_have_come_to(
    probes: Path, server: ProviderServer, tmp_path: Path
):
    server.script = by_length
    assert fiducial(*audit(probes, server, tmp_path / "whole")).code == 0
    asked = len(server.seen)
    server.script = lambda seen: by_length(seen) if len(server.seen) < asked + asked // 2 else Hang()
    half = audit(probes, server, tmp_path / "killed")
    signalled(SIGKILL, lambda: len(server.seen) >= asked + asked // 2, half)
    server.script = by_length
    before = len(server.seen)
    assert fiducial(*audit(probes, server, tmp_path / "killed")).code == 0
    assert found(tmp_path / "killed") == found(tmp_path / "whole")
    assert 0 < len(server.seen) - before < asked, "what was there was not asked again"


@pytest.fixture
def run(inputs: tuple[Path, Path]) -> Command:
    """Return a run of a judge, always into one folder."""
    asked = typed(judge="tool_call_accuracy@baseline", judge_on="all", out="run")
    return partial(fiducial, "run", inputs[0], "--outputs", inputs[1], *asked)


def test_a_clock_that_goes_backwards_changes_nothing(run: Command, monkeypatch: pytest.MonkeyPatch):
    begin = time.time()
    ticks = iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: begin - 1000 * next(ticks))
    assert run().code == 0
    verdicts = Path("run/verdicts.jsonl").read_bytes()
    assert run().code == 0
    assert Path("run/verdicts.jsonl").read_bytes() == verdicts


def test_a_rename_that_fails_is_one_line_and_the_same_command_goes_on(
    run: Command, monkeypatch: pytest.MonkeyPatch
):
    def broken(self: Path, target: Any) -> Any:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", broken)
        result = run()
    assert result.code == 2
    assert result.err.strip().splitlines()[-1].endswith("cannot be written: Input/output error")
    assert list(Path("run").glob("*.tmp")) == []
    assert run().code == 0


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b'{"key": "a"}', b'{"key": "a", "model": "m", "reply": 7}', b"\xff"]
)
def test_a_recording_that_was_tampered_with_is_named_with_its_line(tmp_path: Path, line: bytes):
    recording = tmp_path / "r.jsonl"
    recording.write_bytes(b'{"key":"k","model":"m","reply":{"text":"1"}}\n' + line + b"\n")
    asked = typed(judge="groundedness", model="m", replay=recording, out=tmp_path / "judged")
    result = fiducial("judge", demo_path("cases.jsonl"), *asked, outputs=demo_path("outputs.jsonl"))
    assert result.code == 2
    assert "r.jsonl:2" in result.err
