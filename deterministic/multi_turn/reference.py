"""The reference trajectory of a case: what its calls return and leave behind, turn by turn."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from ...errors import InputError
from ...records import Case, MultiTurnReference
from .call_execution import Executor
from .worlds import AnyWorld, State, environment_types, load_worlds

StateReader: TypeAlias = Callable[[AnyWorld], State]
"""What of a world is compared."""

ExecutorFactory: TypeAlias = Callable[[Mapping[str, AnyWorld], str], Executor]
"""Makes an executor of worlds, and of the side ("model" or "reference") whose they are."""

_KEPT_TRAJECTORIES = 1024
"""All 800 multi-turn entries of BFCL fit, so that every system after the first finds them."""


class ReferenceTurn(NamedTuple):
    """One turn of the reference trajectory."""

    calls: list[str]
    results: list[str]
    """One text a call."""
    states: dict[str, State]
    """What the worlds were after the turn, by class; unchanged states are shared between turns."""


class Scenario(NamedTuple):
    """Starting point of a trajectory: immutable data from which fresh worlds are made."""

    encoded: bytes
    """The case's reference as JSON: every trajectory decodes its own, so that no two share a list."""
    types: tuple[type, ...]

    def decode(self) -> MultiTurnReference:
        """Return a separate copy of the reference."""
        return msgspec.json.decode(self.encoded, type=MultiTurnReference)

    def worlds(self) -> dict[str, AnyWorld]:
        """Make fresh worlds, by class name."""
        return load_worlds(self.decode(), self.types)


def scenario_of(case: Case, environments: Mapping[str, type]) -> Scenario:
    """Return the scenario from which the trajectories of a case start.

    Raises:
        InputError: The reference is not that of a multi-turn case, or names an unknown world.
    """
    try:
        encoded = msgspec.json.encode(case.reference)
        classes = msgspec.json.decode(encoded, type=MultiTurnReference).classes
    except (TypeError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise InputError(f"not a multi-turn reference: {error}", field="reference") from error
    return Scenario(encoded, environment_types(classes, environments))


@lru_cache(maxsize=_KEPT_TRAJECTORIES)
def reference_trajectory(
    scenario: Scenario, executor: ExecutorFactory, read: StateReader
) -> tuple[ReferenceTurn, ...]:
    """Execute the reference calls of a case.

    It depends on nothing but the arguments, so it is kept: many outputs answer the same case. Callers must not change it.
    """
    worlds = scenario.worlds()
    run = executor(worlds, "reference")
    states: dict[str, State] = {}
    turns: list[ReferenceTurn] = []
    for calls in scenario.decode().calls:
        results = [run(text) for text in calls]
        states = {name: _snapshot(read(world), states.get(name)) for name, world in worlds.items()}
        turns.append(ReferenceTurn(calls, results, states))
    return tuple(turns)


def _snapshot(state: State, previous: State | None) -> State:
    return previous if previous is not None and state == previous else copy.deepcopy(state)
