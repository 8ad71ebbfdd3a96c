"""`fiducial audit run --ladder` as typed: batches, recordings, reruns, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from batch_server import BatchServer
from command import Result, fiducial, typed
from provider_server import Answer, ProviderServer


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    return tmp_path


def ladder(*args: str, judge: str = "tool_call_accuracy/direct") -> Result:
    """Climb one dial."""
    named = ("--judge", judge, "--model", "m", "--only", "nesting", "--out", "out")
    return fiducial("audit", "run", "--ladder", *named, *args)


def levels() -> list[dict[str, int]]:
    (asked, *_) = json.loads(Path("out/audit.json").read_bytes())["judges"]
    return asked["ladders"][0]["levels"]


def test_each_round_is_a_batch():
    with BatchServer(answer=lambda line: "1") as batches:
        done = ladder("--calls", "100", "--base-url", batches.base_url, "--batch", "--poll-seconds", "0")
        assert done.code == 0
        assert [len(lines) for lines in batches.asked()] == [50, 50]
    assert sum(level["faulty"] for level in levels()) == 90
    assert sum(level["caught"] + level["failed"] for level in levels()) == 0
    assert "before 1 (levels of nesting)" in done.out


def test_what_was_recorded_evenly_is_read_again_without_an_endpoint():
    with ProviderServer(lambda seen: Answer("0")) as server:
        reach = ("--base-url", server.base_url, "--no-cache")
        assert ladder("--calls", "60", "--evenly", *reach, "--record", "said.jsonl").code == 0
    first = levels()
    Path("out").rename("before")
    assert ladder("--calls", "60", "--evenly", "--replay", "said.jsonl").code == 0
    assert levels() == first
    assert sum(level["failed"] for level in first) == 6


def test_calls_that_fail_are_an_exit_code_and_asked_again():
    assert (
        ladder("--calls", "50", "--base-url", "http://127.0.0.1:9", "--attempts", "1", "--no-cache").code == 3
    )
    with ProviderServer(lambda seen: Answer("0")) as server:
        again = ladder("--calls", "50", "--base-url", server.base_url, "--no-cache")
    assert again.code == 0
    assert sum(level["faulty"] + level["right"] for level in levels()) == 50


def test_a_dry_run_says_how_many_questions_and_leaves_nothing():
    done = ladder("--calls", "80", "--base-url", "http://127.0.0.1:9", "--dry-run")
    assert (done.code, Path("out").exists()) == (0, False)
    assert "80" in done.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("audit", "run", "--judge", "groundedness", "--model", "m", "--out", "o"), "nothing to judge"),
        (
            ("audit", "run", "--ladder", "--judge", "memory_answer", "--model", "m", "--out", "o"),
            "none of the outputs is of a kind to judge",
        ),
        (
            (
                "audit",
                "run",
                "--ladder",
                "--only",
                "nest",
                "--judge",
                "groundedness",
                "--model",
                "m",
                "--out",
                "o",
            ),
            "nest: no such dial",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_written(args: tuple[str, ...], message: str):
    done = fiducial(*args)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not Path("o").exists()


def test_review_says_where_what_was_missed_on_ladders_is():
    asked = typed(ladder=True, only="inference", calls="20", judge="groundedness", model="baseline")
    assert fiducial("audit", "run", *asked, "--out", "out").code == 0
    done = fiducial("review", "out", "--of", "survivors")
    assert done.code == 2
    assert "missed faults are in its to_read.jsonl" in done.err
