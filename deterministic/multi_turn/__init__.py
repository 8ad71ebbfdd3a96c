"""Multi-turn trajectories over simulated worlds: calls are executed, end states and results compared with the reference."""

from __future__ import annotations

from .trajectory import Mode, check_result, check_trajectory

__all__ = ["Mode", "check_result", "check_trajectory"]
