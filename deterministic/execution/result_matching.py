"""Compare results with the expected ones: exactly, within a fifth, or by structure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, cast

from ...records import ExecutionMatch
from ..finding import shorten
from ..options import Rules

TOLERANCE = 0.2
"""Relative error allowed for values that change over time (prices, weather)."""


class Mismatch(NamedTuple):
    """Error type and reason of a wrong result."""

    error_type: str
    reason: str


Matcher: TypeAlias = Callable[[Any, Any], Mismatch | None]
"""Compares the expected result with the actual one, and returns None if they match."""


def match_exactly(expected: Any, actual: Any) -> Mismatch | None:
    """Check that the results are equal."""
    try:
        are_equal = bool(expected == actual)
    except Exception:  # noqa: BLE001 - some types, such as arrays, have no truth value of equality
        are_equal = False
    if are_equal:
        return None
    return Mismatch("executable_checker:wrong_result", f"expected {shorten(expected)}, got {shorten(actual)}")


def match_in_range(expected: Any, actual: Any) -> Mismatch | None:
    """Check that a number lies between 0.8 and 1.2 times the expected one.

    As in BFCL, no number matches a negative one; `match_nearly` corrects that.
    """
    are_numbers = type(expected) in (int, float) and type(actual) in (int, float)
    return _match_numbers(
        expected,
        actual,
        lambda: are_numbers and (1 - TOLERANCE) * expected <= actual <= (1 + TOLERANCE) * expected,
    )


def match_nearly(expected: Any, actual: Any) -> Mismatch | None:
    """Check that a number is off by at most a fifth of the expected one's size."""
    are_numbers = _is_number(expected) and _is_number(actual)
    return _match_numbers(
        expected,
        actual,
        lambda: are_numbers and bool(abs(actual - expected) <= TOLERANCE * abs(expected) < math.inf),
    )


def match_structure(expected: Any, actual: Any) -> Mismatch | None:
    """Check that types, dict keys and list lengths are equal; values are not compared."""
    error_type = "executable_checker:wrong_result_type"
    if type(expected) is not type(actual):
        return Mismatch(error_type, f"expected a {type(expected).__name__}, got {shorten(actual)}")
    if isinstance(expected, dict):
        return _match_keys(cast("Mapping[Any, Any]", expected), cast("Mapping[Any, Any]", actual), error_type)
    if isinstance(expected, list):
        expected_length, length = len(cast("list[Any]", expected)), len(actual)
        if length != expected_length:
            return Mismatch(f"{error_type}:list_length", f"expected {expected_length} items, got {length}")
    return None


def choose_matcher(kind: ExecutionMatch, rules: Rules) -> Matcher:
    """Return the comparison for a kind of match that a reference states."""
    name = kind.removesuffix("_match")
    if name == "exact":
        return match_exactly
    if name == "structural":
        return match_structure
    return match_nearly if rules == "strict" else match_in_range


def _match_keys(expected: Mapping[Any, Any], actual: Mapping[Any, Any], error_type: str) -> Mismatch | None:
    for key in expected:
        if key not in actual:
            return Mismatch(f"{error_type}:dict_key_not_found", f"the key {shorten(key)} is missing")
    for key in actual:
        if key not in expected:
            return Mismatch(f"{error_type}:dict_extra_key", f"the key {shorten(key)} is not expected")
    return None


def _is_number(value: Any) -> bool:
    """Return whether a value is a real number, also numpy's, but not a boolean."""
    return isinstance(value, int | float | Real) and type(value) is not bool


def _match_numbers(expected: Any, actual: Any, is_near: Callable[[], bool]) -> Mismatch | None:
    """Return None if ``is_near()``, which is called here since it may overflow."""
    try:
        if is_near():
            return None
    except OverflowError:
        # An integer beyond the range of floats is near to no number.
        pass
    return Mismatch(
        "executable_checker:wrong_result_real_time",
        f"expected a number within {TOLERANCE:.0%} of {shorten(expected)}, got {shorten(actual)}",
    )
