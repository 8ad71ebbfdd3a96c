"""Several answers to one case: all are counted, and the kind does not depend on their order."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

from each_row import each_row

import fiducial as fd
from fiducial.api import importing
from fiducial.api.reading import import_files
from fiducial.deterministic import check

ASKED = [{"role": "user", "content": "Weather in Rome?"}]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
}
CALLS: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
TEXT: dict[str, Any] = {"role": "assistant", "content": "I do not know."}
EMPTY: dict[str, Any] = {"role": "assistant", "content": ""}
ERROR = "the provider failed"

Answers: TypeAlias = Sequence[tuple[str, Any]]
"""Systems, each with its message, or with an error."""

Log: TypeAlias = Callable[[Answers, Path], Path]


def lines(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def chats(answers: Answers, folder: Path, **fields: Any) -> Path:
    def row(system: str, answer: Any) -> dict[str, Any]:
        line = {"id": "t", "model": system, "messages": ASKED, **fields}
        return line | ({"error": answer} if isinstance(answer, str) else {"response": {"choices": [{"message": answer}]}})  # fmt: skip

    return lines(folder / "chats.jsonl", [row(*each) for each in answers])


def sessions(answers: Answers, folder: Path) -> Path:
    return chats(answers, folder, session_id="s")


def promptfoo(answers: Answers, folder: Path) -> Path:
    def row(system: str, answer: Any) -> dict[str, Any]:
        failed = isinstance(answer, str)
        output = None if failed else answer["content"] if answer.get("tool_calls") is None else answer["tool_calls"]  # fmt: skip
        return {
            "promptIdx": 0,
            "testIdx": 0,
            "provider": {"id": system},
            "prompt": {"raw": ASKED[0]["content"]},
            "vars": {"city": "Rome"},
            "testCase": {"assert": []},
            "failureReason": 2 if failed else 0,
            "error": answer if failed else None,
            "response": {"output": output},
        }

    path = folder / "results.json"
    path.write_text(json.dumps({"results": {"results": [row(*each) for each in answers]}}))
    return path


def rows(answers: Answers, folder: Path) -> Path:
    def row(system: str, answer: Any) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "id": "t",
            "question": "Weather?",
            "system": system,
            "answer": "",
            "calls": "",
        }
        if isinstance(answer, str):
            return fields | {"error": answer}
        return fields | {"answer": answer["content"] or "", "calls": json.dumps(answer.get("tool_calls") or []), "error": ""}  # fmt: skip

    path = folder / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "question", "system", "answer", "calls", "error"])
        writer.writeheader()
        writer.writerows([row(*each) for each in answers])
    return path


def langsmith(answers: Answers, folder: Path) -> Path:
    def run(system: str, answer: Any) -> list[dict[str, Any]]:
        name = f"run-{system}"
        failed = isinstance(answer, str)
        root = {"id": name, "trace_id": name, "run_type": "chain", "name": "agent", "start_time": "1", "inputs": {"q": "Weather?"}, "reference_example_id": "t", "session_name": system}  # fmt: skip
        if failed:
            return [{**root, "error": answer}]
        offered = {"invocation_params": {"tools": [TOOL]}} if answer is CALLS else {}
        model = {"id": f"{name}-model", "trace_id": name, "parent_run_id": name, "run_type": "llm", "name": "m", "start_time": "2", "inputs": {"messages": ASKED}, "outputs": {"choices": [{"message": answer}]}, "extra": offered}  # fmt: skip
        return [{**root, "outputs": {"messages": [answer]}}, model]

    return lines(folder / "runs.jsonl", [row for each in answers for row in run(*each)])


LOGS = each_row("log", [chats, sessions, promptfoo, rows, langsmith])
MIXED = [*permutations([("caller", CALLS), ("speaker", TEXT), ("silent", EMPTY), ("broken", ERROR)])]


@LOGS
@each_row("order", [MIXED[0], MIXED[6], MIXED[-1], MIXED[17]])
def test_every_answer_is_an_output_whatever_the_first_one_did(log: Log, order: Answers, tmp_path: Path):
    found = fd.read(log(order, tmp_path))
    assert sorted(output.system for output in found.outputs) == ["broken", "caller", "silent", "speaker"]
    assert found.skipped == []
    [case] = found.cases
    assert case.kind == "open_answer"
    assert [bool(output.tool_calls) for output in found.outputs if output.system == "caller"] == [True]


def test_an_answer_that_is_refused_decides_no_kind(tmp_path: Path):
    found = fd.read(rows([("caller", CALLS), ("caller", TEXT)], tmp_path))
    assert ([case.kind for case in found.cases], len(found.outputs)) == (["any_call"], 1)
    assert len(found.skipped) == 1


@LOGS
@each_row("order", [*permutations([("caller", CALLS), ("other", CALLS), ("broken", ERROR)])])
def test_a_case_to_which_every_answer_is_calls_is_of_calls(log: Log, order: Answers, tmp_path: Path):
    found = fd.read(log(order, tmp_path))
    assert ([case.kind for case in found.cases], len(found.outputs)) == (["any_call"], 3)
    assert found.skipped == []


def test_orders_give_equal_cases(tmp_path: Path):
    found = [fd.read(rows(order, tmp_path)).cases for order in MIXED]
    assert all(cases == found[0] for cases in found)


def test_attempts_of_one_system_may_differ(tmp_path: Path):
    line = {"id": "t", "model": "m", "messages": ASKED, "response": {"choices": [{"message": CALLS}, {"message": TEXT}]}}  # fmt: skip
    found = fd.read(lines(tmp_path / "chats.jsonl", [line]))
    assert [(output.trial, bool(output.tool_calls)) for output in found.outputs] == [(0, True), (1, False)]
    assert [case.kind for case in found.cases] == ["open_answer"]
    again = [{"id": "t", "model": "m", "messages": ASKED, "response": {"choices": [{"message": each}]}} for each in (TEXT, CALLS)]  # fmt: skip
    assert len(fd.read(lines(tmp_path / "again.jsonl", again), system="m").outputs) == 2


def test_columns_of_answers_are_systems_and_each_may_call(tmp_path: Path):
    table = [
        {"question": "Rome?", "a": json.dumps([CALLS]), "b": "I do not know."},
        {"question": "Oslo?", "a": "Cold.", "b": json.dumps([CALLS])},
        {"question": "Bonn?", "a": json.dumps([CALLS]), "b": json.dumps([CALLS])},
    ]
    path = tmp_path / "wide.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["question", "a", "b"])
        writer.writeheader()
        writer.writerows(table)
    found = fd.read(path, map={"a": "response", "b": "response"})
    assert (len(found.outputs), found.skipped) == (6, [])
    assert [case.kind for case in found.cases] == ["open_answer", "open_answer", "any_call"]


def test_a_context_makes_it_a_question_about_the_context(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    given = {"id": "t", "question": "Where?", "contexts": ["In Rome."]}
    answers: list[dict[str, Any]] = [
        {"system": "a", "tool_calls": [{"name": "f", "arguments": {}}]},
        {"system": "b", "answer": "Rome"},
    ]
    for order in permutations(answers):
        found = fd.read(lines(path, [given | each for each in order]))
        assert ([case.kind for case in found.cases], len(found.outputs)) == (["grounded_answer"], 2)


def test_a_reference_decides_the_kind_and_calls_do_not(tmp_path: Path):
    expected = {"id": "t", "question": "Where?", "expected_calls": [{"name": "f", "arguments": {"x": 1}}]}
    answers = [{"system": "a", "answer": "Rome"}, {"system": "b", "tool_calls": [{"name": "f", "arguments": {"x": 1}}]}]  # fmt: skip
    found = fd.read(lines(tmp_path / "rows.jsonl", [expected | answer for answer in answers]))
    assert [check(found.cases[0], output).score for output in found.outputs] == [0, 1]


def test_a_failure_before_an_answer_does_not_decide_what_the_case_has(tmp_path: Path):
    failed = {"id": "t", "question": "Where?", "system": "a", "error": "no luck"}
    given = {"id": "t", "question": "Where?", "system": "b", "answer": "Rome", "contexts": ["In Rome."]}
    for order in permutations([failed, given]):
        found = fd.read(lines(tmp_path / "rows.jsonl", order))
        assert [(case.kind, len(case.context)) for case in found.cases] == [("grounded_answer", 1)]
        assert (len(found.outputs), found.skipped) == (2, [])


def test_another_reference_is_refused_beside_a_failure_too(tmp_path: Path):
    failed = {"id": "t", "question": "Where?", "system": "a", "error": "no luck", "ground_truth": "Oslo"}
    given = {"id": "t", "question": "Where?", "system": "b", "answer": "Rome", "ground_truth": "Rome"}
    found = fd.read(lines(tmp_path / "rows.jsonl", [failed, given]))
    assert len(found.outputs) == 1
    assert found.skipped[0].reason.startswith("an earlier row has the id 't' and another question or reference")  # fmt: skip


def test_the_files_of_an_import_and_its_counts_are_of_the_kind_at_the_end(tmp_path: Path):
    both = [{"id": name, "model": system, "messages": ASKED, "metadata": {"from": system}, "response": {"choices": [{"message": answer}]}} for name in "xy" for system, answer in (("caller", CALLS), ("speaker", TEXT))]  # fmt: skip
    alone = {"id": "z", "model": "caller", "messages": ASKED, "response": {"choices": [{"message": CALLS}]}}
    path = lines(tmp_path / "chats.jsonl", [*both, alone])
    summary = import_files([path], tmp_path / "out")
    assert summary.kinds == {"open_answer": 2, "any_call": 1}
    assert summary.answered == {"open_answer": 4, "any_call": 1}
    assert (summary.default_criterion, summary.shared, summary.skipped) == (2, 2, 0)
    written = [json.loads(line) for line in (tmp_path / "out" / "cases.jsonl").read_text().splitlines()]
    assert [(each["id"], each["kind"]) for each in written] == [("x", "open_answer"), ("y", "open_answer"), ("z", "any_call")]  # fmt: skip
    assert {each["tags"].get("from") for each in written} == {"caller", None}
    saved = fd.read(path).save(tmp_path / "saved")
    assert (saved.kinds, saved.answered) == (summary.kinds, summary.answered)
    suite = importing.import_log("openai", path)
    assert [case.kind for case in suite.cases] == ["open_answer", "open_answer", "any_call"]
    assert len([*suite.outputs]) == 5
