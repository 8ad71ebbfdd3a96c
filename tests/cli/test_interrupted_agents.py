"""Ctrl-C while agents work: results stay, child processes end, and a rerun continues."""

from __future__ import annotations

import sys
from pathlib import Path
from signal import SIGINT

import pytest
from command import fiducial
from generating import weather_case
from left_running import nothing_runs, running, signalled

from fiducial.records import Output, read_records, write_records

pytestmark = [
    pytest.mark.attack("adversity"),
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see what is left running"),
]

AGENT = """
import json, os, subprocess, sys, time
case = json.loads(input())
if case["id"].startswith("slow") and not os.path.exists("quick"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[0]])
    time.sleep(600)
print(json.dumps({"text": "done"}))
"""
FUNCTION = """
import asyncio, sys, threading, time
import fiducial as fd
from fiducial.records import Case

def sync(case):
    if case.id.startswith("slow"):
        open(f"at-{case.id}", "w").close()
        time.sleep(3)
    return "done"

async def awaited(case):
    if case.id.startswith("slow"):
        open(f"at-{case.id}", "w").close()
        await asyncio.sleep(600)
    return "done"

def steps(case):
    if case.id.startswith("slow"):
        open(f"at-{case.id}", "w").close()
        time.sleep(3)
    yield "done"

try:
    fd.generate("cases.jsonl", globals()[sys.argv[1]], out="outputs.jsonl", system="agent", progress=False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(name) for name in ("a", "b", "slow1", "slow2", "c")])
    return path


def done() -> set[str]:
    place = Path("outputs.jsonl")
    there = place.exists() and place.stat().st_size
    return {output.case_id for output in read_records(place, Output)} if there else set()


def children_are_slow() -> bool:
    """Return whether three outputs exist and the slow one has begun."""
    return done() >= {"a", "b", "c"} and len([*running("time.sleep(600)")]) >= 2


def functions_are_slow() -> bool:
    return done() >= {"a", "b", "c"} and len([*Path().glob("at-*")]) == 2


@pytest.mark.parametrize("more", [(), ("--agent-calls",)])
def test_commands_and_what_they_started_end_and_what_is_done_stays(
    tmp_path: Path, cases: Path, more: tuple[str, ...]
):
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    asked = ["generate", str(cases), "--agent", f"{sys.executable} {agent}", *more, "--out", "outputs.jsonl"]
    ended = signalled(SIGINT, children_are_slow, asked)
    assert (ended.returncode, "Traceback" in ended.stderr) == (130, False), ended.stderr
    assert "Interrupted. Finished work is saved" in ended.stderr
    assert done() == {"a", "b", "c"}
    assert nothing_runs(str(agent))
    Path("quick").touch()  # the agent's code stays: outputs of other code are refused
    assert fiducial(*asked).code == 0
    assert done() == {"a", "b", "c", "slow1", "slow2"}


@pytest.mark.parametrize("function", ["sync", "awaited", "steps"])
def test_functions_are_left_at_once_and_what_is_done_stays(cases: Path, function: str):
    script = cases.with_name("script.py")
    script.write_text(FUNCTION)
    ended = signalled(SIGINT, functions_are_slow, [script, function])
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n"), ended.stderr
    assert done() == {"a", "b", "c"}
