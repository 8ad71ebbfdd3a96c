"""An output's calls, executed to be shown: nothing is compared, and nothing but methods of the worlds runs."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.checkers import CheckOptions
from fiducial.deterministic.multi_turn.limits import MAX_CALLS
from fiducial.deterministic.multi_turn.replay import replay
from fiducial.errors import InputError
from fiducial.records import Case, Output, StepOutcome, ToolCall, ToolResults

CASE = Case(
    id="shop",
    kind="multi_turn",
    reference={"classes": ["Shop"], "initial_config": {"Shop": {"stock": {"pear": 3}}}, "calls": [[]]},
)


def outcomes(options: CheckOptions, *turns: list[Any]) -> list[list[StepOutcome]]:
    output = Output(case_id="shop", system="s", turns=list(turns))
    return [list(turn) for turn in replay(CASE, output, options.environments)]


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
    with pytest.raises(InputError, match="case 'shop': no environment is called 'Shop'"):
        replay(CASE, Output(case_id="shop", system="s", turns=[[]]), {})


def test_an_output_without_turns_has_nothing_to_execute(options: CheckOptions):
    assert replay(CASE, Output(case_id="shop", system="s", text="timed out"), options.environments) == []
