"""Multi-turn trajectories: the checker of end states decides what a mutation did."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tool_calls import tool

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS, Probe, Subject, Weakness, make_probes
from fiducial.deterministic.mutation.call_notation import NamedCall
from fiducial.deterministic.mutation.subject import find_sites
from fiducial.deterministic.mutation.value_faults import PERTURBATIONS
from fiducial.records import Case, Output, Step, ToolCall, ToolResults


class Calendar:
    """A world: days with events."""

    def load(self, config: dict[str, list[str]]) -> None:
        self.events = dict(config)

    def add(self, day: str, title: str) -> str:
        """Add an event."""
        self.events[day] = [*self.events.get(day, []), title]
        return f"{title} on {day}"

    def look(self, day: str) -> list[str]:
        """The events of a day."""
        return self.events.get(day, [])


TITLE = {"type": "string"}
CALLS = [["look(day='monday')", "add(day='monday', title='swim')"], ["add(day='friday', title='read')"]]
TOOLS = [tool("look", {"day": TITLE}), tool("add", {"day": TITLE, "title": TITLE})]


def week(name: str, calls: list[list[str]]) -> Case:
    reference: dict[str, Any] = {"classes": ["Calendar"], "initial_config": {}, "calls": calls}
    return Case(id=name, kind="multi_turn", tools=TOOLS, reference=reference)


CASE = week("week", CALLS)
TEXT: list[list[Step]] = [[f"[{', '.join(calls)}]"] for calls in CALLS]
NATIVE: list[list[Step]] = [
    [
        [ToolCall(name="look", arguments={"day": "monday"})],
        [ToolCall(name="add", arguments={"day": "monday", "title": "swim"})],
    ],
    [[ToolCall(name="add", arguments='{"day": "friday", "title": "read"}')], "done"],
]
FAMILY = [operator for operator in OPERATORS.values() if operator.family == "multi_turn"]


@pytest.fixture(params=[TEXT, NATIVE], ids=["text", "native"])
def found(request: pytest.FixtureRequest) -> list[Probe | Weakness]:
    subject = Subject(CASE, Output(case_id="week", system="agent", turns=request.param))
    return list(make_probes(subject, FAMILY, CheckOptions(environments={"Calendar": Calendar})))


def test_each_fault_is_planted_and_seen(found: list[Probe | Weakness]):
    counts = Counter(probe.label.evidence["operator"] for probe in found if isinstance(probe, Probe))
    assert {
        "turn_dropped_call",
        "turn_changed_argument",
        "turn_call_too_early",
        "turn_extra_call",
    } <= counts.keys()
    assert counts["turn_dropped_call"] == 3


def test_labels_are_the_end_states(found: list[Probe | Weakness]):
    labels = [probe.label for probe in found if isinstance(probe, Probe)]
    assert {label.score for label in labels} == {0.0, 1.0}
    for label in labels:
        assert label.by == "state/strict"
        assert label.score == float(label.evidence["plants"] == "twin")


def test_one_more_look_changes_nothing_and_is_set_aside(found: list[Probe | Weakness]):
    accepted = [
        each.change for each in found if isinstance(each, Weakness) and each.failing == "accepts a fault"
    ]
    assert accepted
    assert all("call look" in change for change in accepted)


EARLY = week("early", [["add(day='monday', title='swim')"], ["look(day='monday')"], CALLS[1]])


def test_a_call_that_only_reads_is_no_fault_when_it_is_made_too_early():
    turns: list[list[Step]] = [[f"[{calls[0]}]"] for calls in EARLY.reference["calls"]]
    subject = Subject(EARLY, Output(case_id="early", system="agent", turns=turns))
    options = CheckOptions(environments={"Calendar": Calendar})
    found = list(make_probes(subject, [OPERATORS["turn_call_too_early"]], options))
    (probe,) = [each for each in found if isinstance(each, Probe)]
    assert probe.label.evidence["change"] == "call add of turn 3 was made a turn too early"
    (aside,) = [each for each in found if isinstance(each, Weakness)]
    assert (aside.change, aside.failing) == (
        "call look of turn 2 was made a turn too early",
        "accepts a fault",
    )


def test_the_items_of_a_list_keep_their_order_where_its_document_does_not_say_that_it_matters():
    perturb, _ = PERTURBATIONS["reversed_list"]
    for declared, reverses in (("array", False), ("tuple", True)):
        calls = [NamedCall("post", {"tags": ["#ice", "#harbour"]})]
        document = {"parameters": {"properties": {"tags": {"type": declared}}}}
        (site, *_) = find_sites(calls, {"post": document})
        assert bool(list(perturb(site, random.Random(0)))) == reverses


def test_a_step_is_split_into_its_calls_without_harm():
    subject = Subject(CASE, Output(case_id="week", system="agent", turns=TEXT))
    options = CheckOptions(environments={"Calendar": Calendar})
    (probe,) = make_probes(subject, [OPERATORS["turn_steps_split"]], options)
    assert isinstance(probe, Probe)
    assert probe.output.turns == [["[look(day='monday')]", "[add(day='monday', title='swim')]"], TEXT[1]]


def test_mutants_do_not_keep_results_of_calls_that_were_changed():
    told: list[list[Step]] = [[step, ToolResults(results=["said"])] for (step,) in TEXT]
    subject = Subject(CASE, Output(case_id="week", system="agent", turns=told))
    found = list(make_probes(subject, FAMILY, CheckOptions(environments={"Calendar": Calendar})))
    assert found
    for probe in found:
        assert isinstance(probe, Weakness) or probe.output.agent_turns == probe.output.turns


@pytest.mark.parametrize("arguments", ["[1]", '"monday"', "null", "{"])
def test_a_step_whose_arguments_are_no_object_is_left_as_it_is(arguments: str):
    turns: list[list[Step]] = [[[ToolCall(name="look", arguments=arguments)], *NATIVE[0]], NATIVE[1]]
    subject = Subject(CASE, Output(case_id="week", system="agent", turns=turns))
    for operator in FAMILY:
        for mutation in operator.mutate(subject, random.Random(0)):
            assert mutation.output.turns is not None
            assert turns[0][0] in mutation.output.turns[0]
