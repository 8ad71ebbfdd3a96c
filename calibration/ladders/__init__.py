"""Ladders: at which level of difficulty a judge stops noticing; what to ask next, and what the answers come to."""

from .curve import CAUGHT, Answers, CurveFamily, next_levels
from .fit import LadderFit, Point, fit_ladder

__all__ = ["CAUGHT", "Answers", "CurveFamily", "LadderFit", "Point", "fit_ladder", "next_levels"]
