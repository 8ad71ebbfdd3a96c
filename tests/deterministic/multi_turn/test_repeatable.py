"""Custom worlds in which the reference itself would fail."""

from __future__ import annotations

import sys
from itertools import count
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.multi_turn.trajectory import check_trajectory
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.errors import InputError
from fiducial.records import Output, ToolCall

from .conftest import world_case

NUMBERS = count()


class Lottery:
    """A world that numbers tickets over all games."""

    def load(self, config: dict[str, Any]) -> None:
        self.tickets: list[int] = []

    def draw(self) -> str:
        self.tickets.append(next(NUMBERS))
        return "drawn"

    def number(self) -> int:
        return next(NUMBERS)


class Unequal:
    def load(self, config: dict[str, Any]) -> None:
        self.items: list[object] = []

    def add(self) -> str:
        self.items.append(object())
        return "added"


class Unreadable:
    def load(self, config: dict[str, Any]) -> None:
        self.items = 0

    def add(self) -> str:
        return "added"

    def state(self) -> dict[str, Any]:
        raise KeyError("items")


class Ambiguous:
    """A value that is neither equal nor unequal, as an array of numpy."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")

    __hash__ = None  # pyright: ignore[reportAssignmentType] - as of an array


class Measured:
    def load(self, config: dict[str, Any]) -> None:
        self.items: object = 1

    def look(self) -> str:
        return "seen"

    def measure(self) -> str:
        self.items = Ambiguous()
        return "measured"


class Open:
    def load(self, config: dict[str, Any]) -> None:
        self.stream = sys.stdout

    def look(self) -> str:
        return "seen"


@each_row(
    ("world", "call", "message"),
    [
        (Lottery, "draw", r"not deterministic: turn 1 of the reference: Lottery\.tickets differs; pass seeds"),
        (Lottery, "number", r"not deterministic: turn 1 of the reference: 'number\(\)' returns '\d+', then '\d+'"),
        (Unequal, "add", r"Unequal\.items differs; .*give values __eq__"),
        (Unreadable, "add", r"the state of Unreadable cannot be read, compared or copied: KeyError: 'items'; leave"),
        (Measured, "measure", r"Measured\.items cannot be read, compared or copied: ValueError: ambiguous; leave"),
        (Open, "look", r"the state of Open cannot be read, compared or copied: .*leave such attributes out of state\(\)"),
    ],
)  # fmt: skip
def test_a_world_in_which_the_reference_would_fail_is_refused(world: type, call: str, message: str):
    case = world_case([[f"{call}()"]], world.__name__)
    output = Output(case_id=case.id, system="s", turns=[[[ToolCall(name=call)], "ok"]])
    with pytest.raises(InputError, match=message):
        check_trajectory(case, output, CheckOptions(environments={world.__name__: world}))


@pytest.mark.parametrize("rules", ["strict", "bfcl"])
def test_a_state_that_cannot_be_compared_is_not_that_of_the_reference(rules: Rules):
    case = world_case([["look()"]], "Measured")
    output = Output(case_id=case.id, system="s", turns=[[[ToolCall(name="measure")], "ok"]])
    finding = check_trajectory(case, output, CheckOptions(environments={"Measured": Measured}, rules=rules))
    assert finding.error_type == "multi_turn:instance_state_mismatch"
