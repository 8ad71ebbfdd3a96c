"""Is a value of the type that the document states? BFCL's rules."""

from __future__ import annotations

from typing import Any, cast

from .expectation import Argument
from .problem import Problem


def check_type(value: object, argument: Argument) -> Problem | None:
    """Whether a value's type is the declared one, or that of the first acceptable value.

    Types are compared exactly: a bool is no int, an int no float. Items are checked one level deep, against any one of
    the acceptable lists; an acceptable value that is no list (the marker of an optional argument) lets all items pass.

    Args:
        value: What came, converted from source text where the language needs it.
        argument: What is expected.

    Returns:
        The problem, or None.
    """
    kind = type(value)
    if kind is argument.python_type:
        if argument.inner is None or _items_pass(cast("list[Any]", value), argument):
            return None
        if kind is argument.first_type:
            sentence = "argument {argument}: items of the wrong type in {got}, acceptable {expected}"
            return Problem("type_error:nested", sentence, argument.name, argument.shown, value)
    elif kind is argument.first_type:
        return None
    sentence = "argument {argument}: expected a value of type {expected}, got {got}"
    return Problem("type_error:simple", sentence, argument.name, argument.declared, value)


def as_list(value: Any) -> Any:
    """A tuple as a list; anything else as it is.

    Args:
        value: A value for an argument that is documented as a tuple.

    Returns:
        The value to compare.
    """
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _items_pass(value: list[Any], argument: Argument) -> bool:
    return any(
        type(acceptable) is not list or all(_item_passes(item, acceptable, argument.inner) for item in value)
        for acceptable in argument.acceptable
    )


def _item_passes(item: Any, acceptable: list[Any], inner: type | None) -> bool:
    """An item is of the inner type, or of the type of the first item that is not ``""`` in the acceptable list."""
    if type(item) is inner:
        return True
    return type(item) is next((type(cast("object", value)) for value in acceptable if value != ""), None)
