"""All calls of an answer against the reference: BFCL's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..evidence import plain, shorten
from ..finding import PASSED, Finding, fault
from .call import check_call
from .expectation import Expectation, ExpectedCall
from .problem import Problem

CallCheck: TypeAlias = Callable[[dict[Any, Any], ExpectedCall], Problem | None]

_COUNT_ERRORS = {
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}


def check_decoded(decoded: Any, expectation: Expectation) -> Finding:
    """Check what a decoder made of a reply.

    Args:
        decoded: Its value, of any shape.
        expectation: What is expected.

    Returns:
        Valid, or the first problem found.
    """
    problem = check_format(decoded) or check_count(decoded, expectation)
    if problem is not None:
        return problem.finding
    if expectation.match == "parallel":
        return match_greedily(decoded, expectation.calls)
    problem = check_call(decoded[0], expectation.calls[0])
    return PASSED if problem is None else problem.finding


def is_call_list(decoded: Any) -> bool:
    """Whether a decoded value is a list of calls, ``{name: {argument: value}}`` each; an empty list is.

    Args:
        decoded: What a decoder gave.

    Returns:
        Whether it has that form.
    """
    if type(decoded) is not list:
        return False
    for call in decoded:
        if type(call) is not dict or len(call) != 1:
            return False
        for arguments in call.values():
            if type(arguments) is not dict:
                return False
    return True


def check_format(decoded: Any) -> Problem | None:
    """Whether a decoded value is a list of calls at all.

    Args:
        decoded: What a decoder gave.

    Returns:
        The problem, or None.
    """
    if is_call_list(decoded):
        return None
    sentence = "expected {expected}, got {got}"
    return Problem("ast_decoder:decoder_wrong_output_format", sentence, None, "a list of calls", decoded)


def check_count(calls: list[Any], expectation: Expectation) -> Problem | None:
    """Whether there are as many calls as expected.

    Args:
        calls: The decoded calls.
        expectation: What is expected.

    Returns:
        The problem, or None.
    """
    if len(calls) == expectation.count:
        return None
    sentence = "expected {expected} calls, got {got}"
    return Problem(_COUNT_ERRORS[expectation.match], sentence, None, expectation.count, len(calls))


def match_greedily(calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...]) -> Finding:
    """Give each expected call, in order, the first call that passes and is not taken; never take one back.

    Args:
        calls: As many calls as are expected.
        expected_calls: The expected calls.

    Returns:
        Valid, or the expected call that found no partner, with the problem of every call tried.
    """
    free = list(range(len(calls)))
    for expected in expected_calls:
        problems: list[tuple[int, Problem]] = []
        for index in free:
            problem = check_call(calls[index], expected)
            if problem is None:
                free.remove(index)
                break
            problems.append((index, problem))
        else:
            return no_partner(calls, expected, problems)
    return PASSED


def no_partner(
    calls: list[dict[Any, Any]], expected: ExpectedCall, problems: list[tuple[int, Problem]]
) -> Finding:
    """The finding when an expected call has no match.

    Args:
        calls: The decoded calls.
        expected: The expected call that none of them is.
        problems: Index of every call tried, and its problem.

    Returns:
        The finding.
    """
    tried = [
        {
            "call": plain(calls[index]),
            "error_type": problem.error_type,
            "reason": problem.reason,
            **problem.evidence,
        }
        for index, problem in problems
    ]
    wanted = {expected.reference_name: expected.reference}
    nearest = f"; nearest: {tried[0]['reason']}" if len(tried) == 1 else ""
    return fault(
        "parallel_function_checker_no_order:cannot_find_match",
        f"no call matches {shorten(wanted)}{nearest}",
        expected=wanted,
        sub_errors=tried,
    )
