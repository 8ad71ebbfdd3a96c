"""Deterministic checkers: a Case and an Output in, a Verdict out; no model, no network."""

from .checkers import Checker, check, checker_for
from .custom_checkers import OwnChecker, checker
from .finding import PASSED, Finding, fault, undecided
from .options import CheckOptions, Names, Rules
from .stored_results import Mode, check_result

__all__ = [
    "PASSED",
    "CheckOptions",
    "Checker",
    "Finding",
    "Mode",
    "Names",
    "OwnChecker",
    "Rules",
    "check",
    "check_result",
    "checker",
    "checker_for",
    "fault",
    "undecided",
]
