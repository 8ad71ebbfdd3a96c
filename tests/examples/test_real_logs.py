"""Small messy logs, as applications write them, read as a person expects."""

from __future__ import annotations

import json
from pathlib import Path

import fiducial as fd
from fiducial.api.reading import import_lines

LOGS = Path(__file__).parent / "real_logs"


def rates(read: fd.Reading) -> dict[str, tuple[float | None, int]]:
    """Each system's pass rate by checkers, and on how many outputs."""
    run = fd.evaluate(read.cases, read.outputs)
    return {name: (system.decided.value, system.decided.n) for name, system in run.systems.items()}


def test_a_session_that_ends_in_thanks_keeps_its_calls(tmp_path: Path):
    read = fd.read(LOGS / "thanks.jsonl", join=LOGS / "thanks_expected.csv")
    assert {output.case_id: len(output.tool_calls or []) for output in read.outputs} == {"p-101": 1, "p-102": 2, "p-103": 1, "p-104": 0}  # fmt: skip
    assert rates(read) == {"helper-2": (0.5, 4)}
    said = "\n".join(import_lines(read.save(tmp_path / "out")))
    assert "3 conversations of several turns, one case each; 3 with calls in earlier turns" in said


def test_pairs_of_request_and_response_are_sessions_with_their_users_and_tags():
    read = fd.read(LOGS / "wrapped.jsonl")
    assert read.format == "openai"
    assert [(case.id, case.cluster, case.tags["shop"], len(case.turns)) for case in read.cases] == [("w-1", "ann", "north", 2), ("w-2", "ben", "north", 1)]  # fmt: skip
    assert [(output.text, len(output.tool_calls or [])) for output in read.outputs] == [("Bye!", 1), ("I cannot do that.", 0)]  # fmt: skip
    assert [skipped.line for skipped in read.skipped] == [4]


def test_failures_and_empty_answers_stay_in_the_denominator(tmp_path: Path):
    read = fd.read(LOGS / "failures.jsonl")
    assert {output.case_id: output.error for output in read.outputs} == {
        "f-1": None,
        "f-2": "HTTP 504",
        "f-3": "timed out after 60 s",
        "f-4": "the answer is empty",
        "f-5": None,
    }
    assert {output.system for output in read.outputs} == {"helper-2"}
    assert sorted(skipped.line or 0 for skipped in read.skipped) == [1, 6]
    assert rates(read) == {"helper-2": (0.0, 3)}
    said = "\n".join(import_lines(read.save(tmp_path / "out")))
    assert "3 outputs without an answer, graded 0: 2 failed, 1 empty" in said


def test_an_empty_answer_of_a_table_is_graded():
    assert rates(fd.read(LOGS / "empty_answers.csv")) == {"logged": (0.5, 4)}


def test_a_system_owes_what_it_was_asked_and_two_models_may_be_one_system(tmp_path: Path):
    read = fd.read(LOGS / "two_models.jsonl")
    run = fd.evaluate(read.cases, read.outputs)
    assert {name: system.missing for name, system in run.systems.items()} == {"large": 0, "small": 0}
    said = "\n".join(import_lines(read.save(tmp_path / "out")))
    assert (
        "no case was answered by two systems (large 2, small 4); if they are one system: system=NAME" in said
    )
    joined = fd.read(LOGS / "two_models.jsonl", system="router")
    assert {output.system for output in joined.outputs} == {"router"}


def test_nothing_of_a_log_gets_lost_that_is_not_listed():
    for name in ("thanks.jsonl", "wrapped.jsonl", "failures.jsonl", "two_models.jsonl"):
        read = fd.read(LOGS / name)
        lines = len((LOGS / name).read_text().splitlines())
        in_sessions = lines - len(read.outputs) - len(read.skipped)
        assert in_sessions == (2 if name == "wrapped.jsonl" else 0)


def test_failures_that_were_offered_tools_keep_the_kind_of_cases_with_tools(tmp_path: Path):
    tool = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
    asked = {"messages": [{"role": "user", "content": "Where is it?"}], "model": "m", "tools": [tool]}
    rows = [
        {"id": "alone", **asked, "error": "timeout"},
        {"id": "empty", **asked, "choices": [{"message": {"role": "assistant", "content": ""}}]},
        {"session_id": "s", **asked, "error": "HTTP 500"},
        {"id": "talk", "messages": asked["messages"], "model": "m", "error": "timeout"},
    ]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    read = fd.read(tmp_path / "log.jsonl")
    assert {case.id: case.kind for case in read.cases} == {"alone": "any_call", "empty": "any_call", "s": "any_call", "talk": "open_answer"}  # fmt: skip
    assert rates(read) == {"m": (0.0, 4)}
