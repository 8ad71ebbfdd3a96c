"""Decoded calls as source text, the form in which trajectories are stored and executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from ...errors import DecodingError


def native_call_texts(calls: Iterable[Mapping[Any, Any]]) -> list[str]:
    """Native calls as the original writes them: ``name(k=1,k2='x')``.

    Args:
        calls: One ``{name: {argument: value}}`` per call.

    Returns:
        One text per call.

    Raises:
        DecodingError: The arguments of a call are no object.
    """
    return [
        f"{name}({_arguments(arguments, repr, ',')})" for call in calls for name, arguments in call.items()
    ]


def prompt_call_texts(calls: Iterable[Mapping[Any, Any]]) -> list[str]:
    """Calls that were decoded from text as the original writes them: ``name(k=1, k2='x')``.

    Args:
        calls: One ``{name: {argument: value}}`` per call.

    Returns:
        One text per call.

    Raises:
        DecodingError: An argument is an empty dict, of which the original makes nothing.
    """
    return [
        f"{name}({_arguments(arguments, _value, ', ')})" for call in calls for name, arguments in call.items()
    ]


def _arguments(arguments: Any, write: Callable[[Any], str], separator: str) -> str:
    if not isinstance(arguments, dict):
        raise DecodingError(f"expected named arguments, got {type(arguments).__name__}")
    named = cast("dict[Any, Any]", arguments)
    return separator.join(f"{name}={write(value)}" for name, value in named.items())


def _value(value: Any) -> str:
    """A value's text; a dict of nothing but dicts is what the decoder makes of a nested call, and taken for one."""
    if not isinstance(value, dict):
        return repr(value)
    items = cast("dict[Any, Any]", value)
    if not items:
        raise DecodingError("an empty dict as an argument cannot be told from a nested call without a name")
    if all(isinstance(item, dict) for item in items.values()):
        name, arguments = next(iter(items.items()))
        return f"{name}({_arguments(arguments, _value, ', ')})"
    return "{" + ", ".join(f"'{key}': {_value(item)}" for key, item in items.items()) + "}"
