"""Whether a JSON value is an object or a list, said so that the type checker understands."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an object."""
    return isinstance(value, dict)


def is_arguments(value: Any) -> TypeGuard[dict[str, Any] | str]:
    """Whether a value can be a call's arguments: an object, or its JSON text."""
    return isinstance(value, dict | str)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)
