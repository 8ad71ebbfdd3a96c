"""One call against one expected call: strict rules. The first problem is the result."""

from __future__ import annotations

from typing import Any, cast

from .call import missing_argument, unexpected_argument
from .expectation import Argument, ExpectedCall
from .problem import Problem
from .strict_values import check_value_strictly


def check_call_strictly(call: dict[Any, Any], expected: ExpectedCall) -> Problem | None:
    """Compare a call with an expected one.

    A documented name with dots may be written with underscores: some providers forbid dots, which is not the system's doing.

    Args:
        call: ``{name: {argument: value}}``.
        expected: What is expected.

    Returns:
        The first problem, or None.
    """
    name, given = next(iter(call.items()))
    if name not in expected.names:
        sentence = "called {got}, expected {expected}"
        return Problem("simple_function_checker:wrong_func_name", sentence, None, expected.name, name)
    for needed in (*expected.required, *expected.needed):
        if needed not in given:
            return missing_argument(needed, expected)
    for name, value in given.items():
        argument = expected.arguments.get(name)
        problem = (
            unexpected_argument(name, value, expected)
            if argument is None
            else _check_argument(value, argument, expected.language)
        )
        if problem is not None:
            return problem
    return None


def _check_argument(value: Any, argument: Argument, language: str) -> Problem | None:
    if argument.convert is None:
        return check_value_strictly(value, argument)
    if type(value) is not str:
        sentence = "argument {argument}: expected the source text of a value, got {got}"
        return Problem(f"type_error:{language}", sentence, argument.name, argument.declared, value)
    return check_value_strictly(_without_quotes(argument.convert(value)), argument)


def _without_quotes(value: Any) -> Any:
    """Java texts lose the quotes of source text, in arrays too: whether those come along depends on the way of calling."""
    if isinstance(value, str):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return [_without_quotes(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
