"""Replays an output: executes its calls in its case's worlds, whatever comes of them, to show what the agent saw.

Calls are read and executed as they stand, as under strict rules; nothing is compared with a reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import DecodingError, InputError
from ...records import AgentStep, Case, Episode, Output, StepOutcome
from .execution import Executor, direct_executor
from .limits import Allowance, LimitExceededError
from .reference import scenario_of
from .rule_sets import rule_set
from .steps import mode_of

_NOTHING = StepOutcome()


def replay(case: Case, output: Output, environments: Mapping[str, type]) -> Episode:
    """Execute the calls of an output in fresh worlds.

    Args:
        case: A case of kind ``multi_turn``.
        output: What the system did; without turns there is nothing to execute.
        environments: Worlds of the user's own, by class name, beside the built-in ones.

    Returns:
        What came of each step.

    Raises:
        InputError: The case names a world that does not exist, or one that does not take its configuration.
    """
    try:
        scenario = scenario_of(case, environments)
        worlds = scenario.worlds()
    except InputError as error:
        raise InputError(f"case {case.id!r}: {error.message}", field=error.field) from error
    read = rule_set("strict", scenario.types).reader(mode_of(output))
    run = direct_executor(worlds, "model")
    allowance = Allowance()

    def outcome(step: AgentStep) -> StepOutcome:
        try:
            calls = read(step)
        except (DecodingError, RecursionError) as error:
            # A text that cannot be read as calls is what the agent said.
            return _NOTHING if isinstance(step, str) else StepOutcome(problem=str(error))
        return _executed(calls, run, allowance)

    return [[outcome(step) for step in turn] for turn in output.agent_turns or []]


def _executed(calls: list[str], run: Executor, allowance: Allowance) -> StepOutcome:
    results: list[str] = []
    try:
        results.extend(_results(calls, run, allowance))
    except LimitExceededError as error:
        return StepOutcome(calls[: len(results)], results, str(error))
    return StepOutcome(calls, results)


def _results(calls: list[str], run: Executor, allowance: Allowance) -> Iterator[str]:
    for call in calls:
        yield allowance.spend(call, run(call))
