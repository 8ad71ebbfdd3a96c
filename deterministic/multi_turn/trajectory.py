"""Execute an agent's calls turn by turn, to check their effects or show what it saw.

The effects are compared with those of the reference's calls.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from ...records import AgentStep, Case, Episode, Output, StepOutcome
from ..finding import PASSED, Finding, fault, shorten, undecided
from ..options import CheckOptions
from .call_execution import Allowance, Executor, LimitExceededError, direct_executor
from .reference import Scenario, StateReader, reference_trajectory, scenario_of
from .rule_sets import RuleSet, rule_set
from .turn_checks import TurnFacts
from .turns import CallTurn, OutputFacts, TurnMode, decode_turns, mode_of
from .worlds import AnyWorld, State, equal_distinguishing_bools, naming_case


class StateTracker:
    """Record of the calls of a turn that changed a world's state."""

    def __init__(self, worlds: Mapping[str, AnyWorld], read: StateReader) -> None:
        self._worlds = worlds
        self._read = read
        self._first_states = self._latest_states = self._snapshot()
        self._calls_with_changes: list[str] = []

    def note_change(self, call: str) -> None:
        """Record the call that was just executed if a state is not as it was before."""
        states = self._snapshot()
        if states is None or not equal_distinguishing_bools(self._latest_states, states):
            self._calls_with_changes.append(call)
        self._latest_states = states

    @property
    def changing_calls(self) -> Sequence[str]:
        """Calls that changed a state; empty if the states are as at the start again."""
        is_as_at_start = self._first_states is not None and equal_distinguishing_bools(
            self._first_states, self._latest_states
        )
        return [] if is_as_at_start else self._calls_with_changes

    def _snapshot(self) -> dict[str, State] | None:
        """Return a copy of all states, or None, which counts as a change, if one cannot be read."""
        try:
            return {name: copy.deepcopy(self._read(world)) for name, world in self._worlds.items()}
        except Exception:  # noqa: BLE001 - what the calls have done to this world is the model's doing
            return None


class Examination(NamedTuple):
    """Finding of a check, and the results of each executed step of the model."""

    finding: Finding
    step_results: list[list[str]]


def check_trajectory(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check the turns of an output.

    An output without turns comes from a failed run. If a case has no reference calls by turn, its outputs are undecided.
    """
    if (reason := _missing_reference_reason(case)) and (
        output.turns is not None or output.text or output.tool_calls
    ):
        return undecided(reason)
    # A failed run has its error message, if any, as text.
    result = output.text if output.turns is None else output.agent_turns
    return check_turns(case, result, mode=mode_of(output), options=options)


def _missing_reference_reason(case: Case) -> str | None:
    """Return why a case cannot have reference calls by turn, or has none; None if it has them."""
    if case.user is not None:
        return "a simulated user decides what is asked in each turn: only a judge can grade the conversation"
    return (
        None if case.reference.get("calls") else "no reference calls: only a judge can grade the conversation"
    )


def check_turns(case: Case, result: Any, *, mode: TurnMode, options: CheckOptions | None = None) -> Finding:
    """Check a result as BFCL stores it: a list of turns, which are lists of steps.

    Anything else is the error message of a failed run.
    """
    return examine(case, result, mode=mode, options=options).finding


def examine(case: Case, result: Any, *, mode: TurnMode, options: CheckOptions | None = None) -> Examination:
    """Check as `check_turns` does, and return the results of each executed step.

    Steps are executed until a fault is found.
    """
    with naming_case(case):
        return _examine(case, result, mode, options or CheckOptions(rules="bfcl"))


def _examine(case: Case, result: Any, mode: TurnMode, options: CheckOptions) -> Examination:
    scenario = scenario_of(case, options.environments)
    if not isinstance(result, list):
        reason = "there are no turns" if result is None else f"expected turns, got {shorten(result)}"
        return Examination(fault("multi_turn:inference_error", reason), [])
    rules = rule_set(options.rules, scenario.types)
    read = rules.reader(mode)
    turns = decode_turns(cast("list[Any]", result), mode, read)
    facts = OutputFacts(result, turns, len(case.reference.get("calls", [])), mode, read)
    for check in rules.output_checks:
        finding = check(facts)
        if finding is not None:
            return Examination(finding, [])
    return _check_turn_by_turn(scenario, turns, rules)


def _check_turn_by_turn(scenario: Scenario, turns: list[CallTurn], rules: RuleSet) -> Examination:
    """Execute and check the model's turns in order, until one has a fault.

    If a turn is undecided, so is the output, unless a later turn has a fault.
    """
    reference = reference_trajectory(scenario, rules.executor, rules.read_state)
    worlds = scenario.worlds()
    run = rules.executor(worlds, "model")
    allowance = Allowance()
    step_results: list[list[str]] = []
    results: list[str] = []
    overall_finding = PASSED
    for index, steps in enumerate(turns):
        checks = rules.turn_checks if reference[index].calls else rules.idle_turn_checks
        # Copies of all states take time; only the checks of idle turns need to know which call changed something.
        needs_tracker = any(steps) and checks and not reference[index].calls
        tracker = StateTracker(worlds, rules.read_state) if needs_tracker else None
        try:
            for step in steps:
                step_results.append(_execute_step(step, run, allowance, tracker))
                results += step_results[-1]
        except LimitExceededError as error:
            return Examination(fault("multi_turn:limit_exceeded", str(error), turn_index=index), step_results)
        changing_calls = tracker.changing_calls if tracker is not None else ()
        facts = TurnFacts(index, steps, results, reference, worlds, rules.read_state, changing_calls)
        # A fault ends the execution; an undecided turn only counts if no later turn has a fault.
        for finding in filter(None, (check(facts) for check in checks)):
            if finding.outcome != "undecided":
                return Examination(finding, step_results)
            if overall_finding is PASSED:
                overall_finding = finding
    return Examination(overall_finding, step_results)


def _execute_step(
    calls: list[str], run: Executor, allowance: Allowance, tracker: StateTracker | None
) -> list[str]:
    results: list[str] = []
    for call in calls:
        results.append(allowance.execute(call, run))
        if tracker is not None:
            tracker.note_change(call)
    return results


_NO_CALLS = StepOutcome()


def replay_turns(case: Case, output: Output, environments: Mapping[str, type]) -> Episode:
    """Execute the calls of an output in fresh worlds.

    Args:
        case: A case of kind ``multi_turn``.
        output: The system's output; without turns there is nothing to execute.
        environments: Custom environments, by class name, in addition to the built-in ones.

    Raises:
        InputError: The case names an environment that does not exist or does not take its configuration.
    """
    with naming_case(case):
        scenario = scenario_of(case, environments)
        worlds = scenario.worlds()
    read = rule_set("strict", scenario.types).reader(mode_of(output))
    run = direct_executor(worlds, "model")
    allowance = Allowance()

    def execute_step(step: AgentStep) -> StepOutcome:
        try:
            calls = read(step)
        except (DecodingError, RecursionError) as error:
            # A text that cannot be read as calls is a message.
            return _NO_CALLS if isinstance(step, str) else StepOutcome(problem=str(error))
        return _outcome_of(calls, run, allowance)

    return [[execute_step(step) for step in turn] for turn in output.agent_turns or []]


def _outcome_of(calls: list[str], run: Executor, allowance: Allowance) -> StepOutcome:
    results: list[str] = []
    try:
        results.extend(_execute_each(calls, run, allowance))  # keeps the results before an error
    except LimitExceededError as error:
        return StepOutcome(calls[: len(results)], results, str(error))
    return StepOutcome(calls, results)


def _execute_each(calls: list[str], run: Executor, allowance: Allowance) -> Iterator[str]:
    for call in calls:
        yield allowance.execute(call, run)
