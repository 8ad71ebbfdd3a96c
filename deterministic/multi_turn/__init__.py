"""Multi-turn trajectories: execute calls in simulated worlds and compare with the reference.

End states and results are compared.
"""

from __future__ import annotations

from .trajectory import TurnMode, check_result, check_trajectory

__all__ = ["TurnMode", "check_result", "check_trajectory"]
