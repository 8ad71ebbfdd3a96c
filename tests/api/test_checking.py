"""`fd.check`: one output, no file, no model."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import RecordError, UsageError

CASE: dict[str, Any] = {
    "id": "trip",
    "kind": "tool_call",
    "messages": [{"role": "user", "content": "Book 2 nights in Rome."}],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "book",
                "parameters": {
                    "type": "dict",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
            },
        }
    ],
    "reference": {"calls": [{"book": {"city": ["Rome"]}}]},
}


def test_a_right_call_scores_one_and_a_wrong_one_zero():
    right = fd.check(CASE, {"tool_calls": [{"name": "book", "arguments": {"city": "Rome"}}]})
    wrong = fd.check(CASE, {"text": "[book(city='Milan')]"})
    assert (right.score, wrong.score, right.by) == (1.0, 0.0, "ast/strict")


def test_records_are_taken_as_they_are():
    output = fd.Output(case_id="trip", system="me", trial=2, text="[book(city='Rome')]")
    verdict = fd.check(fd.Case(**CASE), output)
    assert (verdict.system, verdict.trial, verdict.score) == ("me", 2, 1.0)


def test_what_no_checker_decides_is_undecided_and_has_no_score():
    case = {"id": "a", "kind": "open_answer", "reference": {"criterion": "It is kind."}}
    verdict = fd.check(case, {"text": "Dear you"})
    assert (verdict.outcome, verdict.score) == ("undecided", None)


def test_the_systems_own_failure_is_graded_zero_whatever_the_kind():
    case = {"id": "a", "kind": "open_answer", "reference": {"criterion": "It is kind."}}
    verdict = fd.check(case, {"error": "TimeoutError: too slow"})
    assert (verdict.score, verdict.error_type, verdict.reason) == (
        0.0,
        "system_error",
        "TimeoutError: too slow",
    )


@pytest.mark.parametrize(
    ("case", "output", "told"),
    [
        (CASE | {"kinds": 1}, {"text": ""}, "case:1: .*kinds"),
        (CASE, {"texts": ""}, "output:1: .*texts"),
        (5, {"text": ""}, "case:1: expected a record or a mapping, got int"),
    ],
)
def test_bad_input_is_named_as_in_a_file(case: Any, output: Any, told: str):
    with pytest.raises(RecordError, match=told):
        fd.check(case, output)


def test_an_output_of_another_case_is_refused():
    with pytest.raises(UsageError, match="of case 'other', the case is 'trip'"):
        fd.check(CASE, {"case_id": "other", "text": ""})


def test_unknown_rules_are_refused():
    with pytest.raises(UsageError, match="rules= expects bfcl or strict, got 'lax'"):
        fd.check(CASE, {"text": ""}, rules="lax")  # pyright: ignore[reportArgumentType]


def test_checking_needs_neither_numpy_nor_pandas_nor_openai():
    code = (
        "import sys, fiducial as fd\n"
        "fd.check({'id': 'a', 'kind': 'no_call'}, {'text': 'No.'})\n"
        "print([name for name in ('numpy', 'pandas', 'scipy', 'openai', 'aiohttp') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
