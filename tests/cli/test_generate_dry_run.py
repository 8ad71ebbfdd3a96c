"""`fiducial generate --dry-run`: what it would take, without a call and without a trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Result, fiducial
from generating import folder_case, weather_case
from provider_server import Answer, ProviderServer, in_the_form_asked_for

from fiducial.records import Case, write_records


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case(name) for name in "abcdef"])
    return path


def generate(cases: Path, server: ProviderServer, *more: str) -> Result:
    return fiducial(
        *("generate", cases, "--model", "gpt-4.1-mini", "--base-url", server.base_url),
        *("--out", "outputs.jsonl", *more),
    )


def dry(cases: Path, server: ProviderServer, *more: str) -> str:
    """Run a dry run, which calls nothing and writes nothing; return its output."""
    asked, before = len(server.seen), contents()
    result = generate(cases, server, "--dry-run", *more)
    assert result.code == 0, result.err
    assert (len(server.seen), contents()) == (asked, before)
    assert result.out.endswith("dry run: no call was made, nothing was written\n")
    return result.out


def contents() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and "cache" not in str(path)
    }


def test_it_says_how_many_calls_are_made_then(cases: Path, server: ProviderServer):
    told = dry(cases, server, "--trials", "2")
    assert "  attempts: 12 of 12 to make\n  calls: 12\n  tokens (by length): in " in told
    assert "out 60 to 6,000" in told
    assert " at $0.4/$1.6 for a million tokens in/out\n" in told
    made = generate(cases, server, "--trials", "2")
    assert made.code == 0
    assert "calls: 12; tokens: 1,200 in, 120 out, $0.0007\n" in made.out
    assert len(server.seen) == 12
    assert "  attempts: 0 of 12 to make\n  calls: 0\n" in dry(cases, server, "--trials", "2")
    assert "  attempts: 6 of 18 to make\n  calls: 6\n" in dry(cases, server, "--trials", "3")


def test_what_the_cache_answers_is_no_call(cases: Path, server: ProviderServer):
    assert generate(cases, server).code == 0
    for name in ("outputs.jsonl", "outputs.attempts.jsonl", "outputs.generation.json"):
        Path(name).unlink()
    write_records(cases, [weather_case(name) for name in "abcdefgh"])
    told = dry(cases, server)
    assert "  attempts: 8 of 8 to make, 6 answered by kept replies\n  calls: 2\n" in told
    assert "calls: 8\n" in dry(cases, server, "--no-cache")


def test_what_a_recording_has_no_reply_to_is_told(cases: Path, server: ProviderServer):
    assert generate(cases, server, "--record", "r.jsonl").code == 0
    write_records(cases, [weather_case(name) for name in "abcdefgh"])
    told = fiducial(
        *(
            "generate",
            cases,
            "--model",
            "gpt-4.1-mini",
            "--replay",
            "r.jsonl",
            "--out",
            "o.jsonl",
            "--dry-run",
        )
    ).out
    assert "attempts: 8 of 8 to make, 6 answered by kept replies" in told
    assert "no output: 2 x " in told
    assert "calls: 0" in told


def test_of_conversations_it_says_the_least_and_the_most(tmp_path: Path, server: ProviderServer):
    cases = tmp_path / "folders.jsonl"
    write_records(cases, [folder_case(2), weather_case()])
    told = dry(cases, server, "--steps-per-turn", "5")
    assert "calls: at least 3, at most 11: 1 conversation until the model stops" in told
    assert "first calls only" in told
    assert "; more for later calls" in told


def test_a_conversation_that_the_cache_answers_to_its_end_may_take_no_call(
    tmp_path: Path, server: ProviderServer
):
    cases = tmp_path / "folders.jsonl"
    write_records(cases, [folder_case(1)])
    server.script = lambda seen: (
        Answer("Done.")
        if seen.body["messages"][-1]["role"] == "tool"
        else Answer(None, calls=[("mkdir", '{"dir_name": "a"}')])
    )
    assert generate(cases, server).code == 0
    for name in ("outputs.jsonl", "outputs.attempts.jsonl", "outputs.generation.json"):
        Path(name).unlink()
    calls = len(server.seen)
    assert "calls: at least 0, at most " in dry(cases, server)
    assert generate(cases, server).code == 0
    assert len(server.seen) == calls


def test_conversations_before_a_question_are_told_of_and_not_held(tmp_path: Path, server: ProviderServer):
    cases, histories = tmp_path / "questions.jsonl", tmp_path / "histories.jsonl"
    user = {"role": "user", "content": "?"}
    reference = {"answers": ["x"], "classes": ["MemoryAPI_kv"], "history": "ada"}
    write_records(cases, [Case(id="q", kind="memory_answer", messages=[user], reference=reference)])
    histories.write_text(json.dumps({"history": "ada", "id": "0", "messages": [user]}) + "\n")
    told = dry(cases, server, "--histories", str(histories))
    assert "calls: at least 1: 1 conversation" in told
    assert "not counted: the conversations before 1 question" in told


def test_cases_that_are_not_for_a_model_are_told(tmp_path: Path, server: ProviderServer):
    cases = tmp_path / "cases.jsonl"
    write_records(cases, [Case(id="w", kind="artifact", reference={"ground": {"files": [".txt"]}})])
    assert "no output: 1 x a model cannot write a workspace" in dry(cases, server)


def test_an_unknown_price_is_told_and_a_given_one_is_taken(cases: Path, server: ProviderServer):
    told = dry(cases, server, "--model", "nobodys")
    assert "cost unknown: add --price IN/OUT (US dollars per million tokens)" in told
    assert " at $2/$6 for a million tokens" in dry(cases, server, "--model", "nobodys", "--price", "2/6")


def test_what_an_agent_calls_nobody_knows(cases: Path):
    told = fiducial("generate", cases, "--agent", "cat", "--out", "o.jsonl", "--dry-run").out
    assert "attempts: 6 of 6 to make" in told
    assert "calls: unknown for an agent that you run" in told


def test_of_a_run_both_phases_are_foreseen_one_after_the_other(tmp_path: Path, server: ProviderServer):
    cases = tmp_path / "cases.jsonl"
    question = {"role": "user", "content": "Say hello."}
    reference = {"criterion": "It is a greeting."}
    write_records(cases, [Case(id="o", kind="open_answer", messages=[question], reference=reference)])
    asked = ("run", cases, "--generate", "m", "--judge", "rubric", "--model", "j")
    command = (*asked, "--base-url", server.base_url, "--out", "run")
    told = fiducial(*command, "--dry-run")
    assert (told.code, server.seen, Path("run").exists()) == (0, [], False)
    assert "attempts: 1 of 1 to make\n  calls: 1\n" in told.out
    assert told.out.endswith("the cost of judging can be forecast once these outputs exist\n")
    judged = in_the_form_asked_for()
    server.script = lambda seen: judged(seen) if seen.body["model"] == "j" else Answer("Hello!")
    assert fiducial("generate", cases, model="m", base_url=server.base_url, out="run/outputs.jsonl").code == 0
    before = contents()
    told = fiducial(*command, "--dry-run")
    assert told.code == 0, told.err
    assert "attempts: 0 of 1 to make" in told.out
    assert "rubric/" in told.out
    assert "calls: 1 for 1 verdict\n" in told.out
    assert (len(server.seen), contents()) == (1, before)


def test_it_counts_the_selected_cases(cases: Path, server: ProviderServer):
    assert "  attempts: 2 of 2 to make\n  calls: 2\n" in dry(cases, server, "--only", "a", "--only", "c")
