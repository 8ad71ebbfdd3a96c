"""Deterministic checkers: a Case and an Output in, a Verdict out; no model, no network."""

from .checkers import Checker, check, checker_for
from .custom_checkers import OwnChecker, checker
from .finding import PASSED, Finding, fault, undecided
from .options import CheckOptions, NameStyle, Rules
from .stored_results import CallMode, check_result

__all__ = [
    "PASSED",
    "CallMode",
    "CheckOptions",
    "Checker",
    "Finding",
    "NameStyle",
    "OwnChecker",
    "Rules",
    "check",
    "check_result",
    "checker",
    "checker_for",
    "fault",
    "undecided",
]
