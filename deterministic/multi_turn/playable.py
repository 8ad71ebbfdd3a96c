"""Check that a case's environments have the functions that its reference calls.

Otherwise these calls fail in the reference, and no system can pass.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import lru_cache

from ...errors import InputError
from ...records import Case, MultiTurnReference, nearest
from ...records.typed_values import convert
from ..execution.expressions import parse
from ..finding import shorten
from ..options import CheckOptions
from .worlds import environment_types, naming_case, public_methods


def validate_turns(case: Case, options: CheckOptions) -> None:
    """Refuse a case that its environments cannot execute; see `KindSpec.validate_reference`."""
    require_playable(case, options.environments)


def require_playable(case: Case, environments: Mapping[str, type]) -> None:
    """Refuse a case whose reference calls functions that its environments do not have.

    Entries that BFCL has retired make such calls, so they are not checked.

    Raises:
        InputError: An environment, function or argument does not exist; ``field`` says where it is named.
    """
    reference = convert(case.reference, MultiTurnReference)
    with naming_case(case):
        functions = _signatures_by_name(environment_types(reference.classes, environments))
        if case.tags.get("group") == "retired":
            return
        for turn, calls in enumerate(reference.calls):
            for number, text in enumerate(calls):
                problem = _find_problem(text, functions)
                if problem is not None:
                    raise InputError(problem, field=f"reference.calls[{turn}][{number}]")


@lru_cache(maxsize=256)
def _signatures_by_name(types: tuple[type, ...]) -> dict[str, inspect.Signature | None]:
    """Return each function's signature without ``self``, or None if it is unknown."""
    return {name: _signature(type_, name) for type_ in types for name in public_methods(type_)}


def _signature(environment: type, name: str) -> inspect.Signature | None:
    function = getattr(environment, name)
    try:
        signature = inspect.signature(function)
    except ValueError:  # built in
        return None
    if isinstance(inspect.getattr_static(environment, name), staticmethod) or inspect.ismethod(function):
        return signature
    return signature.replace(parameters=list(signature.parameters.values())[1:])  # without self


def _find_problem(text: str, functions: Mapping[str, inspect.Signature | None]) -> str | None:
    try:
        tree = parse(text)
    except Exception as error:  # noqa: BLE001 - a case may contain any text
        return f"expected a call as source text, got {shorten(text)}: {error}"
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if not calls:
        return f"expected a call as source text, got {shorten(text)}"
    return next(filter(None, (_find_call_problem(call, functions) for call in calls)), None)


def _find_call_problem(call: ast.Call, functions: Mapping[str, inspect.Signature | None]) -> str | None:
    name = ast.unparse(call.func)
    if name not in functions:
        return f"no world of the case has a function {shorten(name)}{nearest(name, functions)}"
    signature = functions[name]
    unpacked = any(isinstance(argument, ast.Starred) for argument in call.args)
    # The number of unpacked arguments is known only when the call is executed.
    if signature is None or unpacked or not all(keyword.arg for keyword in call.keywords):
        return None
    try:
        # Any values do: only the number and names of the arguments are checked.
        signature.bind(*call.args, **{str(keyword.arg): None for keyword in call.keywords})
    except TypeError as error:
        return f"{name}: {error}"
    return None
