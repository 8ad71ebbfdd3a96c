"""Calls that a reference accepts, in either of its two forms.

BFCL's form, ``{"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}}``, lists acceptable values per argument; ``""`` among them
means that the argument may be left out, and dicts in a value may hold lists of acceptable values, too.

The plain form, ``{"name": "book", "arguments": {"city": "Rome"}}``, means exactly these values. Seven markers change that,
at any depth: ``{"any_of": [...]}`` for alternatives, ``{"any_order": [...]}`` for a list whose items may come in any order,
``{"in_order": [...]}`` for one whose order matters (an unmarked list is compared in order, too, but audits reorder only marked ones),
``{"optional": ...}`` for a value that may be left out (``"optional": true`` beside the others), ``{"any_value": true}`` for any
value, and ``{"exactly": ...}`` or ``{"loosely": ...}`` for a literal value, which may look like a marker or hold one: its texts are
compared exactly, or loosely.
"""

from __future__ import annotations

from itertools import product
from typing import Any, TypeGuard, cast

import msgspec

from ..errors import InputError
from .explanations import unknown_field

MARKERS = frozenset({"any_of", "any_order", "in_order", "optional", "exactly", "loosely", "any_value"})
"""Markers of the plain form."""


class AnyOrder(list[Any]):
    """A list whose items may come in any order."""


class InOrder(list[Any]):
    """A list whose items must come in this order."""


class AnyValue(dict[str, bool]):
    """Marker that accepts any value."""


class ExactText(str):
    """A text that is compared exactly, whatever the case and the run say."""

    __slots__ = ()


class LooseText(str):
    """A text that is compared loosely, whatever the case and the run say."""

    __slots__ = ()


_TEXTS: dict[str, type[str]] = {"exactly": ExactText, "loosely": LooseText}
_LISTS: dict[str, type[list[Any]]] = {"any_order": AnyOrder, "in_order": InOrder}

_MAX_VALUES = 1000
"""Maximum number of values that the alternatives in one value stand for; they multiply."""

_LONGEST = 500
"""Maximum number of items of a marked list: in any order, each is compared with each."""


class AcceptedValues(msgspec.Struct, frozen=True):
    """Acceptable values for one argument.

    Attributes:
        marked: The acceptable values; a text in them that a marker settles is an `ExactText` or a `LooseText`.
        optional: Whether the argument may be left out.
    """

    marked: list[Any]
    optional: bool

    @property
    def values(self) -> list[Any]:
        """The acceptable values, with plain texts."""
        return [_unmarked(value) for value in self.marked]


class AcceptedCall(msgspec.Struct, frozen=True):
    """One accepted call.

    Attributes:
        name: The function's name.
        arguments: Acceptable values by argument; no other argument is accepted.
        literal: Whether values are literal; in BFCL's form a dict in one may hold lists of acceptable values.
        written: The call as the reference has it.
        field: Path of its arguments in the reference, such as ``calls[0].book``.
    """

    name: str
    arguments: dict[str, AcceptedValues]
    literal: bool
    written: dict[str, Any]
    field: str


def accepted_calls(calls: list[dict[str, Any]]) -> list[AcceptedCall]:
    """Read the calls of a reference.

    Args:
        calls: Each in BFCL's or in the plain form.

    Raises:
        InputError: One is in neither form; the field is relative to the reference.
    """
    return [_accepted_call(call, f"calls[{number}]") for number, call in enumerate(calls)]


def is_plain_call(call: dict[str, Any]) -> bool:
    """Return whether a call of a reference is in the plain form.

    In BFCL's form a function is never a text.
    """
    return isinstance(call.get("name"), str) or (len(call) > 1 and "arguments" in call)


def is_marked(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value of the plain form is a marker, not a literal value."""
    keys = cast("dict[str, Any]", value).keys() if isinstance(value, dict) else frozenset[str]()
    return bool(keys) and keys <= MARKERS


def _accepted_call(call: dict[str, Any], field: str) -> AcceptedCall:
    if is_plain_call(call):
        return _plain_call(call, field)
    if len(call) != 1:
        raise InputError(
            'expected {"name": FUNCTION, "arguments": {...}} or {FUNCTION: {ARGUMENT: [acceptable values]}}, '
            f"got {len(call)} keys: {', '.join(map(repr, call))}",
            field=field,
        )
    name, arguments = next(iter(call.items()))
    field = f"{field}.{name}"
    accepted: dict[str, AcceptedValues] = {}
    for argument, values in _object(arguments, field).items():
        if not isinstance(values, list):
            raise InputError(
                f"expected a list of acceptable values, got {_short(values)}; to give single values, write "
                f'{{"name": "{name}", "arguments": {{...}}}}',
                field=f"{field}.{argument}",
            )
        listed = cast("list[Any]", values)
        chosen = [value for value in listed if value != ""]
        accepted[argument] = AcceptedValues(chosen, len(chosen) < len(listed))
    return AcceptedCall(name, accepted, literal=False, written=call, field=field)


def _plain_call(call: dict[str, Any], field: str) -> AcceptedCall:
    fields = ("name", "arguments")
    for key in call:
        if key not in fields:
            raise InputError(unknown_field(key, fields, "an accepted call"), field=field)
    name = call.get("name")
    if not isinstance(name, str):
        raise InputError(f"expected the function's name, got {_short(name)}", field=f"{field}.name")
    field = f"{field}.arguments"
    arguments = _object(call.get("arguments", {}), field)
    accepted = {argument: _accepted(value, f"{field}.{argument}") for argument, value in arguments.items()}
    return AcceptedCall(name, accepted, literal=True, written=call, field=field)


def _accepted(value: Any, field: str) -> AcceptedValues:
    if not is_marked(value):
        return AcceptedValues(_literals(value, field), optional=False)
    markers = [marker for marker in value if marker != "optional"]
    if len(markers) > 1:
        count = "both" if len(markers) == 2 else f"all {len(markers)}"  # noqa: PLR2004 - a pair
        raise InputError(f"expected {' or '.join(markers)}, got {count}", field=field)
    if not markers:
        return AcceptedValues(_accepted(value["optional"], field).marked, optional=True)
    (marker,) = markers
    if marker in _TEXTS:
        return AcceptedValues([_with_texts(value[marker], _TEXTS[marker])], _flag(value, field))
    if marker == "any_value":
        if value["any_value"] is not True:
            raise InputError(f"expected true, got {_short(value['any_value'])}", field=f"{field}.any_value")
        return AcceptedValues([AnyValue(any_value=True)], _flag(value, field))
    if marker in _LISTS:
        values = _literals(_items(value[marker], f"{field}.{marker}"), f"{field}.{marker}")
        return AcceptedValues([_LISTS[marker](each) for each in values], _flag(value, field))
    choices = value["any_of"]
    if not isinstance(choices, list) or not choices:
        raise InputError(f"expected a list of values, got {_short(choices)}", field=f"{field}.any_of")
    accepted = [_accepted(choice, f"{field}.any_of") for choice in cast("list[Any]", choices)]
    values = [each for choice in accepted for each in choice.marked]
    return AcceptedValues(values, _flag(value, field) or any(choice.optional for choice in accepted))


def _with_texts(value: Any, kind: type[str]) -> Any:
    """Return a value whose texts, keys excepted, are of a type."""
    if isinstance(value, str):
        return kind(value)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return type(items)(_with_texts(item, kind) for item in items)
    if isinstance(value, dict) and not isinstance(value, AnyValue):
        return {key: _with_texts(item, kind) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _unmarked(value: Any) -> Any:
    return _with_texts(value, str) if isinstance(value, str | list | dict) else value


def _items(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"expected a list, got {_short(value)}", field=field)
    items = cast("list[Any]", value)
    if len(items) > _LONGEST:
        raise InputError(f"expected at most {_LONGEST} items, got {len(items):,}", field=field)
    return items


def _flag(marked: dict[str, Any], field: str) -> bool:
    optional = marked.get("optional", False)
    if not isinstance(optional, bool):
        raise InputError(f"expected true or false, got {_short(optional)}", field=f"{field}.optional")
    return optional


def _literals(value: Any, field: str) -> list[Any]:
    """Return the literal values that a value stands for; several if it holds alternatives."""
    if isinstance(value, dict):
        return _literal_dicts(cast("dict[str, Any]", value), field)
    if isinstance(value, list):
        return _literal_lists(cast("list[Any]", value), field)
    return [value]


_LEFT_OUT = object()
"""Value of a key that is left out."""


def _literal_dicts(value: dict[str, Any], field: str) -> list[dict[str, Any]]:
    accepted = {key: _accepted(item, f"{field}.{key}") for key, item in value.items()}
    choices = [[*item.marked, *([_LEFT_OUT] if item.optional else [])] for item in accepted.values()]
    full_dicts = [dict(zip(accepted, row, strict=True)) for row in _combined(choices, field)]
    return [{key: item for key, item in dict_.items() if item is not _LEFT_OUT} for dict_ in full_dicts]


def _literal_lists(value: list[Any], field: str) -> list[list[Any]]:
    accepted = [_accepted(item, f"{field}[{index}]") for index, item in enumerate(value)]
    if any(item.optional for item in accepted):
        raise InputError(
            'an item of a list cannot be left out; give the whole lists as {"any_of": [[...], [...]]}',
            field=field,
        )
    return [list(row) for row in _combined([item.marked for item in accepted], field)]


def _combined(choices: list[list[Any]], field: str) -> list[tuple[Any, ...]]:
    combinations = 1
    for values in choices:
        combinations *= len(values)
        if combinations > _MAX_VALUES:
            raise InputError(f"its alternatives stand for more than {_MAX_VALUES:,} values", field=field)
    return list(product(*choices))


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected an object with the arguments, got {_short(value)}", field=field)
    return cast("dict[str, Any]", value)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."  # noqa: PLR2004 - a line is to stay readable
