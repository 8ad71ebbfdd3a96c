"""Episode: what came of an output's calls when they were executed in its case's worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class StepOutcome(NamedTuple):
    """What came of one step of an agent.

    Attributes:
        calls: The calls that were executed, as source text.
        results: What each returned, as the agent is shown it; an error's text where it failed.
        problem: Why calls of the step were not executed; None where all were, or there are none.
    """

    calls: Sequence[str] = ()
    results: Sequence[str] = ()
    problem: str | None = None


Episode: TypeAlias = Sequence[Sequence[StepOutcome]]
"""Outcomes by turn and by the agent's own steps in it, as ``Output.agent_turns`` has them."""
