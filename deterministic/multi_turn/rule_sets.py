"""Rule sets: how replies are read and executed, which state is compared, and the checks."""

from __future__ import annotations

from typing import NamedTuple

from ..environments import ENVIRONMENTS
from ..environments.file_system import GorillaFileSystem
from ..execution.call_texts import (
    ReplyReader,
    read_call_texts,
    read_native,
    read_native_exactly,
    read_prompt,
    read_prompt_exactly,
)
from ..options import Rules
from .call_execution import bfcl_executor, direct_executor
from .reference import ExecutorFactory, StateReader
from .turn_checks import (
    TurnCheck,
    require_call,
    require_equal_states,
    require_equal_states_in_kind,
    require_needed_call,
    require_no_changes,
    require_results,
    require_results_for_each_turn,
)
from .turns import OutputCheck, TurnMode, last_turn_was_finished, turn_counts_match
from .worlds import AnyWorld, State, state_of


class RuleSet(NamedTuple):
    """Parts of a rule set; of several checks, the first fault counts."""

    read_prompt: ReplyReader
    read_native: ReplyReader
    executor: ExecutorFactory
    read_state: StateReader
    output_checks: tuple[OutputCheck, ...]
    """Checks before anything is executed."""
    turn_checks: tuple[TurnCheck, ...]
    """Checks after a turn with reference calls."""
    idle_turn_checks: tuple[TurnCheck, ...]
    """Checks after a turn without reference calls."""

    def reader(self, mode: TurnMode) -> ReplyReader:
        """Return the reader for a step."""
        if mode == "prompt":
            return self.read_prompt
        return self.read_native if mode == "fc" else read_call_texts


def state_and_position_of(world: AnyWorld) -> State:
    """Return a world's compared attributes and, for a file system, the working directory."""
    state = state_of(world)
    if isinstance(world, GorillaFileSystem):
        return {**state, "working directory": world.pwd()}
    return state


_BFCL = RuleSet(
    read_prompt=read_prompt,
    read_native=read_native,
    executor=bfcl_executor,
    read_state=state_of,
    output_checks=(turn_counts_match,),
    turn_checks=(require_call, require_equal_states, require_results),
    idle_turn_checks=(),
)

_BFCL_FOR_CUSTOM_WORLDS = _BFCL._replace(read_prompt=read_prompt_exactly, executor=direct_executor)
"""BFCL rewrites call texts for its own worlds only."""

_STRICT = RuleSet(
    read_prompt=read_prompt_exactly,
    read_native=read_native_exactly,
    executor=direct_executor,
    read_state=state_and_position_of,
    output_checks=(turn_counts_match, last_turn_was_finished),
    turn_checks=(
        require_needed_call,
        require_equal_states_in_kind,
        require_results_for_each_turn,
    ),
    idle_turn_checks=(require_no_changes,),
)


def rule_set(rules: Rules, types: tuple[type, ...]) -> RuleSet:
    """Return the rules for a case."""
    if rules == "strict":
        return _STRICT
    built_in = set(types) <= set(ENVIRONMENTS.values())
    return _BFCL if built_in else _BFCL_FOR_CUSTOM_WORLDS
