"""Reference trajectory of a case: results of its calls, and states of its worlds, by turn."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ...errors import InputError
from ...records import Case, MultiTurnReference
from ...records.typed_values import decode_json
from ..environments import ENVIRONMENTS
from ..finding import shorten
from .call_execution import Executor
from .worlds import AnyWorld, State, environment_types, equal, load_worlds

StateReader: TypeAlias = Callable[[AnyWorld], State]
"""Reads the compared state of a world."""

ExecutorFactory: TypeAlias = Callable[[Mapping[str, AnyWorld], str], Executor]
"""Makes an executor for the worlds of one side, ``model`` or ``reference``."""

_CACHE_SIZE = 1024
"""All 800 multi-turn entries of BFCL fit, so their references are executed once for all systems."""


class ReferenceTurn(NamedTuple):
    """One turn of the reference trajectory."""

    calls: list[str]
    results: list[str]
    """Results of ``calls``, as text."""
    states: dict[str, State]
    """States of the worlds after the turn, by class name; turns share a state that has not changed."""


class Scenario(NamedTuple):
    """Starting point of a trajectory: immutable data from which fresh worlds are made."""

    encoded: bytes
    """The case's reference as JSON. Each trajectory decodes a copy, so that no two share a list."""
    types: tuple[type, ...]
    """Environment classes of the worlds."""

    def decode(self) -> MultiTurnReference:
        """Return a separate copy of the reference."""
        return decode_json(self.encoded, MultiTurnReference)

    def worlds(self) -> dict[str, AnyWorld]:
        """Make fresh worlds, by class name."""
        return load_worlds(self.decode(), self.types)


def scenario_of(case: Case, environments: Mapping[str, type]) -> Scenario:
    """Return the scenario from which the trajectories of a case start.

    Raises:
        InputError: The reference is not that of a multi-turn case, or names an unknown environment.
    """
    try:
        encoded = msgspec.json.encode(case.reference)
        classes = decode_json(encoded, MultiTurnReference).classes
    except (TypeError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise InputError(f"not a multi-turn reference: {error}", field="reference") from error
    return Scenario(encoded, environment_types(classes, environments))


@lru_cache(maxsize=_CACHE_SIZE)
def reference_trajectory(
    scenario: Scenario, executor: ExecutorFactory, read: StateReader
) -> tuple[ReferenceTurn, ...]:
    """Execute the reference calls of a case.

    The result is cached, since many outputs answer the same case. Callers must not change it.
    """
    turns = _play(scenario, executor, read)
    # The built-in worlds are known to be deterministic.
    if not set(scenario.types) <= set(ENVIRONMENTS.values()):
        _require_repeatable(turns, _play(scenario, executor, read))
    return turns


def _play(scenario: Scenario, executor: ExecutorFactory, read: StateReader) -> tuple[ReferenceTurn, ...]:
    worlds = scenario.worlds()
    run = executor(worlds, "reference")
    states: dict[str, State] = {}
    turns: list[ReferenceTurn] = []
    for calls in scenario.decode().calls:
        results = [run(text) for text in calls]
        states = {name: _snapshot(name, world, read, states.get(name)) for name, world in worlds.items()}
        turns.append(ReferenceTurn(calls, results, states))
    return tuple(turns)


def _require_repeatable(turns: Sequence[ReferenceTurn], repeated_turns: Sequence[ReferenceTurn]) -> None:
    """Refuse a custom world in which the same calls have different effects.

    No system could pass there: each would be graded 0 for what the world does.

    Raises:
        InputError: A result or an attribute differs between the executions.
    """
    for turn_number, (turn, repeated_turn) in enumerate(zip(turns, repeated_turns, strict=True), start=1):
        for call, result, repeated_result in zip(
            turn.calls, turn.results, repeated_turn.results, strict=True
        ):
            if result != repeated_result:
                problem = f"{call!r} returns {shorten(result)}, then {shorten(repeated_result)}"
                raise InputError(_unrepeatable_text(turn_number, problem), field="reference.classes")
        for world, state in turn.states.items():
            for name, value in state.items():
                if not _is_equal(f"{world}.{name}", value, repeated_turn.states[world].get(name)):
                    problem = f"{world}.{name} differs"
                    raise InputError(_unrepeatable_text(turn_number, problem), field="reference.classes")


def _unrepeatable_text(turn: int, problem: str) -> str:
    return (
        f"the world is not deterministic: turn {turn} of the reference: {problem}; "
        "pass seeds and dates in initial_config, give values __eq__, or leave them out of state()"
    )


def _is_equal(name: str, one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:  # the value is deep, or contains itself
        return equal(one, other)
    except Exception as error:
        raise _unusable_state(name, error) from error


def _snapshot(name: str, world: AnyWorld, read: StateReader, previous: State | None) -> State:
    """Return a copy of a world's state, or the previous one if it is unchanged."""
    try:
        state = dict(read(world))
        return previous if previous is not None and equal(previous, state) else copy.deepcopy(state)
    except Exception as error:
        raise _unusable_state(f"the state of {name}", error) from error


def _unusable_state(name: str, error: Exception) -> InputError:
    return InputError(
        f"{name} cannot be read, compared or copied: {type(error).__name__}: {error}; "
        "leave such attributes out of state(), or begin their names with _",
        field="reference.classes",
    )
