"""Audits with a dial: at which level of difficulty a judge stops noticing faults, asked adaptively."""

from .climb import CALLS, Climb, Climbed, LadderSettings, even_round
from .ladder_results import LadderResult, Threshold

__all__ = ["CALLS", "Climb", "Climbed", "LadderResult", "LadderSettings", "Threshold", "even_round"]
