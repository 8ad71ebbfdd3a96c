"""Multi-turn trajectories: the checker of end states decides what a mutation did."""

from __future__ import annotations

from collections import Counter

import pytest

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS, Probe, Subject, Weakness, make_probes
from fiducial.records import Case, Output, Step, ToolCall


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


CALLS = [["look(day='monday')", "add(day='monday', title='swim')"], ["add(day='friday', title='read')"]]
CASE = Case(
    id="week", kind="multi_turn", reference={"classes": ["Calendar"], "initial_config": {}, "calls": CALLS}
)
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
    for probe in found:
        if isinstance(probe, Probe):
            assert probe.label.by == "state/strict"
            assert probe.label.score == float(probe.label.evidence["plants"] == "twin")


def test_one_more_look_changes_nothing_and_is_set_aside(found: list[Probe | Weakness]):
    accepted = [
        each.change for each in found if isinstance(each, Weakness) and each.failing == "accepts a fault"
    ]
    assert all("call look" in change for change in accepted)


def test_a_step_is_split_into_its_calls_without_harm():
    subject = Subject(CASE, Output(case_id="week", system="agent", turns=TEXT))
    options = CheckOptions(environments={"Calendar": Calendar})
    (probe,) = make_probes(subject, [OPERATORS["turn_steps_split"]], options)
    assert isinstance(probe, Probe)
    assert probe.output.turns == [["[look(day='monday')]", "[add(day='monday', title='swim')]"], TEXT[1]]
