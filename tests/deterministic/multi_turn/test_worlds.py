from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.environments import ENVIRONMENTS
from fiducial.deterministic.multi_turn.worlds import (
    environment_types,
    load_worlds,
    methods_of,
    public_methods,
    state_of,
)
from fiducial.records import MultiTurnReference


class Plain:
    limit = 5

    def load(self, config: dict[str, Any]) -> None:
        self.things = config.get("things", [])
        self._secret = 1

    def look(self) -> str:
        return "plain"


class Long(Plain):
    def load(self, config: dict[str, Any], long_context: bool = False) -> None:
        super().load(config)
        self.long = long_context

    def state(self) -> dict[str, Any]:
        return {"long": self.long}

    @staticmethod
    def add() -> str:
        return "added"


def test_a_world_is_told_of_long_contexts_only_if_it_asks():
    reference = MultiTurnReference(classes=["Plain", "Long"], calls=[], long_context=True)
    worlds = load_worlds(reference, (Plain, Long))
    assert worlds["Long"].long is True
    assert list(worlds) == ["Plain", "Long"]


def test_without_a_state_method_the_public_instance_attributes_are_compared():
    worlds = load_worlds(MultiTurnReference(classes=["Plain", "Long"], calls=[]), (Plain, Long))
    assert state_of(worlds["Plain"]) == {"things": []}
    assert state_of(worlds["Long"]) == {"long": False}


def test_public_routines_are_methods_and_the_later_world_has_a_shared_name():
    assert public_methods(Long) == ("add", "look")
    worlds = {"Plain": Plain(), "Long": Long()}
    assert methods_of(worlds)["look"].__self__ is worlds["Long"]  # pyright: ignore[reportFunctionMemberAccess] - bound


def test_a_world_of_ones_own_comes_before_a_built_in_one_of_the_same_name():
    assert environment_types(["MathAPI"], {"MathAPI": Plain}) == (Plain,)
    assert environment_types(["MathAPI"], {}) == (ENVIRONMENTS["MathAPI"],)


@pytest.mark.parametrize("name", sorted(ENVIRONMENTS))
def test_every_built_in_world_has_methods_and_starts_from_nothing(name: str):
    world = load_worlds(MultiTurnReference(classes=[name], calls=[]), (ENVIRONMENTS[name],))[name]
    assert public_methods(ENVIRONMENTS[name])
    assert isinstance(state_of(world), dict)
