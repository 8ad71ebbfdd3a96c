"""Which call is which expected call, when their order is free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..finding import PASSED, Finding, fault
from ..pairing import Pairing
from .expectation import ExpectedCall
from .problem import Problem

CallCheck: TypeAlias = Callable[[dict[Any, Any], ExpectedCall], Problem | None]
"""Compares one call with one expected call."""

WRONG_ORDER = "call_order:wrong_order"
"""What is wrong with right calls that do not come in the order in which they have to."""


def match_greedily(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Match calls by BFCL's rule: each expected call takes the first free call that passes.

    Expected calls go in order, and no choice is revised.

    That can reject right calls, when an early expected call takes the call that only a later one could use.
    """
    free = list(range(len(calls)))
    for expected in expected_calls:
        problems: list[tuple[int, Problem]] = []
        for index in free:
            problem = check(calls[index], expected)
            if problem is None:
                free.remove(index)
                break
            problems.append((index, problem))
        else:
            return _no_partner(expected, problems)
    return PASSED


def match_best(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Strict rule: valid when there is any way to give each expected call a call of its own.

    Else the first expected call that cannot be served beside those before it, with the problems of the calls that are not it.
    """
    pairing = Pairing()
    for expected in expected_calls:
        problems = [(index, check(call, expected)) for index, call in enumerate(calls)]
        if not pairing.add([index for index, problem in problems if problem is None]):
            failed = [(index, problem) for index, problem in problems if problem is not None]
            return _no_partner(expected, failed)
    return PASSED


def match_in_order(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Match each call with the expected call at its place.

    Right calls in the wrong order are reported as such.
    """
    for number, (call, expected) in enumerate(zip(calls, expected_calls, strict=True), start=1):
        problem = check(call, expected)
        if problem is None:
            continue
        if match_best(calls, expected_calls, check).valid:
            names = ", ".join(each.name for each in expected_calls)
            return fault(WRONG_ORDER, f"the right calls in the wrong order; expected {names}")
        return fault(problem.error_type, f"call {number}: {problem.reason}", **problem.evidence)
    return PASSED


def _no_partner(expected: ExpectedCall, problems: list[tuple[int, Problem]]) -> Finding:
    tried = [
        {"call": index, "error_type": problem.error_type, **problem.evidence} for index, problem in problems
    ]
    nearest = max(problems, key=_nearness, default=None)
    hint = "" if nearest is None else f"; nearest is call {nearest[0] + 1}: {nearest[1].reason}"
    return fault(
        "parallel_function_checker_no_order:cannot_find_match",
        f"no call left matches an expected call of {expected.name}{hint}",
        expected=expected.written,
        sub_errors=tried,
    )


def _nearness(tried: tuple[int, Problem]) -> bool:
    return tried[1].error_type != "simple_function_checker:wrong_func_name"
