from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import Command, fiducial, typed
from provider_server import ProviderServer

from fiducial.records import Case, Output, write_records


@pytest.fixture
def judge(inputs: tuple[Path, Path]) -> Command:
    """`fiducial judge` on the inputs, into the same folder each time."""
    cases, outputs = inputs
    named = typed(judge="tool_call_accuracy/direct", model="gpt-4.1-mini")
    return partial(fiducial, *typed("judge", "-v", cases, *named, outputs=outputs, out="run"))


def test_a_dry_run_needs_no_key_makes_no_call_and_writes_nothing(judge: Command, tmp_path: Path):
    before = sorted(tmp_path.rglob("*"))
    result = judge("--dry-run")
    assert (result.code, sorted(tmp_path.rglob("*"))) == (0, before)
    assert "calls: 20 for 20 verdicts\n" in result.out
    assert "at $0.4/$1.6 for a million tokens in/out" in result.out


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (("--api-key-env", "NO_SUCH_KEY"), {}),
        ((), {"OPENAI_API_KEY": ""}),
        (("--endpoint", "http://h/v1,key-env=A_KEY", "--endpoint", "http://h/v1,key-env=B_KEY"), {}),
        ((), {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com", "AZURE_OPENAI_API_KEY": "k"}),
    ],
)
def test_a_dry_run_needs_no_variable_that_a_run_needs(
    judge: Command, options: tuple[str, ...], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert judge(*options).code == 2
    result = judge(*options, "--dry-run")
    assert (result.code, "calls: 20 for" in result.out) == (0, True), result.err


def test_a_dry_run_says_what_the_cache_has_and_learns_from_it(judge: Command, server: ProviderServer):
    at = ("--base-url", server.base_url)
    judge(*at, "--max-calls", "8")
    result = judge(*at, "--repeats", "2", "--dry-run")
    assert "calls: 32 for 32 verdicts\n" in result.out
    elsewhere = judge(*at, "--dry-run", "--out", "elsewhere", "--price", "1/10")
    assert "calls: 12 for 20 verdicts (8 in the cache)" in elsewhere.out
    assert "tokens (learned from 8 cached replies): in 1,2" in elsewhere.out
    assert ", out 120\n" in elsewhere.out


def test_what_is_alike_is_asked_once_with_a_cache_and_anew_without(
    judge: Command, inputs: tuple[Path, Path], server: ProviderServer
):
    also = inputs[1].with_name("also.jsonl")
    also.write_text(inputs[1].read_text().replace('"agent"', '"twin"'))
    args = ("--outputs", also, "--base-url", server.base_url)
    assert "calls: 20 for 40 verdicts (20 repeat another request)" in judge(*args, "--dry-run").out
    assert "calls: 20 for 40 verdicts" in judge(*args, "--no-cache", "--batch", "--dry-run").out
    without = judge(*args, "--no-cache", "--concurrency", "1", "--dry-run")
    assert "calls: at most 40 for 40 verdicts (20 repeat another request, no cache)" in without.out
    judge(*args, "--no-cache", "--concurrency", "1", "--out", "anew")
    assert len(server.seen) == 40
    judge(*args)
    assert len(server.seen) == 60


def test_a_recording_takes_no_call(judge: Command, server: ProviderServer):
    judge("--base-url", server.base_url, "--max-calls", "8", "--record", "recording.jsonl")
    result = judge("--replay", "recording.jsonl", "--dry-run", "--out", "replayed")
    assert "calls: 0 for 20 verdicts (8 in the recording)" in result.out
    assert "in 0, out 0\n  cost: $0.0000 at" in result.out
    judge("--replay", "recording.jsonl", "--out", "replayed")
    assert len(server.seen) == 8


def test_a_dear_judge_is_foreseen_for_at_most_everything(inputs: tuple[Path, Path]):
    cases, outputs = inputs
    judges = ("tool_call_accuracy/direct@gpt-4.1-mini", "tool_call_accuracy/direct@gpt-4.1")
    args = ("--jury", "escalate", "--out", "run", "--dry-run")
    result = fiducial("judge", "-v", cases, "--outputs", outputs, "--judge", *judges, *args)
    assert "@gpt-4.1-mini\n  calls: 20 for" in result.out
    assert "@gpt-4.1\n  calls: at most 20 for" in result.out
    assert "  asked only if the cheaper judge is unsure\n  tokens (by length): in 0 to" in result.out
    assert "together: at most 40 calls, $0.0" in result.out


def test_a_cheap_judge_is_foreseen_for_everything_if_the_other_asks_no_model(inputs: tuple[Path, Path]):
    cases, outputs = inputs
    judges = ("tool_call_accuracy/direct@gpt-4.1-mini", "tool_call_accuracy@baseline")
    args = ("--jury", "escalate", "--out", "run", "--dry-run")
    result = fiducial("judge", "-v", cases, "--outputs", outputs, "--judge", *judges, *args)
    assert "@gpt-4.1-mini\n  calls: 20 for" in result.out


def test_an_unknown_price_is_said_to_be_unknown(judge: Command):
    result = judge("--dry-run", "--model", "a-model-of-my-own")
    assert "cost unknown: add --price IN/OUT (US dollars per million tokens)" in result.out


def test_a_dry_run_of_a_run_counts_what_no_checker_decides(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    args = ("--judge", "tool_call_accuracy", "--model", "m", "--judge-on", "5", "--dry-run")
    result = fiducial("run", "-v", cases, "--outputs", outputs, "--out", tmp_path / "run", *args)
    assert "calls: 5 for 5 verdicts" in result.out
    assert not (tmp_path / "run").exists()


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(judge: Command, server: ProviderServer):
    at = ("--base-url", server.base_url)
    first = judge(*at, "--max-calls", "5")
    assert (first.code, len(server.seen)) == (3, 5)
    assert "15 failed, 5 graded; 5 calls" in first.out
    second = judge(*at)
    assert (second.code, len(server.seen)) == (0, 20)


def test_a_budget_of_money_needs_a_price(judge: Command, server: ProviderServer):
    at = ("--base-url", server.base_url, "--model", "mine", "--max-cost", "1")
    refused = judge(*at)
    assert (refused.code, len(server.seen)) == (2, 0)
    assert "no price is known for the model 'mine'" in refused.err
    assert not Path("run").exists()
    assert judge(*at, "--price", "1/1", "--out", "priced").code == 0


def test_a_dry_run_without_a_model_says_what_is_missing(inputs: tuple[Path, Path]):
    cases, outputs = inputs
    result = fiducial("run", cases, outputs=outputs, out="run", judge="tool_call_accuracy", dry_run=True)
    assert (result.code, "no model is named: add --model NAME" in result.err) == (2, True)


def test_a_dry_run_says_why_a_judge_would_not_be_asked():
    picture = [{"type": "image_url", "image_url": {"url": "https://example.com/sky.png"}}]
    contents: dict[str, Any] = {"a": "Why is the sky blue?", "b": picture}
    criterion = {"criterion": "It explains."}
    write_records(
        "cases.jsonl",
        [
            Case(id=name, kind="open_answer", messages=[{"role": "user", "content": it}], reference=criterion)
            for name, it in contents.items()
        ],
    )
    write_records("outputs.jsonl", [Output(case_id=name, system="s", text="Air scatters.") for name in "ab"])
    named = typed(judge="rubric", model="gpt-4.1-mini", outputs="outputs.jsonl")
    result = fiducial("judge", "cases.jsonl", *named, "--out", "run", "--dry-run")
    assert "calls: 1 for 1 verdict\n  not judged: 1 (the item holds " in result.out


@pytest.mark.parametrize("command", ["judge", "run"])
def test_a_dry_run_needs_no_folder_and_writes_none(
    command: str, inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    cases, outputs = inputs
    named = typed(judge="tool_call_accuracy/direct", model="gpt-4.1-mini", outputs=outputs)
    before = sorted(tmp_path.rglob("*"))
    result = fiducial(command, cases, *named, "--only", "case-1", "case-2", "--dry-run")
    assert (result.code, sorted(tmp_path.rglob("*"))) == (0, before), result.err
    assert "calls: 2 for 2 verdicts" in result.out
    elsewhere = fiducial(command, cases, *named, "--only", "case-1", "--dry-run", out=tmp_path / "run")
    assert (elsewhere.code, sorted(tmp_path.rglob("*"))) == (0, before), elsewhere.err


def test_without_a_dry_run_the_folder_must_be_named(inputs: tuple[Path, Path]):
    cases, outputs = inputs
    named = typed(judge="tool_call_accuracy/direct", model="m", outputs=outputs)
    for command in ("judge", "run"):
        result = fiducial(command, cases, *named)
        assert (result.code, "Missing option '--out'" in result.err) == (2, True)


def test_a_dry_run_of_a_generation_needs_no_file(inputs: tuple[Path, Path], tmp_path: Path):
    cases, _ = inputs
    before = sorted(tmp_path.rglob("*"))
    for command in (("generate", cases, "--model"), ("run", cases, "--generate")):
        result = fiducial(*command, "gpt-4.1-mini", "--dry-run")
        assert (result.code, "20" in result.out, sorted(tmp_path.rglob("*"))) == (0, True, before)


def test_a_dry_run_of_an_audit_needs_no_folder():
    dial = ("--ladder", "--only", "number_error", "--calls", "20")
    result = fiducial("audit", "run", *dial, "--judge", "tool_call_accuracy", "--model", "m", "--dry-run")
    assert (result.code, "no call was made" in result.out) == (0, True), result.err
