"""Fields of records that callers give in Python: each wrong one is named in one line."""

from __future__ import annotations

import pickle
from typing import Any

import msgspec
import numpy as np
import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import UsageError
from fiducial.records import Record
from fiducial.records.verdict import Usage

VALID: dict[type[Record], dict[str, Any]] = {
    fd.Case: {"id": "a", "kind": "open_answer"},
    fd.Output: {"case_id": "a", "system": "s"},
    fd.Verdict: {
        "case_id": "a",
        "system": "s",
        "by": "j",
        "source": "judge",
        "outcome": "graded",
        "score": 1,
    },
    fd.ToolCall: {"name": "f"},
}
FIELDS = [(each, field.name) for each in VALID for field in msgspec.structs.fields(each)]


def _refusal(record: type[Record], **fields: Any) -> str:
    with pytest.raises(UsageError) as caught:
        record(**fields)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@each_row(("record", "field"), FIELDS)
def test_a_value_of_another_type_names_the_field(record: type[Record], field: str):
    refusal = _refusal(record, **{**VALID[record], field: object()})
    assert refusal.startswith(f"{record.__name__}.{field}: expected ")
    assert "got <object" in refusal


@pytest.mark.parametrize("record", VALID)
def test_a_field_that_is_unknown_or_missing_is_named(record: type[Record]):
    required = next(iter(VALID[record]))
    assert f"{record.__name__}: unknown field '{required}x'" in _refusal(
        record, **VALID[record], **{f"{required}x": 1}
    )
    assert f"(did you mean '{required}'?)" in _refusal(record, **VALID[record], **{f"{required}x": 1})
    assert _refusal(record) == f"{record.__name__}.{required}: missing"
    with pytest.raises(UsageError, match=f"^{record.__name__} takes its fields by name, got 'a'"):
        record("a")  # pyright: ignore[reportCallIssue] - callers are not all typed


@each_row(
    ("record", "fields", "refusal"),
    [
        (fd.Verdict, {"score": "high"}, "Verdict.score: expected a number or None, got 'high'"),
        (fd.Verdict, {"score": 3}, "Verdict.score: a graded verdict needs a score in [0, 1], got 3.0"),
        (fd.Verdict, {"outcome": "failed"}, "Verdict.score: only graded verdicts carry a score; this one is 'failed' with 1.0"),
        (fd.Verdict, {"source": "judg"}, "Verdict.source: invalid enum value 'judg'; known are checker, judge, human, construction (did you mean 'judge'?)"),
        (fd.Verdict, {"trial": -1}, "Verdict.trial: expected a whole number >= 0, got -1"),
        (fd.Verdict, {"usage": {"calls": "x"}}, "Verdict.usage.calls: expected a whole number, got a text"),
        (fd.Output, {"tool_calls": [{"args": 1}]}, "Output.tool_calls[0]: unknown field 'args'; a tool call has: name, arguments, id, type, function (did you mean 'arguments'?)"),
        (fd.Output, {"turns": ["hi"]}, "Output.turns[0]: expected a list, got a text"),
        (fd.Case, {"reference": {1: 2}}, "Case.reference: a key is no text: expected a text, got a whole number"),
        (fd.Case, {"user": {"goal": "x", "max_turns": 0}}, "Case.user.max_turns: expected a whole number >= 1"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_was_expected(record: type[Record], fields: dict[str, Any], refusal: str):
    assert _refusal(record, **VALID[record] | fields) == refusal


def test_what_is_valid_is_made_as_before():
    calls: Any = ({"name": "f", "arguments": {"x": 1}},)
    output = fd.Output(case_id="a", system="s", tool_calls=calls)
    assert output.tool_calls == [fd.ToolCall(name="f", arguments={"x": 1})]
    assert pickle.loads(pickle.dumps(output)) == output
    verdict = fd.Verdict(**VALID[fd.Verdict], usage=Usage(calls=2))
    assert verdict.usage == Usage(calls=2)
    assert msgspec.structs.replace(verdict, score=0.5).score == 0.5


def test_numbers_of_numpy_are_numbers():
    given: dict[str, Any] = {
        "score": np.float32(0.5),
        "trial": np.int64(2),
        "evidence": {"p": np.float64(0.25)},
    }
    verdict = fd.Verdict(**VALID[fd.Verdict] | given)
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=fd.Verdict) == verdict
    assert (verdict.score, verdict.trial, verdict.evidence) == (0.5, 2, {"p": 0.25})
