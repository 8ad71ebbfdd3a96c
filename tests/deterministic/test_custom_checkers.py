"""Custom checkers for a kind of case: their faults are not the system's, nor end a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from each_row import each_row
from installed_plugins import Install

import fiducial as fd
from fiducial.deterministic import Finding, check
from fiducial.deterministic.custom_checkers import checker, source_fingerprint
from fiducial.errors import ConfigurationError, RecordError
from fiducial.records import Case, Output, Verdict, decode_record

pytestmark = pytest.mark.usefixtures("install")

CASE = Case(id="q", kind="sql", reference={"query": "SELECT 1"})
OUTPUT = Output(case_id="q", system="s", trial=2, text="SELECT 1")


def said(returned: Any) -> Verdict:
    """The verdict when a checker returns this; raises it when it is an exception."""

    def decide(case: Case, output: Output) -> Any:
        assert (case, output) == (CASE, OUTPUT)
        if isinstance(returned, BaseException):
            raise returned
        return returned

    checker("sql")(decide)
    return check(CASE, OUTPUT)


@each_row(
    ("returned", "score", "error_type"),
    [
        (True, 1.0, None),
        (False, 0.0, "sql:wrong"),
        (1, 1.0, None),
        (0, 0.0, "sql:wrong"),
        (0.25, 0.25, "sql:partly_wrong"),
        (np.bool_(True), 1.0, None),
        (np.float32(0.5), 0.5, "sql:partly_wrong"),
        (Finding("graded", 0.5, "sql:order", "rows in another order"), 0.5, "sql:order"),
        (Verdict(case_id="?", system="?", by="me", source="human", outcome="graded", score=1), 1.0, None),
    ],
)
def test_a_truth_value_a_score_a_finding_or_a_verdict_decides(
    returned: Any, score: float, error_type: str | None
):
    verdict = said(returned)
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", score, error_type)
    assert (verdict.key, verdict.by, verdict.source) == (OUTPUT.key, "sql/own", "checker")


def test_a_checker_may_leave_it_open():
    verdict = said(Finding("undecided", None, None, "two queries"))
    assert (verdict.outcome, verdict.score, verdict.reason) == ("undecided", None, "two queries")
    assert said(Finding("not_applicable")).outcome == "not_applicable"


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@each_row(
    ("returned", "reason"),
    [
        (KeyError("rows"), "raised KeyError: 'rows' ("),
        (SystemExit(3), "raised SystemExit: 3 ("),
        (RecursionError("deep"), "raised RecursionError: deep ("),
        (UnprintableError(), "raised UnprintableError ("),
        (ValueError("two\nlines"), "raised ValueError: two lines ("),
        (None, "returned None; expected a bool, a score in [0, 1], a Finding or a Verdict"),
        ("1", "returned '1'; expected"),
        (2, "returned 2; expected"),
        (10**400, "returned an integer of 1329 bits; expected"),
        (-0.1, "returned -0.1; expected"),
        (float("nan"), "returned nan; expected"),
        (np.array([1.0, 0.0]), "returned array([1., 0.]); expected"),
        (Finding("graded"), "returned a finding whose score is None"),
        (Finding("graded", 7), "returned a finding whose score is 7"),
        (Finding("undecided", 0.5), "returned a finding whose outcome is undecided, which has no score"),
        (Finding("right", 1.0), "returned a finding whose outcome is 'right'; known are graded, "),  # pyright: ignore[reportArgumentType] - on purpose
    ],
)
def test_what_is_no_verdict_is_a_failure_of_the_checker_and_not_of_the_system(returned: Any, reason: str):
    verdict = said(returned)
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("failed", None, None)
    assert (verdict.reason or "").startswith(f"the checker of kind sql {reason}")


def test_minus_zero_is_zero():
    assert said(-0.0).reason == "the checker of kind sql scores it 0"


def test_where_it_raised_is_named():
    assert f"({__file__}:" in (said(KeyError("rows")).reason or "")


def test_ctrl_c_is_not_taken_for_a_failure():
    with pytest.raises(KeyboardInterrupt):
        said(KeyboardInterrupt())


def test_evidence_is_made_fit_to_be_written():
    verdict = said(Finding("graded", 0.0, None, None, {"rows": {1, 2}, "at": Path("x"), "nan": float("nan")}))
    assert msgspec.json.decode(msgspec.json.encode(verdict.evidence))["rows"] == [1, 2]


def test_a_system_that_ended_with_an_error_is_not_shown_to_it():
    said(True)
    verdict = check(CASE, msgspec.structs.replace(OUTPUT, error="timeout"))
    assert (verdict.by, verdict.score, verdict.error_type) == ("sql/own", 0.0, "system_error")


def test_kinds_that_come_along_keep_their_checkers():
    with pytest.raises(ConfigurationError, match="'tool_call' is a built-in kind with a checker"):
        checker("tool_call")


def _without_arguments() -> bool:
    return True


def _of_one_argument(case: Case) -> bool:
    return bool(case.id)


def _of_three_arguments(case: Case, output: Output, more: object) -> bool:
    return case.id == output.case_id and more is not None


@pytest.mark.parametrize("function", [_without_arguments, _of_one_argument, _of_three_arguments])
def test_a_function_of_other_arguments_is_refused_when_it_is_registered(function: Any):
    with pytest.raises(ConfigurationError, match=r"checkers: 'sql' must take \(case, output\)"):
        checker("sql")(function)


def test_a_function_that_has_to_be_awaited_is_refused_and_what_it_would_give_is_no_verdict():
    async def decide(case: Case, output: Output) -> bool:
        return case.id == output.case_id

    with pytest.raises(ConfigurationError, match="expected a function that is not asynchronous"):
        checker("sql")(decide)

    class Decide:
        async def __call__(self, case: Case, output: Output) -> bool:
            return await decide(case, output)

    checker("sql")(Decide())
    assert "returned <coroutine" in (check(CASE, OUTPUT).reason or "")


def test_an_installed_package_may_bring_a_checker(install: Install, own_module: Any):
    own_module("sql_rows", "def same(case, output):\n    return output.text == case.reference['query']\n")
    install("checkers", "sql", "sql_rows:same")
    assert check(CASE, OUTPUT).score == 1.0


def line(**fields: Any) -> bytes:
    return msgspec.json.encode({"id": "q", "kind": "sql", **fields})


def test_a_kind_without_a_checker_is_refused_with_the_nearest():
    with pytest.raises(RecordError) as caught:
        decode_record(line(kind="tool_cal"), Case)
    assert str(caught.value).startswith(
        "kind: unknown kind 'tool_cal' (did you mean 'tool_call'?); known are tool_call, no_call, any_call, "
    )
    said(True)
    with pytest.raises(RecordError, match=r"unknown kind 'sqls' \(did you mean 'sql'\?\)"):
        decode_record(line(kind="sqls"), Case)
    assert decode_record(line(), Case).kind == "sql"


def always(case: Case, output: Output) -> bool:
    return bool(case.id and output.case_id)


class SqlReference(msgspec.Struct, forbid_unknown_fields=True):
    query: str


def test_a_reference_may_have_a_form():
    checker("sql", reference=SqlReference)(always)
    assert decode_record(line(reference={"query": "SELECT 1"}), Case).reference == {"query": "SELECT 1"}
    with pytest.raises(RecordError) as caught:
        decode_record(line(reference={"qury": "SELECT 1"}), Case)
    assert (
        str(caught.value) == "reference: unknown field 'qury'; this kind has: query (did you mean 'query'?)"
    )
    checker("sql")(always)
    assert decode_record(line(reference={"qury": "SELECT 1"}), Case).kind == "sql"


def test_a_checker_that_cannot_be_loaded_stops_before_anything_is_checked(install: Install):
    install("checkers", "sql", "no_such_module:same")
    with pytest.raises(ConfigurationError, match="No module named 'no_such_module'"):
        decode_record(line(), Case)


def test_the_public_name_is_the_decorator():
    @fd.checker("sql")
    def same(case: fd.Case, output: fd.Output) -> bool:
        return case.reference["query"] == output.text

    assert fd.check({"kind": "sql", "reference": {"query": "x"}, "id": "q"}, {"text": "x"}).score == 1.0
    assert same(CASE, OUTPUT)


def test_another_source_has_another_fingerprint(own_module: Any, install: Install):
    prints: list[str] = []
    for body in ("True", "False"):
        own_module("sql_rows", f"def same(case, output):\n    return {body}\n")
        install("checkers", f"sql{body}", "sql_rows:same")
        prints.append(source_fingerprint(f"sql{body}"))
    assert len(set(prints)) == 2
    checker("gcd")(max)
    assert source_fingerprint("gcd")
