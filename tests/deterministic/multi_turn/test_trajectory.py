from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.checkers import check
from fiducial.deterministic.multi_turn import check_turns
from fiducial.deterministic.multi_turn.call_execution import MAX_CALLS
from fiducial.deterministic.multi_turn.trajectory import replay_turns
from fiducial.deterministic.options import CheckOptions
from fiducial.errors import InputError
from fiducial.records import Case, Output, StepOutcome, ToolCall, ToolResults
from fiducial.tests.deterministic.multi_turn.conftest import Examine, world_case

PUT = "put(name='pear', amount=2)"
COUNT = "count(name='pear')"


def test_the_reference_calls_pass_in_one_step_or_in_many(examine_shop: Examine):
    assert examine_shop([[PUT, COUNT]], [[[PUT, COUNT]]]).finding.valid
    assert examine_shop([[PUT, COUNT]], [[[PUT], [COUNT]]]).finding.valid


def test_every_executed_step_keeps_its_results(examine_shop: Examine):
    assert examine_shop([[PUT, COUNT]], [[[PUT], [COUNT, "x()"]]]).step_results == [
        ["None"],
        ['{"count": 2}', "Error during execution: name 'x' is not defined"],
    ]


@pytest.mark.parametrize("result", [None, "Error during inference: timeout", 5, {}])
def test_a_result_that_is_no_list_is_an_inference_error(examine_shop: Examine, result: Any):
    assert examine_shop([[PUT]], result).finding.error_type == "multi_turn:inference_error"


@pytest.mark.parametrize("turns", [[], [[[PUT]]], [[[PUT]], [[COUNT]], []]])
def test_another_number_of_turns_was_force_terminated(examine_shop: Examine, turns: Any):
    assert examine_shop([[PUT], [COUNT]], turns).finding.error_type == "multi_turn:force_terminated"


@pytest.mark.parametrize("turn", [[], [[]]])
def test_an_empty_turn_where_something_is_called_is_a_fault(examine_shop: Examine, turn: Any):
    finding = examine_shop([[PUT], [COUNT]], [[[PUT]], turn]).finding
    assert finding.error_type == "multi_turn:empty_turn_model_response"
    assert finding.evidence["turn_index"] == 1


def test_two_empty_steps_are_no_empty_turn(examine_shop: Examine):
    finding = examine_shop([[COUNT]], [[[], []]]).finding
    assert finding.error_type == "multi_turn:execution_response_mismatch"


def test_a_turn_in_which_nothing_is_called_is_not_checked(examine_shop: Examine):
    assert examine_shop([[], [PUT]], [[[PUT]], [[PUT]]]).finding.valid


def test_what_was_done_in_an_unchecked_turn_counts_later(examine_shop: Examine):
    assert not examine_shop([[], [COUNT]], [[[PUT]], [[COUNT]]]).finding.valid


def test_the_first_different_attribute_is_named_down_to_where_it_differs(examine_shop: Examine):
    finding = examine_shop(
        [["put(name='a', amount={'n': [1, 2]})"]], [[["put(name='a', amount={'n': [1, 3]})"]]]
    ).finding
    assert finding.error_type == "multi_turn:instance_state_mismatch"
    assert finding.reason == "turn 1 of 1: Shop.stock['a']['n'][1] should be 2, is 3"
    assert finding.evidence == {
        "turn_index": 0,
        "class_name": "Shop",
        "attributes": ["stock"],
        "path": "Shop.stock['a']['n'][1]",
        "expected": 2,
        "got": 3,
    }


def test_a_fault_names_the_first_call_of_its_turn_that_failed(examine_shop: Examine):
    reference = ["put(name='plum', amount=1)"]
    reason = examine_shop([[COUNT], reference], [[["nope()"]], [reference]]).finding.reason
    assert reason is not None
    assert reason.startswith("turn 1 of 2: the result of")
    assert """; 'nope()' failed: "name 'nope' is not defined\"""" in reason


def test_states_are_compared_before_results(examine_shop: Examine):
    finding = examine_shop([[PUT, COUNT]], [[["put(name='pear', amount=3)"]]]).finding
    assert finding.error_type == "multi_turn:instance_state_mismatch"


def test_a_result_that_never_appeared_is_named_with_its_call(examine_shop: Examine):
    finding = examine_shop([[PUT, COUNT]], [[[PUT]]]).finding
    assert finding.error_type == "multi_turn:execution_response_mismatch"
    assert (finding.evidence["call"], finding.evidence["expected"]) == (COUNT, '{"count": 2}')


def test_the_same_result_is_needed_as_often_as_the_reference_has_it_in_a_turn(examine_shop: Examine):
    assert not examine_shop([[COUNT, COUNT]], [[[COUNT]]]).finding.valid
    assert examine_shop([[COUNT, COUNT]], [[[COUNT], [COUNT]]]).finding.valid


@each_row("extra", ["count(name='plum')", "nothing_of_the_kind()", "put()", "1/0", "not Python("])
def test_further_calls_that_change_nothing_do_no_harm(examine_shop: Examine, extra: str):
    assert examine_shop([[PUT, COUNT]], [[[extra], [COUNT, PUT], [COUNT]]]).finding.valid


def test_steps_that_hold_no_calls_are_left_out(examine_shop: Examine):
    turns = [["Let me see.", f"[{PUT}]", "", "[]", f"[{COUNT}]", "The count is two (2)."]]
    examination = examine_shop([[PUT, COUNT]], turns, mode="prompt")
    assert examination.finding.valid
    assert examination.step_results == [["None"], ['{"count": 2}']]


def test_native_steps_may_stand_beside_texts(examine_shop: Examine):
    turns = [[[{"put": '{"name": "pear", "amount": 2}'}], "Call count(name='pear')"]]
    examination = examine_shop([[PUT]], turns, mode="fc")
    assert examination.step_results == [["None"]]


@pytest.mark.parametrize("turns", [["put"], [None], [{}], [5]])
def test_a_turn_that_is_no_list_of_steps_is_empty(examine_shop: Examine, turns: Any):
    finding = examine_shop([[PUT]], turns, mode="prompt").finding
    assert finding.error_type == "multi_turn:empty_turn_model_response"


def test_an_output_is_checked_natively_as_soon_as_one_step_is_native(options: CheckOptions):
    case = world_case(calls=[[PUT], [COUNT]])
    native = [ToolCall(name="put", arguments={"name": "pear", "amount": 2})]
    output = Output(case_id="shop-1", system="s", turns=[[native], [f"[{COUNT}]"]])
    assert check(case, output, options).error_type == "multi_turn:empty_turn_model_response"
    output = Output(case_id="shop-1", system="s", turns=[[f"[{PUT}]"], [f"[{COUNT}]"]])
    verdict = check(case, output, options)
    assert (verdict.score, verdict.by) == (1.0, "state/strict")


def test_an_output_without_turns_is_a_run_that_failed(options: CheckOptions):
    output = Output(case_id="shop-1", system="s", text="Error during inference: timeout")
    verdict = check(world_case(calls=[[PUT]]), output, options)
    assert (verdict.score, verdict.error_type) == (0.0, "multi_turn:inference_error")
    assert verdict.reason == "expected turns, got 'Error during inference: timeout'"


def test_a_case_that_names_an_unknown_world_is_an_input_error():
    with pytest.raises(InputError, match=r"case 'shop-1': no environment is called 'Shop'.*environment="):
        check_turns(world_case(calls=[[PUT]]), [[[PUT]]], mode="decoded")


def test_a_configuration_that_a_world_does_not_take_is_an_input_error(options: CheckOptions):
    case = world_case([[]], "GorillaFileSystem", root={"a": 5})
    with pytest.raises(InputError, match="GorillaFileSystem does not take its configuration"):
        check_turns(case, [[]], mode="decoded", options=options)


def test_a_reference_of_another_kind_is_an_input_error():
    with pytest.raises(InputError, match="not a multi-turn reference"):
        check_turns(Case(id="x", kind="multi_turn", reference={"answers": ["a"]}), [[]], mode="decoded")


CASE = world_case([[]], stock={"pear": 3})


def outcomes(options: CheckOptions, *turns: list[Any]) -> list[list[StepOutcome]]:
    output = Output(case_id="shop-1", system="s", turns=list(turns))
    return [list(turn) for turn in replay_turns(CASE, output, options.environments)]


def test_each_step_has_its_calls_and_results_and_the_world_goes_on_between_turns(options: CheckOptions):
    found = outcomes(
        options,
        ["[take(name='pear')]", "Taken."],
        [[ToolCall(name="count", arguments={"name": "pear"})]],
    )
    assert found == [[StepOutcome(), StepOutcome()], [StepOutcome(["count(name='pear')"], ['{"count": 3}'])]]
    written = outcomes(options, ["[take(name='pear')]", "Taken."], ["[count(name='pear')]"])
    assert written[0] == [StepOutcome(["take(name='pear')"], ["3"]), StepOutcome()]
    assert written[1] == [StepOutcome(["count(name='pear')"], ['{"count": 0}'])]


def test_a_call_that_fails_has_the_text_of_its_error(options: CheckOptions):
    ((outcome,),) = outcomes(options, ["[take(name='plum'), steal(name='pear'), _hidden()]"])
    assert outcome.results == [
        "Error during execution: 'plum'",
        "Error during execution: name 'steal' is not defined",
        "Error during execution: name '_hidden' is not defined",
    ]


@pytest.mark.parametrize("text", ["__import__('os').getcwd()", "count.__globals__", "[x for x in (1,)]"])
def test_nothing_but_methods_of_the_worlds_is_run(options: CheckOptions, text: str):
    ((outcome,),) = outcomes(options, [f"[count(name={text})]"])
    assert [result.partition(":")[0] for result in outcome.results] == ["Error during execution"]


def test_native_calls_that_cannot_be_read_say_why_they_were_not_executed(options: CheckOptions):
    ((outcome,),) = outcomes(options, [[ToolCall(name="count", arguments="{name")]])
    assert (outcome.calls, outcome.results) == ((), ())
    assert (outcome.problem or "").startswith("the arguments are not JSON")


def test_calls_beyond_the_limit_are_not_executed_and_it_is_said(options: CheckOptions):
    ((outcome, after),) = outcomes(
        options, ["[" + ", ".join(["count(name='pear')"] * (MAX_CALLS + 1)) + "]", "[count(name='pear')]"]
    )
    assert len(outcome.calls) == len(outcome.results) == MAX_CALLS
    assert outcome.problem == after.problem == "the output has more calls than are executed"


def test_recorded_results_are_no_steps_of_the_agent(options: CheckOptions):
    found = outcomes(options, ["[count(name='pear')]", ToolResults(results=["many"]), "Many."])
    assert found == [[StepOutcome(["count(name='pear')"], ['{"count": 3}']), StepOutcome()]]


def test_an_unknown_world_is_named_with_its_case():
    with pytest.raises(InputError, match="case 'shop-1': no environment is called 'Shop'"):
        replay_turns(CASE, Output(case_id="shop-1", system="s", turns=[[]]), {})


def test_an_output_without_turns_has_nothing_to_execute(options: CheckOptions):
    assert (
        replay_turns(CASE, Output(case_id="shop-1", system="s", text="timed out"), options.environments) == []
    )
