"""Calls that a reference accepts, in either of its two forms.

BFCL's form, ``{"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}}``, lists acceptable values per argument; ``""`` among them
means that the argument may be left out. Dicts in a value may have lists of acceptable values, too.

The plain form, ``{"name": "book", "arguments": {"city": "Rome"}}``, means exactly these values. Seven markers, at any depth, change that:

* ``{"any_of": [...]}``: alternatives.
* ``{"any_order": [...]}``: a list whose items may come in any order.
* ``{"in_order": [...]}``: a list whose order matters. An unmarked list is compared in order, too, but audits reorder only marked lists.
* ``{"optional": ...}``: a value that may be left out. With another marker it is ``"optional": true``.
* ``{"any_value": true}``: any value.
* ``{"exactly": ...}``, ``{"loosely": ...}``: a literal value, even if it looks like a marker, whose texts are compared exactly or loosely.
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


_TEXT_TYPES: dict[str, type[str]] = {"exactly": ExactText, "loosely": LooseText}
_LIST_TYPES: dict[str, type[list[Any]]] = {"any_order": AnyOrder, "in_order": InOrder}

_MAX_COMBINATIONS = 1000
"""Limit on the values that one value with alternatives stands for: numbers of alternatives multiply."""

_MAX_LIST_LENGTH = 500
"""Limit on the items of a marked list: in any order, each item is compared with all others."""


class AcceptedValues(msgspec.Struct, frozen=True):
    """Acceptable values for one argument.

    Attributes:
        marked: The acceptable values. Texts whose comparison a marker states are of type `ExactText` or `LooseText`.
        optional: Whether the argument may be left out.
    """

    marked: list[Any]
    optional: bool

    @property
    def values(self) -> list[Any]:
        """The acceptable values, with plain texts."""
        return [_without_marks(value) for value in self.marked]


class AcceptedCall(msgspec.Struct, frozen=True):
    """One accepted call.

    Attributes:
        name: The function's name.
        arguments: Acceptable values by argument; no other argument is accepted.
        literal: True if values are literal (plain form). In BFCL's form a dict in a value may have lists of acceptable values.
        written: The call as written in the reference.
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
        calls: Calls in BFCL's or in the plain form.

    Raises:
        InputError: A call is in neither form; ``field`` is relative to the reference.
    """
    return [_read_call(call, f"calls[{number}]") for number, call in enumerate(calls)]


def is_plain_call(call: dict[str, Any]) -> bool:
    """Return whether a call of a reference is in the plain form.

    In BFCL's form a key is a function, whose value is never a text.
    """
    return isinstance(call.get("name"), str) or (len(call) > 1 and "arguments" in call)


def is_marked(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value of the plain form is a marker, not a literal value."""
    keys = cast("dict[str, Any]", value).keys() if isinstance(value, dict) else frozenset[str]()
    return bool(keys) and keys <= MARKERS


def _read_call(call: dict[str, Any], field: str) -> AcceptedCall:
    if is_plain_call(call):
        return _read_plain_call(call, field)
    if len(call) != 1:
        raise InputError(
            'expected {"name": FUNCTION, "arguments": {...}} or {FUNCTION: {ARGUMENT: [acceptable values]}}, '
            f"got {len(call)} keys: {', '.join(map(repr, call))}",
            field=field,
        )
    name, arguments = next(iter(call.items()))
    field = f"{field}.{name}"
    values_by_argument: dict[str, AcceptedValues] = {}
    for argument, values in _require_object(arguments, field).items():
        if not isinstance(values, list):
            raise InputError(
                f"expected a list of acceptable values, got {_shorten(values)}; to give single values, write "
                f'{{"name": "{name}", "arguments": {{...}}}}',
                field=f"{field}.{argument}",
            )
        listed_values = cast("list[Any]", values)
        # The marker "" stands for leaving the argument out.
        acceptable = [value for value in listed_values if value != ""]
        values_by_argument[argument] = AcceptedValues(acceptable, len(acceptable) < len(listed_values))
    return AcceptedCall(name, values_by_argument, literal=False, written=call, field=field)


def _read_plain_call(call: dict[str, Any], field: str) -> AcceptedCall:
    fields = ("name", "arguments")
    for key in call:
        if key not in fields:
            raise InputError(unknown_field(key, fields, "an accepted call"), field=field)
    name = call.get("name")
    if not isinstance(name, str):
        raise InputError(f"expected the function's name, got {_shorten(name)}", field=f"{field}.name")
    field = f"{field}.arguments"
    arguments = _require_object(call.get("arguments", {}), field)
    values_by_argument = {
        argument: _read_values(value, f"{field}.{argument}") for argument, value in arguments.items()
    }
    return AcceptedCall(name, values_by_argument, literal=True, written=call, field=field)


def _read_values(value: Any, field: str) -> AcceptedValues:
    if not is_marked(value):
        return AcceptedValues(_literal_values(value, field), optional=False)
    # "optional" may accompany any other marker.
    markers = [marker for marker in value if marker != "optional"]
    if len(markers) > 1:
        how_many = "both" if len(markers) == 2 else f"all {len(markers)}"  # noqa: PLR2004 - a pair
        raise InputError(f"expected {' or '.join(markers)}, got {how_many}", field=field)
    if not markers:
        # Alone, it has the value itself: {"optional": VALUE}.
        return AcceptedValues(_read_values(value["optional"], field).marked, optional=True)
    (marker,) = markers
    if marker in _TEXT_TYPES:
        return AcceptedValues(
            [_convert_texts(value[marker], _TEXT_TYPES[marker])], _is_optional(value, field)
        )
    if marker == "any_value":
        if value["any_value"] is not True:
            raise InputError(f"expected true, got {_shorten(value['any_value'])}", field=f"{field}.any_value")
        return AcceptedValues([AnyValue(any_value=True)], _is_optional(value, field))
    if marker in _LIST_TYPES:
        values = _literal_values(_require_short_list(value[marker], f"{field}.{marker}"), f"{field}.{marker}")
        return AcceptedValues([_LIST_TYPES[marker](value) for value in values], _is_optional(value, field))
    choices = value["any_of"]
    if not isinstance(choices, list) or not choices:
        raise InputError(f"expected a list of values, got {_shorten(choices)}", field=f"{field}.any_of")
    accepted_choices = [_read_values(choice, f"{field}.any_of") for choice in cast("list[Any]", choices)]
    values = [value for choice in accepted_choices for value in choice.marked]
    return AcceptedValues(
        values, _is_optional(value, field) or any(choice.optional for choice in accepted_choices)
    )


def _convert_texts(value: Any, kind: type[str]) -> Any:
    """Return a value with its texts, except keys, converted to a type of text."""
    if isinstance(value, str):
        return kind(value)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        # The type of the list, such as AnyOrder, is kept.
        return type(items)(_convert_texts(item, kind) for item in items)
    if isinstance(value, dict) and not isinstance(value, AnyValue):
        return {key: _convert_texts(item, kind) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _without_marks(value: Any) -> Any:
    return _convert_texts(value, str) if isinstance(value, str | list | dict) else value


def _require_short_list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"expected a list, got {_shorten(value)}", field=field)
    items = cast("list[Any]", value)
    if len(items) > _MAX_LIST_LENGTH:
        raise InputError(f"expected at most {_MAX_LIST_LENGTH} items, got {len(items):,}", field=field)
    return items


def _is_optional(marked: dict[str, Any], field: str) -> bool:
    optional = marked.get("optional", False)
    if not isinstance(optional, bool):
        raise InputError(f"expected true or false, got {_shorten(optional)}", field=f"{field}.optional")
    return optional


def _literal_values(value: Any, field: str) -> list[Any]:
    """Return the literal values that a value stands for; several if it has alternatives."""
    if isinstance(value, dict):
        return _literal_dicts(cast("dict[str, Any]", value), field)
    if isinstance(value, list):
        return _literal_lists(cast("list[Any]", value), field)
    return [value]


_OMITTED = object()
"""Stands for the value of a key that is left out."""


def _literal_dicts(value: dict[str, Any], field: str) -> list[dict[str, Any]]:
    values_by_key = {key: _read_values(item, f"{field}.{key}") for key, item in value.items()}
    values_of_keys = [
        [*item.marked, *([_OMITTED] if item.optional else [])] for item in values_by_key.values()
    ]
    # A choice of a value, or of leaving out, for each key gives one literal dict.
    dicts_with_omitted = [
        dict(zip(values_by_key, row, strict=True)) for row in _combine(values_of_keys, field)
    ]
    return [
        {key: item for key, item in dict_with_omitted.items() if item is not _OMITTED}
        for dict_with_omitted in dicts_with_omitted
    ]


def _literal_lists(value: list[Any], field: str) -> list[list[Any]]:
    values_of_items = [_read_values(item, f"{field}[{index}]") for index, item in enumerate(value)]
    if any(item.optional for item in values_of_items):
        raise InputError(
            'an item of a list cannot be left out; give the whole lists as {"any_of": [[...], [...]]}',
            field=field,
        )
    return [list(row) for row in _combine([item.marked for item in values_of_items], field)]


def _combine(values_by_position: list[list[Any]], field: str) -> list[tuple[Any, ...]]:
    combinations = 1
    for values in values_by_position:
        # Counted before they are made, so that a small reference cannot fill the memory.
        combinations *= len(values)
        if combinations > _MAX_COMBINATIONS:
            raise InputError(
                f"its alternatives stand for more than {_MAX_COMBINATIONS:,} values", field=field
            )
    return list(product(*values_by_position))


def _require_object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected an object with the arguments, got {_shorten(value)}", field=field)
    return cast("dict[str, Any]", value)


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - a line is to stay readable
