"""Steps of a trajectory: what was asked in each turn, and the agent's steps, counted from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .case import Case, Message
from .output import AgentStep, Output, Step, ToolResults


class PlantedStep(NamedTuple):
    """Number of the step at which a trajectory goes wrong, and of all its steps."""

    step: int
    steps: int


def turns_asked(case: Case, output: Output) -> Sequence[Sequence[Message]]:
    """Return the messages that the agent was given, by turn."""
    return case.turns if output.asked is None else output.asked


def turns_done(output: Output) -> Sequence[Sequence[Step]]:
    """Return the steps by turn; of an output without turns, its calls and its text as one turn."""
    if output.turns is not None:
        return output.turns
    calls: list[AgentStep] = [output.tool_calls] if output.tool_calls else []
    return [calls if output.text is None else [*calls, output.text]]


def steps_by_turn(case: Case, output: Output) -> list[int]:
    """Count the agent's steps in each turn; a turn in which it did nothing counts as one."""
    done = turns_done(output)
    silent = max(0, len(turns_asked(case, output)) - len(done))
    return [*(_steps_in(turn) for turn in done), *([1] * silent)]


def _steps_in(turn: Sequence[Step]) -> int:
    return sum(not isinstance(step, ToolResults) for step in turn) if turn else 1


def planted_step(case: Case, right: Output, faulty: Output) -> PlantedStep | None:
    """Return the first step in which a faulty output differs from the right one.

    Where something was left out, it is the last step of that turn: there the agent stopped too early. None where no step differs.
    """
    kept = [_agents(turn) for turn in turns_done(right)]
    done = [_agents(turn) for turn in turns_done(faulty)]
    counts = steps_by_turn(case, faulty)
    for turn, count in enumerate(counts):
        wanted = kept[turn] if turn < len(kept) else []
        made = done[turn] if turn < len(done) else []
        if wanted != made:
            same = _alike(wanted, made)
            return PlantedStep(sum(counts[:turn]) + min(same, count - 1) + 1, sum(counts))
    return None


def _alike(some: Sequence[AgentStep], others: Sequence[AgentStep]) -> int:
    """Return how many steps are equal at the beginning."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(some), len(others)))


def _agents(turn: Sequence[Step]) -> list[AgentStep]:
    return [step for step in turn if not isinstance(step, ToolResults)]
