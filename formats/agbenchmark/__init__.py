"""agbenchmark: challenges as Cases, and verdicts as its report."""

from .challenges import read_challenges
from .report_json import ChallengeResult, report_of

__all__ = ["ChallengeResult", "read_challenges", "report_of"]
