"""Check tool calls: decode them, match them with the expected calls, and compare."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias, cast

from ...errors import DecodingError, InputError
from ...records import Case, Output, TextRule, ToolCallReference
from ...records.output import calls_made
from ...records.typed_values import convert
from ..decoding.call_attempts import attempts_call, possible_names
from ..decoding.replies import asked_form, decode_output
from ..finding import PASSED, Finding, fault, undecided
from ..options import CheckOptions, NameStyle
from ..pairing import Pairing
from .expectation import Expectation, ExpectedCall, compile_expectation
from .problem import Problem
from .strict_rules import check_call_strictly

CallCheck: TypeAlias = Callable[[dict[Any, Any], ExpectedCall], Problem | None]
"""Compares one call with one expected call."""

WRONG_ORDER = "call_order:wrong_order"
"""Error type of right calls in the wrong order."""


def match_greedily(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Match calls by BFCL's rule: each expected call takes the first free call that passes.

    Right calls can be rejected: an early expected call may take the only call that matches a later one.
    """
    free_calls = list(range(len(calls)))
    for expected in expected_calls:
        problems: list[_MismatchedCall] = []
        for index in free_calls:
            problem = check(calls[index], expected)
            if problem is None:
                free_calls.remove(index)
                break
            problems.append(_MismatchedCall(index, problem))
        else:
            return _no_match_finding(expected, problems)
    return PASSED


def match_best(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Match calls by the strict rule: each expected call needs a matching call of its own.

    If no such matching exists, the fault is the first expected call that cannot be matched along with the previous ones, with the
    problems of all calls that do not match it. If a matching needs calls that are undecided, so is the finding.
    """
    # Two matchings: one in which undecided calls count as matching, and one in which they do not.
    possible_pairs, certain_pairs = Pairing(), Pairing()
    all_certain, first_undecided = True, None
    for expected in expected_calls:
        problems = [check(call, expected) for call in calls]
        possible_calls = [
            index for index, problem in enumerate(problems) if problem is None or problem.undecided
        ]
        if not possible_pairs.add(possible_calls):
            mismatches = [
                _MismatchedCall(index, problem)
                for index, problem in enumerate(problems)
                if problem and not problem.undecided
            ]
            return _no_match_finding(expected, mismatches)
        right_calls = [index for index in possible_calls if problems[index] is None]
        all_certain = all_certain and certain_pairs.add(right_calls)
        if len(right_calls) < len(possible_calls):
            first_undecided = first_undecided or next(
                problem for problem in problems if problem and problem.undecided
            )
    return PASSED if all_certain or first_undecided is None else first_undecided.finding


def match_in_order(
    calls: list[dict[Any, Any]], expected_calls: tuple[ExpectedCall, ...], check: CallCheck
) -> Finding:
    """Match each call with the expected call at its position.

    Right calls in the wrong order are reported as such.
    """
    first_undecided = None
    for position, (call, expected) in enumerate(zip(calls, expected_calls, strict=True), start=1):
        problem = check(call, expected)
        if problem is None:
            continue
        if problem.undecided:
            first_undecided = first_undecided or problem
            continue
        if match_best(calls, expected_calls, check).valid:
            names = ", ".join(expected_call.name for expected_call in expected_calls)
            return fault(WRONG_ORDER, f"the right calls in the wrong order; expected {names}")
        return fault(problem.error_type, f"call {position}: {problem.reason}", **problem.evidence)
    return PASSED if first_undecided is None else first_undecided.finding


class _MismatchedCall(NamedTuple):
    """Call that does not match an expected one: its number, counted from 0, and the problem."""

    number: int
    problem: Problem


def _no_match_finding(expected: ExpectedCall, mismatches: list[_MismatchedCall]) -> Finding:
    sub_errors = [
        {"call": number, "error_type": problem.error_type, **problem.evidence}
        for number, problem in mismatches
    ]
    # A call of the right function is nearer than any other.
    nearest_mismatch = max(mismatches, key=_has_right_name, default=None)
    hint = (
        ""
        if nearest_mismatch is None
        else f"; nearest is call {nearest_mismatch.number + 1}: {nearest_mismatch.problem.reason}"
    )
    return fault(
        "parallel_function_checker_no_order:cannot_find_match",
        f"no call left matches an expected call of {expected.name}{hint}",
        expected=expected.written,
        sub_errors=sub_errors,
    )


def _has_right_name(mismatch: _MismatchedCall) -> bool:
    return mismatch.problem.error_type != "simple_function_checker:wrong_func_name"


_COUNT_ERRORS = {
    "auto": "simple_function_checker:wrong_count",
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}
"""BFCL's error types of a wrong number of calls, by match mode."""


def check_decoded(
    decoded: Any, expectation: Expectation, *, strictly: bool = False, text: TextRule | None = None
) -> Finding:
    """Check decoded calls by BFCL's rules, or by strict ones with the run's rule for texts."""
    check = _strict_check(text) if strictly else _bfcl_check()
    problem = check_format(decoded) or check_count(decoded, expectation)
    if problem is not None:
        return problem.finding
    if expectation.ordered and expectation.count > 1:
        return match_in_order(decoded, expectation.calls, check)
    # "parallel" is a mode of BFCL's data; several calls of other data are always matched best.
    if expectation.match == "parallel":
        match = match_best if strictly else match_greedily
        return match(decoded, expectation.calls, check)
    if expectation.count > 1:
        return match_best(decoded, expectation.calls, check)
    problem = check(decoded[0], expectation.calls[0])
    return PASSED if problem is None else problem.finding


@cache
def _strict_check(text: TextRule | None) -> CallCheck:
    return check_call_strictly if text is None else partial(check_call_strictly, text=text)


@cache  # an import statement for each output would take half as long as checking it
def _bfcl_check() -> CallCheck:
    from .bfcl_rules import check_call  # noqa: PLC0415 - most cases are checked strictly

    return check_call


def is_call_list(decoded: Any) -> bool:
    """Return whether a value is a list (maybe empty) of calls ``{name: {argument: value}}``."""
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
    """Return the problem of a decoded value that is not a list of calls."""
    if is_call_list(decoded):
        return None
    sentence = "expected {expected}, got {got}"
    return Problem("ast_decoder:decoder_wrong_output_format", sentence, None, "a list of calls", decoded)


def check_count(calls: list[Any], expectation: Expectation) -> Problem | None:
    """Return the problem of too many or too few calls."""
    if len(calls) == expectation.count:
        return None
    match = "parallel" if expectation.match == "auto" and expectation.count > 1 else expectation.match
    sentence = f"expected {{expected}} call{'' if expectation.count == 1 else 's'}, got {{got}}"
    return Problem(_COUNT_ERRORS[match], sentence, None, expectation.count, len(calls))


_expectations: dict[tuple[int, NameStyle], tuple[weakref.ref[Case], Expectation]] = {}


def expectation_of(case: Case, names: NameStyle) -> Expectation:
    """Return the compiled reference of a case, cached as long as the case exists.

    Compiling takes longer than a lookup, and many systems answer the same case.

    Raises:
        InputError: The reference cannot be used.
    """
    key = (id(case), names)
    entry = _expectations.get(key)
    if entry is None:
        reference = convert(case.reference, ToolCallReference)
        # The entry is dropped with its case, before another case can have the same id.
        case_reference = weakref.ref(case, lambda _: _expectations.pop(key, None))
        entry = _expectations[key] = (case_reference, compile_expectation(reference, case.tools, names))
    return entry[1]


def check_tool_calls(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check an output's tool calls against the reference.

    The calls are the native ones if the output has that field, else those in its text.
    """
    try:
        decoded = decode_output(output, asked_form(case), strictly=options.rules == "strict")
    except DecodingError as error:
        return decoding_fault(error, case, None if calls_made(output) is not None else output.text)
    return check_case(case, decoded, options)


def check_case(case: Case, decoded: Any, options: CheckOptions) -> Finding:
    """Check decoded calls against a case.

    If the case itself cannot be used, the finding is undecided; BFCL raises an error there.
    """
    try:
        expectation = expectation_of(case, options.names)
    except InputError as error:
        return undecided(f"the case cannot be checked: {error}")
    return check_decoded(decoded, expectation, strictly=options.rules == "strict", text=options.text)


def decoding_fault(error: DecodingError, case: Case, reply: object) -> Finding:
    """Return the finding for a reply that cannot be read as calls, which is the system's fault."""
    if isinstance(reply, str) and not _has_call(reply, case):
        return fault("ast_decoder:decoder_failed", "no call: the reply is text")
    return fault("ast_decoder:decoder_failed", f"the call cannot be read: {error}")


def _has_call(reply: str, case: Case) -> bool:
    if "(" not in reply:  # no name is followed by a parenthesis, so the names are not needed
        return attempts_call(reply, ())
    names = possible_names(tool["function"]["name"] for tool in case.tools)
    return attempts_call(reply, names) or any(f"{name}(" in reply for name in names)
