"""Rule sets for conversations: how to read and execute replies, and what to check."""

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
    require_equal_states_and_bools,
    require_needed_call,
    require_no_changes,
    require_results,
    require_results_for_each_turn,
)
from .turns import OutputCheck, TurnMode, require_all_turns, require_finished_last_turn
from .worlds import AnyWorld, State, state_of


class RuleSet(NamedTuple):
    """Readers, executor and checks of a rule set; the first check that finds a fault decides."""

    read_prompt: ReplyReader
    read_native: ReplyReader
    executor: ExecutorFactory
    read_state: StateReader
    output_checks: tuple[OutputCheck, ...]
    """Checks made before anything is executed."""
    turn_checks: tuple[TurnCheck, ...]
    """Checks made after a turn with reference calls."""
    idle_turn_checks: tuple[TurnCheck, ...]
    """Checks made after a turn without reference calls."""

    def reader(self, mode: TurnMode) -> ReplyReader:
        """Return the reader for steps of a form."""
        if mode == "prompt":
            return self.read_prompt
        return self.read_native if mode == "fc" else read_call_texts


def read_state_and_directory(world: AnyWorld) -> State:
    """Return a world's compared attributes and, for a file system, its working directory."""
    state = state_of(world)
    if isinstance(world, GorillaFileSystem):
        return {**state, "working directory": world.pwd()}
    return state


_BFCL = RuleSet(
    read_prompt=read_prompt,
    read_native=read_native,
    executor=bfcl_executor,
    read_state=state_of,
    output_checks=(require_all_turns,),
    turn_checks=(require_call, require_equal_states, require_results),
    idle_turn_checks=(),
)

_BFCL_FOR_CUSTOM_WORLDS = _BFCL._replace(read_prompt=read_prompt_exactly, executor=direct_executor)
"""BFCL rewrites call texts for its own worlds only."""

_STRICT = RuleSet(
    read_prompt=read_prompt_exactly,
    read_native=read_native_exactly,
    executor=direct_executor,
    read_state=read_state_and_directory,
    output_checks=(require_all_turns, require_finished_last_turn),
    turn_checks=(
        require_needed_call,
        require_equal_states_and_bools,
        require_results_for_each_turn,
    ),
    idle_turn_checks=(require_no_changes,),
)


def rule_set(rules: Rules, types: tuple[type, ...]) -> RuleSet:
    """Return the rule set for a case with these environments."""
    if rules == "strict":
        return _STRICT
    built_in = set(types) <= set(ENVIRONMENTS.values())
    return _BFCL if built_in else _BFCL_FOR_CUSTOM_WORLDS
