"""Attributes of spans: typed values of OTLP as plain ones, and numbered keys as lists."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ...errors import RecordError
from ..field_reader import FieldReader
from ..json_values import is_list, is_object, parsed

_WHOLE_TYPES = ("intValue", "int_value")
_PLAIN_TYPES = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue", "bytes_value")  # fmt: skip
_MAX_SHOWN_CHARS = 100
_SPECIAL_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def plain_attributes(holder: FieldReader, name: str = "attributes") -> dict[str, Any]:
    """Return the attributes of a span, event or resource, from an object or an OTLP list.

    Raises:
        RecordError: The attributes are neither an object nor a list of keys and typed values.
    """
    attributes = holder.value.get(name)
    if attributes is None:
        return {}
    if is_object(attributes):
        plain = _plain_value(attributes)
        return _flat(plain) if is_object(plain) else {}
    return {pair.need("key"): _plain_value(pair.get("value")) for pair in holder.nodes(name)}


_NESTED_PREFIXES = frozenset({"openinference", "llm", "gen_ai", "traceloop", "langfuse"})
"""First words of attributes that show that dotted names were split into objects."""

_NAMES_OF_JSON_VALUES = frozenset({"value", "metadata", "parameters", "arguments", "json_schema", "invocation_parameters", "messages"})  # fmt: skip


def _flat(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with dotted names; Phoenix nests objects in objects instead."""
    if not any(is_object(attributes.get(name)) for name in _NESTED_PREFIXES):
        return attributes
    flat: dict[str, Any] = {}
    for name, value in attributes.items():
        flat |= dotted(name, value)
    return flat


def dotted(name: str, value: Any) -> dict[str, Any]:
    """Return the fields of an attribute as attributes: ``llm.tools.0.tool.name``.

    Values that are JSON by convention stay whole.
    """
    if is_object(value) and name.rpartition(".")[2] not in _NAMES_OF_JSON_VALUES:
        fields = [(f"{name}.{key}", field) for key, field in value.items()]
    elif is_list(value) and value and all(map(is_object, value)) and not name.endswith(".messages"):
        fields = [
            (f"{name}.{at}.{key}", field) for at, item in enumerate(value) for key, field in item.items()
        ]
    else:
        return {name: value}
    flat: dict[str, Any] = {}
    for path, field in fields:
        flat |= dotted(path, field)
    return flat


def _plain_value(wrapped: Any) -> Any:
    """Return the plain value of ``{"intValue": "3"}`` and the like; others unchanged."""
    node = FieldReader(wrapped) if is_object(wrapped) else FieldReader({})
    if len(node.value) != 1:
        return wrapped
    ((kind, value),) = node.value.items()
    if kind in {"arrayValue", "array_value"}:
        return [_plain_value(item) for _, item in node.node(kind).items("values")]
    if kind in {"kvlistValue", "kvlist_value"}:
        return plain_attributes(node.node(kind), "values")
    return _scalar(kind, value) if kind in _WHOLE_TYPES + _PLAIN_TYPES else wrapped


def _scalar(kind: str, value: Any) -> Any:
    if kind in _WHOLE_TYPES:
        try:
            return int(value)
        except (TypeError, ValueError) as error:
            raise RecordError(
                f"expected a whole number, got {str(value)[:_MAX_SHOWN_CHARS]!r}", field=kind
            ) from error
    return (
        _SPECIAL_NUMBERS.get(value, value) if kind.startswith("double") and isinstance(value, str) else value
    )


class AttributeReader(FieldReader):
    """Attributes of a span or an event; each is decoded once, and each list rebuilt once."""

    __slots__ = ("_decoded", "_items_by_prefix", "_lists")

    def __init__(self, value: Any, at: str = "") -> None:
        super().__init__(value, at)
        self._decoded: dict[str, Any] = {}
        self._lists: dict[str, list[Any]] = {}
        self._items_by_prefix = _group_items(self.value)

    def decoded(self, name: str) -> Any:
        """Return an attribute, decoded if it is JSON text, or None if there is none."""
        if name not in self.value:
            return None
        if name not in self._decoded:
            self._decoded[name] = parsed(self.value[name])
        return self._decoded[name]

    def listed(self, prefix: str) -> list[Any]:
        """Return the list whose items are numbered below a prefix; see `unflattened`."""
        if prefix not in self._lists:
            items = self._items_by_prefix.get(prefix)
            self._lists[prefix] = [] if items is None else unflattened(items, prefix)
        return self._lists[prefix]


# A key with a number as one of its parts; the group is the prefix before the first number: ``llm.tools`` of ``llm.tools.0.name``.
_ITEM = re.compile(r"\A([^0-9.][^.]*+(?:\.[^0-9.][^.]*+)*)\.[0-9]+(?:\.|$)")


def _group_items(attributes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the attributes that are items of lists, by the prefix before the first number."""
    by_prefix: dict[str, dict[str, Any]] = {}
    for key, value in attributes.items():
        if (item := _ITEM.match(key)) is not None:
            by_prefix.setdefault(item[1], {})[key] = value
    return by_prefix


def unflattened(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Return the list that attributes ``prefix.0.name``, ``prefix.1.name`` and so on describe."""
    tree: dict[str, Any] = {}
    start = f"{prefix}."
    for key in [attribute for attribute in attributes if attribute.startswith(start)]:
        value = attributes[key]
        *path, last = key[len(start) :].split(".")
        parent = tree
        for step in path:
            inner = parent.setdefault(step, {})
            if not is_object(inner):
                raise RecordError("is inside a key that already has a value", field=key)
            parent = inner
        parent[last] = value
    value = _with_lists(tree)
    return value if is_list(value) else []


def _with_lists(tree: Any) -> Any:
    if not is_object(tree):
        return tree
    if tree and all(name.isdecimal() for name in tree):
        return [_with_lists(tree[name]) for name in sorted(tree, key=int)]
    return {name: _with_lists(value) for name, value in tree.items()}
