"""Agents at work on challenges: workspaces laid out, agents run on them, what they left checked and reported."""

from .attempts import AgentPlan, AgentRun, run_agents
from .outcome import ArtifactOutcome, conclude_artifacts
from .workspaces import OUTPUTS, lay_out, prepare

__all__ = [
    "OUTPUTS",
    "AgentPlan",
    "AgentRun",
    "ArtifactOutcome",
    "conclude_artifacts",
    "lay_out",
    "prepare",
    "run_agents",
]
