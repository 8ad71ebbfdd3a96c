"""Custom worlds in which the reference itself would fail."""

from __future__ import annotations

import sys
from itertools import count
from typing import Any

import pytest

from fiducial.deterministic.multi_turn.trajectory import check_trajectory
from fiducial.deterministic.options import CheckOptions
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


class Open:
    def load(self, config: dict[str, Any]) -> None:
        self.stream = sys.stdout

    def look(self) -> str:
        return "seen"


@pytest.mark.parametrize(
    ("world", "call", "message"),
    [
        (Lottery, "draw", r"not deterministic: turn 1 of the reference: Lottery\.tickets differs; pass seeds"),
        (Lottery, "number", r"not deterministic: turn 1 of the reference: 'number\(\)' returns '\d+', then '\d+'"),
        (Unequal, "add", r"Unequal\.items differs; .*give values __eq__"),
        (Open, "look", r"the state of Open cannot be copied: .*leave such attributes out of state\(\)"),
    ],
)  # fmt: skip
def test_a_world_in_which_the_reference_would_fail_is_refused(world: type, call: str, message: str):
    case = world_case([[f"{call}()"]], world.__name__)
    output = Output(case_id=case.id, system="s", turns=[[[ToolCall(name=call)], "ok"]])
    with pytest.raises(InputError, match=message):
        check_trajectory(case, output, CheckOptions(environments={world.__name__: world}))
