"""Strict rules; each line has its counterpart in docs/bfcl-differences.md."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.finding import Finding
from fiducial.deterministic.multi_turn.trajectory import check_trajectory, examine
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.records import Output, Step, ToolCall, ToolResults

from .conftest import Examine, world_case

COUNT = "count(name='pear')"


PUT = "put(name='plum', amount=1)"
FAULT = "multi_turn:irrelevance_error:decoder_success"


@each_row(
    ("early", "later", "outcome", "error_type"),
    [
        ([], [COUNT, PUT], "graded", None),
        ([COUNT], [COUNT, PUT], "graded", None),
        (["take(name='plum')"], [COUNT, PUT], "graded", None),  # an error changes nothing
        ([PUT, "take(name='plum')"], [COUNT, PUT], "graded", None),  # undone
        ([PUT], [COUNT], "undecided", None),
        (["put(amount=1,  name='plum')"], [COUNT], "undecided", None),
        ([PUT], ["close()"], "graded", "multi_turn:instance_state_mismatch"),
        (["put(name='plum', amount=2)"], [COUNT, PUT], "graded", FAULT),
        (["close()"], [COUNT, PUT], "graded", FAULT),
        ([PUT, "close()"], [COUNT], "graded", FAULT),
    ],
)
def test_a_turn_in_which_the_reference_calls_nothing_may_read_but_not_change(
    examine_shop: Examine, early: list[str], later: list[str], outcome: str, error_type: str | None
):
    calls = [[], [COUNT, PUT]]
    finding = examine_shop(calls, [[early], [later]], rules="strict").finding
    assert (finding.outcome, finding.error_type) == (outcome, error_type)
    if outcome == "undecided" or error_type == FAULT:
        assert finding.evidence["turn_index"] == 0


@pytest.mark.parametrize("mode", ["prompt", "fc"])
def test_an_agent_stopped_in_the_last_turn_is_noticed(examine_shop: Examine, mode: str):
    step: Any = f"[{COUNT}]" if mode == "prompt" else [{"count": '{"name": "pear"}'}]
    stopped, finished = [[step] * 21], [[*[step] * 21, "There are none."]]
    assert examine_shop([[COUNT]], stopped, mode=mode).finding.valid
    strict = examine_shop([[COUNT]], stopped, mode=mode, rules="strict").finding
    assert strict.error_type == "multi_turn:force_terminated"
    assert examine_shop([[COUNT]], finished, mode=mode, rules="strict").finding.valid
    assert examine_shop([[COUNT]], [[step] * 20], mode=mode, rules="strict").finding.valid


def test_results_among_the_steps_change_no_verdict(options: CheckOptions):
    case = world_case([[COUNT]])
    step: list[Step] = [
        [ToolCall(name="count", arguments={"name": "pear"})],
        ToolResults(results=['{"count": 0}']),
    ]
    strict = CheckOptions(rules="strict", environments=options.environments)
    for times, error_type in ((1, None), (21, "multi_turn:force_terminated")):
        finding = check_trajectory(case, Output(case_id="shop-1", system="s", turns=[step * times]), strict)
        assert finding.error_type == error_type


def test_a_result_serves_one_turn_only(examine_shop: Examine):
    put = "put(name='plum', amount=1)"
    calls, turns = [[COUNT], [put, COUNT]], [[[COUNT]], [[put]]]
    assert examine_shop(calls, turns).finding.valid
    finding = examine_shop(calls, turns, rules="strict").finding
    assert finding.error_type == "multi_turn:execution_response_mismatch"
    assert examine_shop(calls, [[[COUNT, COUNT]], [[put]]], rules="strict").finding.valid


def test_what_was_read_in_an_earlier_turn_need_not_be_read_again(examine_shop: Examine):
    calls, turns = [["put(name='pear', amount=2)"], [COUNT]], [[["put(name='pear', amount=2)", COUNT]], []]
    assert examine_shop(calls, turns).finding.error_type == "multi_turn:empty_turn_model_response"
    assert examine_shop(calls, turns, rules="strict").finding.valid


SHOWN = [COUNT]
PEARS = "put(name='pear', amount=2)"


@pytest.mark.parametrize(
    ("calls", "turns"),
    [
        pytest.param([SHOWN, SHOWN], [[SHOWN], []], id="read once"),
        pytest.param([SHOWN, SHOWN, SHOWN], [[SHOWN], [], []], id="read once for two turns"),
        pytest.param([SHOWN, SHOWN, SHOWN], [[SHOWN], [], [SHOWN]], id="not again, then again"),
        pytest.param([[PEARS], SHOWN, [], SHOWN], [[[PEARS]], [SHOWN], [], []], id="after an idle turn"),
    ],
)
def test_a_turn_that_reads_again_what_was_shown_passes_without_a_call(
    examine_shop: Examine, calls: list[list[str]], turns: list[list[list[str]]]
):
    assert examine_shop(calls, turns, rules="strict").finding.valid
    assert examine_shop(calls, turns).finding.error_type == "multi_turn:empty_turn_model_response"


@pytest.mark.parametrize(
    ("calls", "turns"),
    [
        pytest.param(
            [SHOWN, [PEARS, COUNT], SHOWN], [[SHOWN], [[PEARS]], []], id="what changed was not read"
        ),
        pytest.param([SHOWN, [PEARS]], [[SHOWN], []], id="a change"),
        pytest.param([SHOWN, ["count(name='plum')"]], [[SHOWN], []], id="another read, the same result"),
    ],
)
def test_a_turn_without_a_call_fails_if_more_was_to_be_done(
    examine_shop: Examine, calls: list[list[str]], turns: list[list[list[str]]]
):
    assert not examine_shop(calls, turns, rules="strict").finding.valid


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(["put(name='pear', amount=2)"], id="never read"),
        pytest.param([COUNT, "put(name='pear', amount=2)"], id="read before it changed"),
    ],
)
def test_an_empty_turn_in_which_something_new_was_to_be_read_is_a_fault(
    examine_shop: Examine, first: list[str]
):
    calls = [["put(name='pear', amount=2)"], [COUNT]]
    finding = examine_shop(calls, [[first], []], rules="strict").finding
    assert finding.error_type == "multi_turn:empty_turn_model_response"


def test_an_empty_turn_in_which_something_was_to_be_done_is_a_fault(examine_shop: Examine):
    calls, turns = [[COUNT], ["put(name='pear', amount=2)"]], [[[COUNT]], []]
    finding = examine_shop(calls, turns, rules="strict").finding
    assert finding.error_type == "multi_turn:empty_turn_model_response"


@pytest.mark.parametrize(
    ("expected", "got"), [("True", "1"), ("0", "False"), ("[{'a': 1}]", "[{'a': True}]")]
)
def test_a_truth_value_is_no_number_in_a_state(examine_shop: Examine, expected: str, got: str):
    calls, turns = [[f"close(value={expected})"]], [[[f"close(value={got})"]]]
    assert examine_shop(calls, turns).finding.valid
    assert (
        examine_shop(calls, turns, rules="strict").finding.error_type == "multi_turn:instance_state_mismatch"
    )


def test_an_integer_still_equals_a_float_of_the_same_value(examine_shop: Examine):
    assert examine_shop([["close(value=1)"]], [[["close(value=1.0)"]]], rules="strict").finding.valid


def test_the_working_directory_is_compared():
    calls, turns = (
        [["cd(folder='a')", "cd(folder='..')"]],
        [[["cd(folder='a')"], ["cd(folder='..')"], ["cd(folder='a')"]]],
    )
    assert _in_files(calls, turns, "bfcl").valid
    finding = _in_files(calls, turns, "strict")
    assert finding.error_type == "multi_turn:instance_state_mismatch"
    assert finding.evidence["path"] == "GorillaFileSystem.working directory['current_working_directory']"
    assert (finding.evidence["expected"], finding.evidence["got"]) == ("/top", "/top/a")


@pytest.mark.parametrize("text", ["call find (x) first", "ls(1)"])
def test_a_text_that_looks_like_a_call_can_be_right(text: str):
    calls = [["touch(file_name='b')", f"echo(content='{text}', file_name='b')"]]
    assert _in_files(calls, [calls], "bfcl").error_type == "multi_turn:instance_state_mismatch"
    assert _in_files(calls, [calls], "strict").valid


def test_blanks_before_a_parenthesis_count_in_a_text():
    calls = [["echo(content='a chart (draft)')"]]
    turns = [[["echo(content='a chart(draft)')"]]]
    assert _in_files(calls, turns, "bfcl").valid
    assert _in_files(calls, turns, "strict").error_type == "multi_turn:execution_response_mismatch"


@pytest.mark.parametrize(
    ("reply", "call"), [("[cd('a')]", "cd(folder='a')"), ("[echo(content='x', file_name=None)]", "echo('x')")]
)
def test_positional_arguments_in_a_text_reply_are_kept(reply: str, call: str):
    assert _in_files([[call]], [[reply]], "strict", mode="prompt").valid


def test_positional_arguments_in_a_text_reply_are_lost_to_the_original():
    assert not _in_files([["cd(folder='a')"]], [["[cd('a')]"]], "bfcl", mode="prompt").valid


def _in_files(calls: list[list[str]], turns: Any, rules: Rules, mode: Any = "decoded") -> Finding:
    tree: dict[str, Any] = {
        "top": {"type": "directory", "contents": {"a": {"type": "directory", "contents": {}}}}
    }
    case = world_case(calls, "GorillaFileSystem", root=tree)
    return examine(case, turns, mode=mode, options=CheckOptions(rules=rules)).finding
