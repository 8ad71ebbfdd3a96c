"""Audits with a dial: at which level of difficulty a judge stops noticing faults, asked adaptively."""

from .results import LadderResult, Threshold
from .rounds import CALLS, Climb, Climbed, LadderSettings, even_round

__all__ = ["CALLS", "Climb", "Climbed", "LadderResult", "LadderSettings", "Threshold", "even_round"]
