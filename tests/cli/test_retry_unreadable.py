"""Unreadable replies are asked again by later commands, a limited number of times."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from batch_server import BatchServer
from command import Command, fiducial, typed, verdicts_in
from provider_server import Answer, ProviderServer, Seen

from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import FolderPath, Verdict


@pytest.fixture
def judge(server: ProviderServer, inputs: tuple[Path, Path]) -> Command:
    """Return a function that runs `fiducial judge` on the inputs, always into one folder."""
    asked = typed(inputs[0], outputs=inputs[1], judge="tool_call_accuracy/direct", model="m", out="run")
    return partial(fiducial, "judge", *asked, "--base-url", server.base_url)


def unreadable_about(city: str, replies: Callable[[], str]) -> Callable[[Seen], Answer]:
    return lambda seen: Answer(replies() if f"in {city}?" in seen.text else "1")


def standing(run: FolderPath = Path("run")) -> list[Verdict]:
    with RunStore(run) as store:
        return [verdict for verdict in store.verdicts.read() if "unread" in verdict.evidence]


def test_the_same_command_asks_once_more_and_keeps_the_earlier_replies(
    judge: Command, server: ProviderServer
):
    texts = iter(["hm", "um", "1"])
    server.script = unreadable_about("City3", lambda: next(texts))
    calls: list[int] = []
    for _ in range(3):
        judge("--no-cache")
        calls.append(len(server.seen))
    assert calls == [21, 22, 22]
    (verdict,) = standing()
    assert (verdict.outcome, verdict.raw) == ("graded", "1")
    assert [each["text"] for each in verdict.evidence["unread"]] == ["hm", "um"]
    assert verdict.usage is not None
    assert verdict.usage.retried == 1


@pytest.mark.parametrize(("times", "retries"), [("0", 0), ("1", 1), ("2", 2)])
@pytest.mark.parametrize("cache", [("--no-cache",), ()])
def test_it_is_asked_as_often_as_said_and_no_more(
    judge: Command, server: ProviderServer, cache: tuple[str, ...], times: str, retries: int
):
    server.script = unreadable_about("City3", lambda: "hm")
    for _ in range(4):
        judge("--retry-unreadable", times, *cache)
    assert len(server.seen) == 19 + 2 * (1 + retries)
    (verdict,) = standing()
    assert verdict.outcome == "unparsable"


def test_a_dry_run_counts_it(judge: Command, server: ProviderServer):
    server.script = unreadable_about("City3", lambda: "hm")
    told: list[str] = []
    for cache in ("--no-cache",), ():
        judge(*cache)
        told.append(judge("--dry-run", *cache).out)
        told.append(judge("--dry-run", "--retry-unreadable", "0", *cache).out)
        judge(*cache)
        told.append(judge("--dry-run", *cache).out)
    assert ["calls: 1 " in each or "1 call" in each for each in told[:3]] == [True, False, False]


def test_no_call_is_made_beyond_the_budget(judge: Command, server: ProviderServer):
    server.script = unreadable_about("City3", lambda: "hm")
    judge("--no-cache")
    result = judge("--no-cache", "--max-calls", "0")
    assert (result.code, len(server.seen)) == (3, 21)
    (verdict,) = standing()
    assert (verdict.outcome, len(verdict.evidence["unread"])) == ("failed", 2)


def test_a_recording_is_not_asked_again(judge: Command, server: ProviderServer):
    server.script = unreadable_about("City3", lambda: "hm")
    judge("--no-cache", "--record", "replies.jsonl")
    for _ in range(2):
        judge("--replay", "replies.jsonl", "--out", "replayed")
    rows = verdicts_in("replayed")
    assert (len(rows), sum(row.outcome == "unparsable" for row in rows)) == (20, 1)


def test_a_new_folder_asks_what_the_cache_cannot_answer(judge: Command, server: ProviderServer):
    server.script = unreadable_about("City3", lambda: "hm")
    judge()
    dry = judge("--dry-run", "--out", "other").out
    server.script = unreadable_about("City3", lambda: "0")
    judge("--out", "other")
    assert len(server.seen) == 22
    assert "calls: 1 " in dry
    assert [row.outcome for row in verdicts_in("other")] == ["graded"] * 20
    judge("--out", "third")
    assert len(server.seen) == 22


def test_a_batch_asks_again_in_a_batch_of_its_own(
    judge: Command, monkeypatch: pytest.MonkeyPatch, server: ProviderServer
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setattr("fiducial.evaluation.batch.batch_endpoint._FIRST_WAIT", 0)
    bad = ["City3"]

    def answer(line: object) -> str:
        return "hm" if any(f"in {city}?" in json.dumps(line) for city in bad) else "1"

    with BatchServer(answer=answer) as batches:
        asking = partial(judge, "--batch", "--poll-seconds", "0", "--base-url", batches.base_url)
        asking()
        asking()
        bad.clear()
        asking()
        assert [len(lines) for lines in batches.asked()] == [20, 1, 1, 1]
        asking("--retry-unreadable", "2")
        assert [len(lines) for lines in batches.asked()] == [20, 1, 1, 1, 1]
    assert [row.outcome for row in standing()] == ["graded"]
    assert not server.seen


def test_a_jury_is_combined_anew_and_keeps_a_score_that_it_has(judge: Command, server: ProviderServer):
    texts = {"m": "hm", "n": "1", "o": "1"}
    server.script = lambda seen: Answer(texts[seen.body["model"]] if "in City3?" in seen.text else "1")
    members = [word for model in "no" for word in ("--judge", f"tool_call_accuracy/direct@{model}")]
    judge(*members, "--jury", "majority")
    before = len(server.seen)
    judge(*members, "--jury", "majority")
    assert len(server.seen) == before
    texts |= {"n": "hm"}
    judge(*members, "--jury", "majority", "--no-cache", "--out", "other")
    texts |= {"m": "1", "n": "1"}
    judge(*members, "--jury", "majority", "--no-cache", "--out", "other")
    with RunStore(Path("other")) as store:
        assert {verdict.outcome for verdict in store.verdicts.read()} == {"graded"}
