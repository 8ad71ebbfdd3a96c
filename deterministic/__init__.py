"""Deterministic checkers: a Case and an Output in, a Verdict out; no model, no network.

Modules are imported when a name is first used, since checking native calls needs no text parsers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checkers import Checker, check, checker_for
    from .custom_checkers import OwnChecker, checker
    from .finding import PASSED, Finding, fault, undecided
    from .options import CheckOptions, NameStyle, Rules
    from .stored_results import CallMode, check_result

_NAMES = {
    "checkers": "Checker check checker_for",
    "custom_checkers": "OwnChecker checker",
    "finding": "PASSED Finding fault undecided",
    "options": "CheckOptions NameStyle Rules",
    "stored_results": "CallMode check_result",
}
"""Public names by module."""

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


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _NAMES.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
