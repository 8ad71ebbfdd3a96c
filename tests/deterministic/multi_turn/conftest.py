"""A world small enough to see through, and cases over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from fiducial.deterministic.multi_turn.trajectory import Examination, examine
from fiducial.deterministic.multi_turn.turns import TurnMode
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.records import Case

Examine: TypeAlias = Callable[..., Examination]


class Shop:
    """Goods by name, and a till."""

    def load(self, config: dict[str, Any]) -> None:
        self.stock: dict[str, Any] = config.get("stock", {})
        self.open: Any = True
        self._visits = 0

    def count(self, name: str) -> dict[str, Any]:
        self._visits += 1
        return {"count": self.stock.get(name, 0)}

    def put(self, name: str, amount: Any) -> None:
        self.stock[name] = amount

    def close(self, value: Any = False) -> str:
        self.open = value
        return "closed"

    def take(self, name: str) -> Any:
        return self.stock.pop(name)

    def grow(self, names: list[str]) -> list[str]:
        names.append("more")
        self.stock["names"] = names
        return names

    def _hidden(self) -> str:
        return "hidden"


def world_case(calls: list[list[str]], world: str = "Shop", **config: Any) -> Case:
    """A case over one world, with the turns of calls that are its reference."""
    reference = {"classes": [world], "calls": calls, "initial_config": {world: config}}
    return Case(id="shop-1", kind="multi_turn", reference=reference)


@pytest.fixture
def options() -> CheckOptions:
    return CheckOptions(environments={"Shop": Shop})


@pytest.fixture
def examine_shop() -> Examine:
    """Return a function that examines a system's turns in the shop.

    Turns are decoded steps of call texts, unless another mode is given.
    """

    def run(
        calls: list[list[str]],
        result: Any,
        *,
        mode: TurnMode = "decoded",
        rules: Rules = "bfcl",
        stock: dict[str, Any] | None = None,
    ) -> Examination:
        options = CheckOptions(rules=rules, environments={"Shop": Shop})
        return examine(world_case(calls, stock=stock or {}), result, mode=mode, options=options)

    return run
