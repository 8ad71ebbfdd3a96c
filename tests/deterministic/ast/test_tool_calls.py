"""Several calls at once: counts, pairs, and the order in which pairs are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic import CheckOptions, check_result
from fiducial.records import Case

OPEN, CLOSE = {"door.open": {"door": ["front"]}}, {"door.close": {"door": ["back"]}}


@each_row(
    ("match", "calls", "text", "error_type"),
    [
        ("simple", [OPEN], "[]", "simple_function_checker:wrong_count"),
        ("multiple", [OPEN], "[]", "multiple_function_checker:wrong_count"),
        ("parallel", [OPEN], "[]", "parallel_function_checker_no_order:wrong_count"),
        ("multiple", [CLOSE], "[door.close(door='back')]", None),
        ("multiple", [CLOSE], "[door.open(door='back')]", "simple_function_checker:wrong_func_name"),
        ("parallel", [OPEN, CLOSE], "[door.close(door='back'), door.open(door='front')]", None),
        (
            "parallel",
            [OPEN, CLOSE],
            "[door.close(door='front'), door.open(door='front')]",
            "parallel_function_checker_no_order:cannot_find_match",
        ),
    ],
)
def test_calls_are_counted_and_paired(
    make_case: Callable[..., Case], match: Any, calls: Any, text: str, error_type: str | None
):
    finding = check_result(make_case(calls, match), text, mode="prompt")
    assert finding.error_type == error_type


def test_the_simple_rule_looks_at_the_first_document_whatever_the_reference_calls_it(
    make_case: Callable[..., Case],
):
    case = make_case([{"something.else": {"door": ["front"]}}])
    assert check_result(case, "[door.open(door='front')]", mode="prompt").valid


def test_every_call_that_was_tried_is_in_the_evidence(make_case: Callable[..., Case]):
    finding = check_result(
        make_case([OPEN, CLOSE], "parallel"), "[door.open(door='x'), door.close()]", mode="prompt"
    )
    tried = finding.evidence["sub_errors"]
    assert [(sub["call"], sub["error_type"]) for sub in tried] == [
        (0, "value_error:string"),
        (1, "simple_function_checker:wrong_func_name"),
    ]
    assert "call 1: argument door: got 'x'" in (finding.reason or "")


def test_greedy_matching_rejects_what_a_better_matching_accepts(make_case: Callable[..., Case]):
    either, front = {"door.open": {"door": ["front", "back"]}}, {"door.open": {"door": ["front"]}}
    case, text = make_case([either, front], "parallel"), "[door.open(door='front'), door.open(door='back')]"
    assert not check_result(case, text, mode="prompt").valid
    assert check_result(case, text, mode="prompt", options=CheckOptions(rules="strict")).valid


def test_strict_matching_still_needs_a_call_for_each(make_case: Callable[..., Case]):
    case, text = make_case([OPEN, OPEN], "parallel"), "[door.open(door='front'), door.open(door='back')]"
    finding = check_result(case, text, mode="prompt", options=CheckOptions(rules="strict"))
    assert finding.error_type == "parallel_function_checker_no_order:cannot_find_match"


@pytest.mark.parametrize(
    "calls",
    [[], [{}], [{"unknown": {"door": ["x"]}}], [{"door.open": {"door": "x"}}]],
    ids=["no call", "no name", "no such tool", "a bare value"],
)
def test_a_reference_that_cannot_be_used_leaves_the_case_undecided(
    make_case: Callable[..., Case], calls: Any
):
    finding = check_result(make_case(calls, "multiple"), "[door.open(door='x')]", mode="prompt")
    assert finding.outcome == "undecided"
    assert finding.reason
