"""Check executable calls: run them with the user's functions, and compare the results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

import msgspec

from ...errors import DecodingError, InputError
from ...records import Case, ExecutableReference, Output
from ...records.output import calls_made
from ...records.python_syntax import unparse
from ...records.typed_values import convert
from ..finding import PASSED, Finding, fault, plain, shorten, undecided
from ..options import CheckOptions, Rules
from ..pairing import first_unpairable, first_unpaired_greedily
from .call_texts import canonical_call, read_native, read_native_exactly, read_prompt, read_prompt_exactly
from .expressions import ForbiddenExpressionError, evaluate_arguments, parse
from .result_matching import Matcher, Mismatch, choose_matcher

Functions: TypeAlias = Mapping[str, Callable[..., Any]]
"""The user's functions, by dotted name."""


def called_name(text: str) -> str | None:
    """Return the dotted name of the function in a call text, or None if it is not a call."""
    try:
        node = parse(text)
    except (SyntaxError, ValueError, ForbiddenExpressionError):
        return None
    return unparse(node.func) if isinstance(node, ast.Call) else None


def run_call(text: str, functions: Functions) -> Any:
    """Execute one call; a returned tuple becomes a list, as JSON stores it.

    Raises:
        NameError: There is no such function.
        Exception: Any error of the function or of evaluating its arguments.
    """
    node = parse(text)
    if not isinstance(node, ast.Call):
        raise ForbiddenExpressionError("the text is not a call")
    name = unparse(node.func)
    if name not in functions:
        raise NameError(f"no function {name!r} is registered")
    positional_values, named_values = evaluate_arguments(node, _reject_nested_call)
    result = functions[name](*positional_values, **named_values)
    return list(cast("tuple[Any, ...]", result)) if isinstance(result, tuple) else result


def _reject_nested_call(node: ast.Call, _depth: int) -> NoReturn:
    raise ForbiddenExpressionError(f"an argument is a call, of {unparse(node.func)!r}")


class ExpectedResult(NamedTuple):
    """An expected call, its result, and how results of calls are compared with it."""

    call: str
    result: Any
    match: Matcher


class CallResult(NamedTuple):
    """A call of the output, and what it returned or raised."""

    call: str
    result: Any
    error: BaseException | None


class CannotExecuteError(Exception):
    """A call that decides the finding cannot be executed here."""


def check_executable_calls(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check calls, native or as text; undecided if a needed function is not registered."""
    reference = reference_of(case)
    is_single = _is_simple(case, reference)
    try:
        calls = _read_calls(output, options.rules)
    except DecodingError as error:
        return fault("executable_decoder:decoder_failed", str(error))
    if not calls:
        return fault("executable_decoder:wrong_output_format", "there is no call")
    if len(calls) != (count := len(reference.calls)):
        return fault(
            "simple_exec_checker:wrong_count" if is_single else "value_error:exec_result_count",
            f"expected {count} call{'' if count == 1 else 's'}, got {len(calls)}",
        )
    try:
        recorded_results = _recorded_results(reference)
        _require_tools(case, calls, options.functions, recorded_results)
        expectations = _expectations(reference, options, recorded_results)
    except CannotExecuteError as error:
        return undecided(str(error))
    outcomes = [_execute(call, options.functions, recorded_results) for call in calls]
    if is_single:
        return _check_single_call(expectations[0], outcomes[0])
    return _check_several_calls(expectations, outcomes, options.rules)


def validate_results(case: Case, _options: CheckOptions) -> None:
    """Refuse a case whose expected calls have no results; see `KindSpec.validate_reference`."""
    reference_of(case)


def reference_of(case: Case) -> ExecutableReference:
    """Return the expected calls of a case."""
    try:
        reference = convert(case.reference, ExecutableReference)
    except msgspec.ValidationError as error:
        raise InputError(f"case {case.id!r}: {error}", field="reference") from error
    call_count, results = len(reference.calls), reference.results
    listed_results = results if isinstance(results, list) else None
    if (
        call_count == 0
        or len(reference.match) < call_count
        or (listed_results is not None and len(listed_results) != call_count)
    ):
        raise InputError(
            f"case {case.id!r}: expected calls, and for each of them how it is matched (and, where recorded, its result)",
            field="reference",
        )
    return reference


def _read_calls(output: Output, rules: Rules) -> list[str]:
    if (calls := calls_made(output)) is not None:
        return (read_native_exactly if rules == "strict" else read_native)(calls)
    return (read_prompt_exactly if rules == "strict" else read_prompt)(output.text or "")


def _is_simple(case: Case, reference: ExecutableReference) -> bool:
    """Return whether BFCL checks the case as a single call, by its category."""
    category = str(case.tags.get("category") or case.id)
    return len(reference.calls) == 1 and "multiple" not in category and "parallel" not in category


def _recorded_results(reference: ExecutableReference) -> dict[str, Any]:
    results = reference.results or {}
    results_by_call = (
        results.items() if isinstance(results, dict) else zip(reference.calls, results, strict=True)
    )
    return {canonical_call(call): result for call, result in results_by_call}


def _require_tools(
    case: Case, calls: Sequence[str], functions: Functions, recorded_results: Mapping[str, Any]
) -> None:
    """Require that each called function is registered, or the result of the call recorded.

    Functions that were not offered are exempt: calling them is the system's fault.
    """
    offered = {tool["function"]["name"] for tool in case.tools}
    for call in calls:
        name = called_name(call)
        if name in offered and name not in functions and canonical_call(call) not in recorded_results:
            raise CannotExecuteError(
                f"no function {name!r} is registered, so the call of it cannot be executed"
            )


def _expectations(
    reference: ExecutableReference, options: CheckOptions, recorded_results: Mapping[str, Any]
) -> list[ExpectedResult]:
    results = [_expected_result(call, options.functions, recorded_results) for call in reference.calls]
    # BFCL's data has an entry with one match too many (exec_parallel_multiple_30).
    return [
        ExpectedResult(call, result, choose_matcher(match, options.rules))
        for call, result, match in zip(reference.calls, results, reference.match, strict=False)
    ]


def _expected_result(call: str, functions: Functions, recorded_results: Mapping[str, Any]) -> Any:
    """Return the recorded result of an expected call, or else execute it."""
    canonical = canonical_call(call)
    if canonical in recorded_results:
        return recorded_results[canonical]
    outcome = _execute(call, functions)
    if outcome.error is not None:
        raise CannotExecuteError(f"the expected call {shorten(call)} cannot be executed: {outcome.error}")
    return outcome.result


def _execute(
    call: str, functions: Functions, recorded_results: Mapping[str, Any] | None = None
) -> CallResult:
    """Run a call; if its function is not registered, use the recorded result."""
    if (
        recorded_results
        and called_name(call) not in functions
        and (canonical := canonical_call(call)) in recorded_results
    ):
        return CallResult(call, recorded_results[canonical], None)
    try:
        return CallResult(call, run_call(call, functions), None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any error is the result of the call
        return CallResult(call, None, error)


def _compare(expectation: ExpectedResult, outcome: CallResult) -> Mismatch | None:
    error = outcome.error
    if error is not None:
        return Mismatch("executable_checker:execution_error", f"{type(error).__name__}: {error}")
    return expectation.match(expectation.result, outcome.result)


def _check_single_call(expectation: ExpectedResult, outcome: CallResult) -> Finding:
    mismatch = _compare(expectation, outcome)
    if mismatch is None:
        return PASSED
    return fault(mismatch.error_type, f"{shorten(outcome.call)}: {mismatch.reason}", call=plain(outcome.call))


def _check_several_calls(
    expectations: Sequence[ExpectedResult], outcomes: Sequence[CallResult], rules: Rules
) -> Finding:
    mismatches = [[_compare(expectation, outcome) for outcome in outcomes] for expectation in expectations]
    matching_calls = [[call for call, mismatch in enumerate(row) if mismatch is None] for row in mismatches]
    unmatched_index = (
        first_unpairable(matching_calls) if rules == "strict" else first_unpaired_greedily(matching_calls)
    )
    if unmatched_index is None:
        return PASSED
    expectation = expectations[unmatched_index]
    return fault(
        "executable_checker:cannot_find_match",
        f"no call is left that gives what {shorten(expectation.call)} gives: {shorten(expectation.result)}",
        expected=plain(expectation.call),
        tried=[
            {"call": plain(outcome.call), "error_type": mismatch.error_type, "reason": mismatch.reason}
            for outcome, mismatch in zip(outcomes, mismatches[unmatched_index], strict=True)
            if mismatch is not None
        ],
    )
