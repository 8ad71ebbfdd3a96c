"""Checks of callers' arguments: types, unknown names, choices, and ranges of numbers.

Messages name settings as the surface that runs does.
"""

from __future__ import annotations

import ast
import math
import os
import re
import reprlib
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import lru_cache, wraps
from inspect import Parameter, iscoroutine, signature, unwrap
from numbers import Integral, Real
from types import FrameType
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

from ..errors import UsageError
from ..records import nearest
from ..spelling import setting
from ..tables.grades import require_chosen_scores
from ..tables.named_columns import require_chosen_columns
from .callers import CallingLine, caller_known

_PACKAGE = __name__.removesuffix("api.argument_checks")

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

Ends = Literal["neither", "low", "high", "both"]
"""Ends that a range includes."""

_RANGE_WORDS: Mapping[Ends, str] = {
    "neither": "above {} and below {}",
    "low": "from {} and below {}",
    "high": "above {} and at most {}",
    "both": "from {} to {}",
}


class _DeclaredType(NamedTuple):
    """Type that an annotation declares.

    Attributes:
        words: Description in messages; empty for None.
        accepts: Function that tells whether a value is of this type.
    """

    words: str
    accepts: Callable[[Any], bool]


class _CheckedType(NamedTuple):
    """Type whose values are checked: its name in messages, the plural, and its classes."""

    singular: str
    plural: str
    classes: tuple[type, ...]


_CHECKED_TYPES: Mapping[str, _CheckedType] = {
    "str": _CheckedType("a text", "texts", (str,)),
    "bool": _CheckedType("True or False", "booleans", (bool,)),
    "int": _CheckedType("a whole number", "whole numbers", (Integral,)),
    "float": _CheckedType("a number", "numbers", (Real,)),
    "FilePath": _CheckedType("a path", "paths", (str, os.PathLike)),
}
"""Types that are checked, by their names in annotations."""


_SECRET_ARGUMENTS = frozenset({"api_key", "connection", "endpoints", "environment"})
"""Arguments that may hold keys, which no message shows."""


def checked_arguments(function: F) -> F:
    """Refuse unknown arguments, and arguments of another type than a function declares.

    Numbers, texts, paths, and lists and mappings of these are checked; other types are not. Warnings of the call point at its caller.
    """
    return hinting_arguments({})(function)


def hinting_arguments(hints: Mapping[str, str]) -> Callable[[F], F]:
    """Check arguments like `checked_arguments`, with hints on unknown ones by name."""

    def check_arguments(function: F) -> F:
        annotations = function.__annotations__
        parameters = list(signature(function).parameters)

        @wraps(function)
        def checked_function(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # so that pytest shows the line of a test, not this one
            if not kwargs.keys() <= annotations.keys():
                require_known(checked_function.__name__, kwargs, known_arguments(function), hints)
            _require_types({**dict(zip(parameters, args, strict=False)), **kwargs}, annotations)
            if _is_internal(sys._getframe(1)):  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the public call around it knows the caller
                return function(*args, **kwargs)
            with caller_known() as calling_line:
                returned = function(*args, **kwargs)
            return _in_callers_context(returned, calling_line) if iscoroutine(returned) else returned

        return cast("F", checked_function)

    return check_arguments


def _is_internal(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(_PACKAGE)


async def _in_callers_context(work: Coroutine[Any, Any, T], line: CallingLine) -> T:
    with caller_known(line):
        return await work


def known_arguments(function: Callable[..., Any]) -> list[str] | None:
    """Return the names of a function's arguments, or None if it takes arguments of any name.

    They include the keys of a TypedDict that the function unpacks.
    """
    names: list[str] = []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is not Parameter.VAR_KEYWORD:
            names.append(name)
            continue
        typed_dict = _UNPACKED.fullmatch(str(parameter.annotation))
        if typed_dict is None:
            return None
        names += unwrap(function).__globals__[typed_dict[1]].__annotations__
    return names


_MAX_LISTED = 8
"""Maximum number of arguments that an error lists."""
_UNPACKED = re.compile(r"Unpack\[(\w+)\]")


def require_known(
    function: str, given: Iterable[str], known: Sequence[str] | None, hints: Mapping[str, str] | None = None
) -> None:
    """Refuse an argument that a public function does not have, and name the most similar one.

    Raises:
        UsageError: A name is not among the known ones.
    """
    for name in given:
        if known is not None and name not in known:
            from difflib import get_close_matches  # noqa: PLC0415 - only for errors

            near_names = get_close_matches(name, known, n=1)
            names = f"it has {', '.join(known)}" if len(known) <= _MAX_LISTED else f"see help(fd.{function})"
            hint = f"; did you mean {near_names[0]}=?" if near_names else f"; {names}"
            replacement = (hints or {}).get(name)
            raise UsageError(
                f"fd.{function} has no argument {name}={f': {replacement}' if replacement else hint}"
            )


def require_declared(
    arguments: Mapping[str, Any], declared: type, *, hints: Mapping[str, str] | None = None
) -> None:
    """Refuse arguments that a function does not take, or of another type than it declares.

    Python checks names in a signature only, not those of a TypedDict.

    Args:
        arguments: The arguments by name.
        declared: The TypedDict that declares them.
        hints: By name, what to write instead.

    Raises:
        UsageError: A name is unknown, or a value is of another type.
    """
    names = declared.__annotations__
    for name in arguments:
        if name not in names:
            replacement = (hints or {}).get(name)
            hint = f": {replacement}" if replacement else nearest(name, names)
            raise UsageError(f"{name}= is not an argument of this function{hint}")
    _require_types(arguments, names)


_CHOICES: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "map": require_chosen_columns,
    "columns": require_chosen_columns,
    "map_label": require_chosen_scores,
}
"""Arguments that errors propose with a ``?`` for the caller to replace, each with a function that refuses a remaining ``?``."""


def _require_choice_made(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        _CHOICES[name](cast("Mapping[str, Any]", value))


def _require_types(arguments: Mapping[str, Any], annotations: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if name in _CHOICES:
            _require_choice_made(name, value)
        annotation = annotations.get(name, "Any")
        require_type(name, value, getattr(annotation, "__forward_arg__", annotation))


def require_type(name: str, value: object, annotation: str) -> None:
    """Refuse a value of another type than an annotation declares.

    Raises:
        UsageError: The value is of another type.
    """
    declared_type = _type_of(annotation)
    if declared_type is not None and not declared_type.accepts(value):
        value_text = type(value).__name__ if name in _SECRET_ARGUMENTS else reprlib.repr(value)
        raise UsageError(f"{name}= expects {declared_type.words}, got {value_text}")


@lru_cache(maxsize=256)
def _type_of(annotation: str) -> _DeclaredType | None:
    """Return the type of a parameter, or None if its values are not checked."""
    return _type_of_node(ast.parse(annotation, mode="eval").body)


def _type_of_node(node: ast.expr) -> _DeclaredType | None:
    match node:
        case ast.BinOp(left=left, right=right):
            return _union_type(_type_of_node(left), _type_of_node(right))
        case ast.Subscript(value=ast.Name(id="Sequence" | "Iterable"), slice=element):
            return _list_type(element)
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, element])):
            return _mapping_type(element)
        case ast.Name(id=name) if name in _CHECKED_TYPES:
            checked_type = _CHECKED_TYPES[name]
            return _instance_type(checked_type.singular, checked_type.classes)
        case ast.Constant(value=None):
            return _instance_type("", (type(None),))
        case _:
            return None


def _instance_type(words: str, classes: tuple[type, ...]) -> _DeclaredType:
    def accepts(value: object) -> bool:
        return isinstance(value, classes)

    return _DeclaredType(words, accepts)


def _union_type(one: _DeclaredType | None, other: _DeclaredType | None) -> _DeclaredType | None:
    if one is None or other is None:
        return None

    def accepts(value: object) -> bool:
        return one.accepts(value) or other.accepts(value)

    return _DeclaredType(" or ".join(filter(None, (one.words, other.words))), accepts)


def _list_type(element: ast.expr) -> _DeclaredType:
    element_type, plural = _type_of_node(element), _plural_of_type(element)

    def accepts(value: Any) -> bool:
        if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
            return False
        # An iterator's items are not looked at: that would use them up.
        items = cast("Sequence[Any]", value if isinstance(value, Sequence) else ())
        return element_type is None or all(element_type.accepts(item) for item in items)

    return _DeclaredType(f"a list of {plural}" if plural else "a list", accepts)


def _mapping_type(element: ast.expr) -> _DeclaredType:
    element_type, plural = _type_of_node(element), _plural_of_type(element)

    def accepts(value: Any) -> bool:
        if not isinstance(value, Mapping):
            return False
        mapping = cast("Mapping[Any, Any]", value)
        return element_type is None or all(
            isinstance(key, str) and element_type.accepts(item) for key, item in mapping.items()
        )

    return _DeclaredType(f"a mapping of texts to {plural}" if plural else "a mapping", accepts)


def _plural_of_type(node: ast.expr) -> str:
    if not isinstance(node, ast.Name) or node.id not in _CHECKED_TYPES:
        return ""
    return _CHECKED_TYPES[node.id].plural


def require_choice(name: str, value: object, choices: Any) -> None:
    """Refuse a value that is not one of the strings of a ``Literal``.

    Raises:
        UsageError: The value is not among the choices.
    """
    *other_choices, last = get_args(choices)
    if value not in [*other_choices, last]:
        raise UsageError(f"{setting(name)} expects {', '.join(other_choices)} or {last}, got {value!r}")


def require_range(
    name: str,
    number: float | None,
    low: float = 0.0,
    high: float = 1.0,
    ends: Ends = "neither",
    *,
    of: str | None = None,
) -> None:
    """Refuse a number outside its range.

    Raises:
        UsageError: The number is outside its range, or not finite. None is in every range.
    """
    if number is None:
        return
    if not isinstance(number, Real):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"{setting(name, of)} expects a number, got {number!r}")
    is_above_low = number >= low if ends in {"low", "both"} else number > low
    is_below_high = number <= high if ends in {"high", "both"} else number < high
    if not (is_above_low and is_below_high and math.isfinite(number)):
        raise UsageError(f"{setting(name, of)} expects {_range_words(low, high, ends)}, got {number:g}")


def _range_words(low: float, high: float, ends: Ends) -> str:
    if math.isinf(low):
        return "a finite number"
    if math.isinf(high):
        return f"a number {'of at least' if ends in {'low', 'both'} else 'above'} {low:g}"
    return f"a number {_RANGE_WORDS[ends].format(f'{low:g}', f'{high:g}')}"


def require_whole(name: str, number: int | None, low: int = 1) -> None:
    """Refuse a number that is not whole, or is too low.

    Raises:
        UsageError: The number is not whole, or below ``low``. None is accepted.
    """
    if number is not None and (not isinstance(number, Integral) or isinstance(number, bool) or number < low):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"{setting(name)} expects a whole number of at least {low}, got {number!r}")
