"""A verdict says whose rules it follows; the rules are the caller's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from each_row import each_row

from fiducial.deterministic import CheckOptions, check, check_result, checker_for
from fiducial.records import Case, Output


def test_a_verdict_names_checker_and_rules(make_case: Callable[..., Case]):
    case = make_case([{"door.open": {"door": ["front"]}}])
    output = Output(case_id="door-1", system="s", trial=3, text="[door.open(door='front')]")
    verdict = check(case, output)
    assert (verdict.by, verdict.source, verdict.score, verdict.trial) == ("ast/strict", "checker", 1.0, 3)
    assert check(case, output, CheckOptions(rules="bfcl")).by == "ast/bfcl"


def test_a_kind_that_nothing_decides_is_undecided():
    verdict = check(
        Case(id="o", kind="open_answer", reference={"criterion": "?"}), Output(case_id="o", system="s")
    )
    assert (verdict.by, verdict.outcome, verdict.score) == ("none/strict", "undecided", None)


def test_a_checker_is_looked_up_once():
    assert checker_for("tool_call") is checker_for("tool_call")


def test_a_case_that_is_changed_under_an_old_id_is_compiled_anew(make_case: Callable[..., Case]):
    for door in ("front", "back", "side"):
        case = make_case([{"door.open": {"door": [door]}}])
        assert check_result(case, f"[door.open(door='{door}')]", mode="prompt").valid
        del case


def test_an_output_without_calls_is_graded(make_case: Callable[..., Case]):
    case = make_case([{"door.open": {"door": ["front"]}}])
    assert (
        check(case, Output(case_id="door-1", system="s")).error_type == "simple_function_checker:wrong_count"
    )
    refused = Output(case_id="door-1", system="s", text="I cannot.")
    assert check(case, refused).error_type == "ast_decoder:decoder_failed"
    assert not check_result(case, None, mode="prompt").valid


@each_row("rules", ["strict", "bfcl"])
@each_row(
    ("text", "reason"),
    [
        ("I would book Rome.", "no call: the reply is text"),
        ("I booked Rome (Italy) for you.", "no call: the reply is text"),
        ("[book(city='Rome'", "the call cannot be read: not Python"),
        ("Done: [book(city='Rome')]", "the call cannot be read: not Python"),
        ("<tool_call>book</tool_call>", "the call cannot be read"),
    ],
)
def test_a_reply_of_text_is_told_from_a_call_that_cannot_be_read(rules: Any, text: str, reason: str):
    tool = {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    case = Case(
        id="c",
        kind="tool_call",
        tools=[{"type": "function", "function": tool}],
        reference={"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
    )
    found = check(case, Output(case_id="c", system="s", text=text), CheckOptions(rules=rules))
    assert (found.score, found.error_type) == (0.0, "ast_decoder:decoder_failed")
    assert (found.reason or "").startswith(reason)
