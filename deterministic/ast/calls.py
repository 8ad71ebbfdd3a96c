"""All calls of an answer against the reference."""

from __future__ import annotations

from typing import Any, cast

from ..finding import PASSED, Finding
from .call import check_call
from .expectation import Expectation
from .matching import CallCheck, Matching, match_best, match_greedily, match_in_order
from .problem import Problem
from .strict_call import check_call_strictly

_COUNT_ERRORS = {
    "auto": "simple_function_checker:wrong_count",
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}


def check_decoded(decoded: Any, expectation: Expectation) -> Finding:
    """Check what a decoder made of a reply, by BFCL's rules.

    Args:
        decoded: Its value, of any shape.
        expectation: What is expected.

    Returns:
        Valid, or the first problem found.
    """
    return _check(decoded, expectation, check_call, match_greedily)


def check_decoded_strictly(decoded: Any, expectation: Expectation) -> Finding:
    """Check what a decoder made of a reply, by strict rules.

    Args:
        decoded: Its value, of any shape.
        expectation: What is expected.

    Returns:
        Valid, or the first problem found.
    """
    return _check(decoded, expectation, check_call_strictly, match_best)


def _check(decoded: Any, expectation: Expectation, check: CallCheck, match: Matching) -> Finding:
    problem = check_format(decoded) or check_count(decoded, expectation)
    if problem is not None:
        return problem.finding
    if expectation.ordered and expectation.count > 1:
        return match_in_order(decoded, expectation.calls, check)
    if expectation.match == "parallel":
        return match(decoded, expectation.calls, check)
    if expectation.count > 1:
        return match_best(decoded, expectation.calls, check)
    problem = check(decoded[0], expectation.calls[0])
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
    for call in cast("list[dict[Any, Any]]", decoded):
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
    match = "parallel" if expectation.match == "auto" and expectation.count > 1 else expectation.match
    sentence = "expected {expected} calls, got {got}"
    return Problem(_COUNT_ERRORS[match], sentence, None, expectation.count, len(calls))
