"""One call against one expected call: BFCL's rules. The first problem is the result."""

from __future__ import annotations

from typing import Any

from .expectation import Argument, ExpectedCall
from .problem import Problem
from .types import as_list, check_type
from .values import check_value


def check_call(call: dict[Any, Any], expected: ExpectedCall) -> Problem | None:
    """Compare a call with an expected one.

    Args:
        call: ``{name: {argument: value}}``.
        expected: What is expected.

    Returns:
        The first problem, or None.
    """
    if expected.name not in call:
        sentence = "called {got}, expected {expected}"
        return Problem(
            "simple_function_checker:wrong_func_name", sentence, None, expected.name, next(iter(call))
        )
    given: dict[Any, Any] = call[expected.name]
    for name in expected.required:
        if name not in given:
            return missing_argument(name, expected)
    for name, value in given.items():
        argument = expected.arguments.get(name)
        if argument is None:
            return unexpected_argument(name, value, expected)
        if type(value) is str and value in argument.verbatim:
            continue
        problem = _check_argument(value, argument, expected.language)
        if problem is not None:
            return problem
    for name in expected.needed:
        if name not in given:
            return missing_argument(name, expected)
    return None


def missing_argument(name: str, expected: ExpectedCall) -> Problem:
    """The problem with an argument that is not there.

    Args:
        name: The argument's name; the document requires it, or the reference does not let it be left out.
        expected: The expected call.

    Returns:
        The problem.
    """
    acceptable = expected.shown.get(name)
    if name in expected.required:
        sentence = "argument {argument} is required and missing"
        return Problem("simple_function_checker:missing_required", sentence, name, acceptable)
    sentence = "argument {argument} is missing, acceptable {expected}"
    return Problem("simple_function_checker:missing_optional", sentence, name, acceptable)


def unexpected_argument(name: Any, value: Any, expected: ExpectedCall) -> Problem:
    """The problem with an argument that is not documented, or that the reference does not have.

    Args:
        name: The argument's name; None for what had none.
        value: Its value.
        expected: The expected call.

    Returns:
        The problem.
    """
    if name in expected.documented:
        sentence = "argument {argument} should be left out, got {got}"
    else:
        sentence = "argument {argument} is not documented, known are {expected}; got {got}"
    known = sorted(expected.documented)
    return Problem("simple_function_checker:unexpected_param", sentence, name, known, value)


def _check_argument(value: Any, argument: Argument, language: str) -> Problem | None:
    if argument.convert is not None:
        if type(value) is not str:
            sentence = "argument {argument}: expected the source text of a value, got {got}"
            return Problem(f"type_error:{language}", sentence, argument.name, argument.declared, value)
        value = argument.convert(value)
    elif argument.declared == "tuple":
        value = as_list(value)
    elif type(value) is int and argument.python_type is float:
        value = _as_float(value)
    return check_type(value, argument) or check_value(value, argument)


def _as_float(value: int) -> float | int:
    try:
        return float(value)
    except OverflowError:
        # The original fails here without a verdict; the integer then is of the wrong type.
        return value
