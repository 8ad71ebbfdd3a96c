"""Multi-turn trajectories: execute calls in simulated worlds, compare states and results."""

from __future__ import annotations

from .trajectory import TurnMode, check_trajectory, check_turns

__all__ = ["TurnMode", "check_trajectory", "check_turns"]
