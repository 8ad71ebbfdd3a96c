from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from batch_server import BatchServer, Trouble
from command import Command, fiducial, typed, verdicts_in

from fiducial.evaluation.batch.collecting import BatchEntry

LEDGER = Path("run/batch/batches.json")


@pytest.fixture
def batches() -> Iterator[BatchServer]:
    """Yield a batch endpoint that answers 1; set its ``answer`` for another."""
    with BatchServer(answer=lambda line: "1") as running:
        yield running


@pytest.fixture
def judge(inputs: tuple[Path, Path], batches: BatchServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`fiducial judge --batch` on the inputs, into the same folder each time."""
    cases, outputs = inputs
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setattr("fiducial.evaluation.batch.batch_endpoint._FIRST_WAIT", 0)
    named = typed(judge="tool_call_accuracy/direct", model="m", base_url=batches.base_url)
    how = typed(outputs=outputs, batch=True, poll_seconds=0, out="run")
    return partial(fiducial, "judge", "-v", cases, *named, *how)


def outcomes() -> Counter[str]:
    return Counter(verdict.outcome for verdict in verdicts_in())


def ledger() -> list[BatchEntry]:
    return msgspec.json.decode(LEDGER.read_bytes(), type=list[BatchEntry])


def city(line: dict[str, Any]) -> int:
    """Which of the inputs a request is about."""
    return int(line["body"]["messages"][-1]["content"].partition("in City")[2].partition("?")[0])


def test_everything_is_uploaded_waited_for_and_read(judge: Command, batches: BatchServer):
    result = judge()
    assert (result.code, outcomes()) == (0, {"graded": 20})
    assert [len(lines) for lines in batches.asked()] == [20]
    assert "waiting for batches: 20 to do" in result.err


def test_the_same_command_again_asks_nothing_and_needs_no_endpoint(
    judge: Command, batches: BatchServer, monkeypatch: pytest.MonkeyPatch
):
    judge()
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judge().code == 0
    assert (len(batches.batches), len(verdicts_in())) == (1, 20)


def test_a_second_round_asks_again_what_could_not_be_read(judge: Command, batches: BatchServer):
    batches.answer = lambda line: "1" if city(line) != 3 or len(batches.batches) == 2 else "who knows"
    result = judge()
    assert (result.code, outcomes()) == (0, {"graded": 20})
    assert [len(lines) for lines in batches.asked()] == [20, 1]


def test_a_reply_that_cannot_be_read_twice_stays_unparsable(judge: Command, batches: BatchServer):
    batches.answer = lambda line: "who knows" if city(line) == 3 else "1"
    assert judge().code == 0
    assert outcomes() == {"graded": 19, "unparsable": 1}
    assert len(batches.batches) == 2


def test_requests_that_failed_are_asked_again_by_the_same_command_and_by_it_alone(
    judge: Command, batches: BatchServer
):
    batches.answer = lambda line: 500 if city(line) < 4 else "1"
    first = judge()
    assert (first.code, outcomes(), len(batches.batches)) == (3, {"graded": 16, "failed": 4}, 1)
    batches.answer = lambda line: "0"
    second = judge()
    assert (second.code, [len(lines) for lines in batches.asked()]) == (0, [20, 4])
    graded = [verdict for verdict in verdicts_in() if verdict.graded]
    assert len(graded) == len({verdict.key for verdict in graded}) == 20


def test_an_expired_batch_gives_what_it_has(judge: Command, batches: BatchServer):
    batches.ends_as = "expired"
    batches.answer = lambda line: None if city(line) < 5 else "1"
    assert judge().code == 3
    assert outcomes() == {"graded": 15, "failed": 5}
    assert {verdict.reason for verdict in verdicts_in() if not verdict.graded} == {
        "no result came of the batch (requests-001.jsonl expired)"
    }


def test_a_batch_that_was_refused_says_why(judge: Command, batches: BatchServer):
    batches.ends_as, batches.problem = "failed", "the model m is not for batches"
    assert judge().code == 3
    (reason,) = {verdict.reason for verdict in verdicts_in()}
    assert "requests-001.jsonl failed: the model m is not for batches" in str(reason)


def test_an_identical_file_is_sent_again_after_its_first_batch_failed(judge: Command, batches: BatchServer):
    batches.ends_as, batches.problem = "failed", "busy"
    judge()
    batches.ends_as, batches.problem = "completed", None
    assert judge().code == 0
    assert [len(lines) for lines in batches.asked()] == [20, 20]


@pytest.mark.attack("keys and transport")
def test_an_endpoint_that_refuses_is_one_line_without_the_key(judge: Command, batches: BatchServer):
    batches.fails_with = 400
    result = judge()
    assert result.code == 2
    assert "cannot begin the batch" in result.err
    assert "sk-secret" not in result.err
    batches.fails_with = None
    assert judge().code == 0


@pytest.mark.attack("adversity")
@pytest.mark.parametrize("known", [True, False], ids=["written down", "not written down"])
def test_a_batch_that_was_begun_before_a_kill_is_taken_up_again(
    judge: Command, batches: BatchServer, monkeypatch: pytest.MonkeyPatch, known: bool
):
    class KilledError(BaseException): ...

    def killed(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr("fiducial.evaluation.batch.batch_endpoint.BatchEndpoint.look", killed)
        with pytest.raises(KilledError):
            judge()
    entries = ledger()
    assert [entry.id for entry in entries] == ["batch-1"]
    if not known:
        entries[0].id = None
        LEDGER.write_bytes(msgspec.json.encode(entries))
    assert judge().code == 0
    assert (len(batches.batches), outcomes()) == (1, {"graded": 20})


STEPS = ("list", "upload", "begin", "look", "look again", "download")


@pytest.mark.slow
@pytest.mark.attack("adversity")
@pytest.mark.parametrize("step", STEPS)
def test_killed_while_it_waits_for_any_of_its_answers_it_begins_one_batch(
    judge: Command, batches: BatchServer, inputs: tuple[Path, Path], step: str
):
    cases, outputs = inputs
    named = ("--judge", "tool_call_accuracy/direct", "--model", "m", "--base-url", batches.base_url)
    how = ("--batch", "--poll-seconds", "0", "--out", "run")
    seen: list[str] = []

    def kill_at_the_step(asked: str) -> str | None:
        seen.append(asked)
        if len(seen) != STEPS.index(step) + 1:
            return None
        process.kill()
        return "dropped"

    batches.trouble = kill_at_the_step
    process = subprocess.Popen(
        [sys.executable, "-m", "fiducial", "judge", cases, "--outputs", outputs, *named, *how]
    )
    assert process.wait(60) == -signal.SIGKILL
    batches.trouble = lambda asked: None
    assert (judge().code, len(batches.batches), outcomes()) == (0, 1, {"graded": 20})


def once(request: str, trouble: int | str, times: int = 1) -> Trouble:
    """Trouble with one request, the first times it comes."""
    left = [trouble] * times
    return lambda seen: left.pop() if seen == request and left else None


@pytest.mark.parametrize("trouble", ["dropped", 503, 429])
def test_a_batch_that_has_begun_although_the_answer_was_lost_is_not_begun_twice(
    judge: Command, batches: BatchServer, trouble: int | str
):
    batches.trouble = once("POST /v1/batches", trouble)
    assert judge().code == 0
    assert (len(batches.batches), outcomes()) == (1, {"graded": 20})


def test_a_provider_that_cannot_say_whether_a_batch_has_begun_is_sent_none(
    judge: Command, batches: BatchServer
):
    batches.trouble = lambda seen: 401 if seen == "GET /v1/batches" else None
    result = judge()
    assert (result.code, len(batches.batches)) == (2, 0)
    assert "cannot list batches" in result.err
    batches.trouble = lambda seen: 404 if seen == "GET /v1/batches" else None  # this one cannot list at all
    assert (judge().code, len(batches.batches)) == (0, 1)


def test_a_batch_of_another_run_that_answered_nothing_is_none_to_wait_for(
    judge: Command, batches: BatchServer
):
    batches.ends_as, batches.problem = "failed", "busy"
    judge()
    batches.ends_as, batches.problem = "completed", None
    assert (judge("--out", "elsewhere").code, len(batches.batches)) == (0, 2)


def test_results_that_break_off_are_fetched_by_the_same_command(judge: Command, batches: BatchServer):
    batches.trouble = lambda seen: "cut off" if seen.endswith("/content") else None
    result = judge()
    assert (result.code, len(result.err.splitlines())) == (2, 2)
    assert "cannot download file-2" in result.err
    batches.trouble = lambda seen: None
    assert (judge().code, len(batches.batches), outcomes()) == (0, 1, {"graded": 20})


@pytest.mark.attack("keys and transport")
def test_nothing_is_uploaded_to_where_a_redirect_leads(judge: Command, batches: BatchServer):
    with BatchServer() as elsewhere:
        batches.trouble = lambda seen: f"{elsewhere.base_url}/files" if seen == "POST /v1/files" else None
        result = judge()
        assert (result.code, elsewhere.files) == (2, {})
        assert "cannot upload the batch file: Error code: 307" in result.err


def test_results_may_lie_elsewhere(judge: Command, batches: BatchServer):
    with BatchServer() as elsewhere:

        def moved(seen: str) -> str | None:
            if not seen.endswith("/content"):
                return None
            elsewhere.files.update(batches.files)
            return f"{elsewhere.base_url}{seen.partition('/v1')[2]}"

        batches.trouble = moved
        assert (judge().code, outcomes()) == (0, {"graded": 20})


def test_a_batch_that_the_endpoint_does_not_know_is_not_begun_again(judge: Command, batches: BatchServer):
    batches.trouble = lambda seen: 404 if seen == "GET /v1/batches/batch-1" else None
    for _ in range(2):
        result = judge()
        assert (result.code, len(batches.batches)) == (2, 1)
        assert "is this the endpoint that it was sent to?" in result.err


def test_a_cancelled_batch_gives_what_it_has_and_the_rest_is_asked_anew(judge: Command, batches: BatchServer):
    batches.ends_as = "cancelled"
    batches.answer = lambda line: None if city(line) < 5 else 500 if city(line) < 8 else "1"
    assert (judge().code, outcomes()) == (3, {"graded": 12, "failed": 8})
    batches.ends_as, batches.answer = "completed", lambda line: "0"
    assert judge().code == 0
    assert [len(lines) for lines in batches.asked()] == [20, 8]
    assert sum(verdict.graded for verdict in verdicts_in()) == 20


def test_replies_land_in_the_cache_and_what_is_there_is_not_sent(judge: Command, batches: BatchServer):
    judge()
    result = judge("--out", "elsewhere")
    assert (result.code, len(batches.batches)) == (0, 1)
    assert "20 graded; 0 calls" in result.out


def test_a_budget_limits_what_is_sent(judge: Command, batches: BatchServer):
    assert judge("--max-calls", "7").code == 3
    assert [len(lines) for lines in batches.asked()] == [7]
    assert outcomes() == {"graded": 7, "failed": 13}


def test_judges_of_one_model_share_a_batch_so_that_nobody_waits_a_day_for_each(
    judge: Command, batches: BatchServer
):
    batches.answer = lambda line: "<S2>1</S2>" if "<S2>" in line["body"]["messages"][-1]["content"] else "1"
    judge("--judge", "tool_call_accuracy/reasons")
    assert [len(lines) for lines in batches.asked()] == [40]


def test_a_recording_is_no_batch_endpoint(judge: Command, tmp_path: Path):
    (tmp_path / "recording.jsonl").write_text("")
    result = judge("--replay", tmp_path / "recording.jsonl")
    assert (result.code, "--batch needs an endpoint" in result.err) == (2, True)
