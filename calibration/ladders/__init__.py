"""Ladders: find the difficulty at which a judge stops noticing faults.

Choose the next questions and fit a curve to the answers.
"""

from .curve import CAUGHT, CurveFamily, LadderAnswers, next_levels
from .fit import LadderFit, Point, fit_ladder

__all__ = ["CAUGHT", "CurveFamily", "LadderAnswers", "LadderFit", "Point", "fit_ladder", "next_levels"]
