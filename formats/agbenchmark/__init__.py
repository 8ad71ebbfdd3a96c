"""agbenchmark: challenges as Cases, and verdicts as its report."""

from .challenges import read_challenges
from .report_json import Attempt, report_of

__all__ = ["Attempt", "read_challenges", "report_of"]
