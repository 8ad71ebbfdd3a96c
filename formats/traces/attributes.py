"""Attributes of spans: OTLP's typed values as plain ones, indexed keys as lists."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ...errors import RecordError
from ..field_reader import FieldReader
from ..json_values import is_list, is_object, parsed

_WHOLE = ("intValue", "int_value")
_PLAIN = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue", "bytes_value")  # fmt: skip
_LONGEST = 100
_CONSTANTS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def plain_attributes(holder: FieldReader, name: str = "attributes") -> dict[str, Any]:
    """Return the attributes of a span, event or resource, from an object or an OTLP list.

    An OTLP list holds keys and typed values.

    Raises:
        RecordError: They are neither.
    """
    given = holder.value.get(name)
    if given is None:
        return {}
    if is_object(given):
        typed = _value(given)
        return _flat(typed) if is_object(typed) else {}
    return {pair.need("key"): _value(pair.get("value")) for pair in holder.nodes(name)}


_NESTED = frozenset({"openinference", "llm", "gen_ai", "traceloop", "langfuse"})
_WHOLE_VALUES = frozenset({"value", "metadata", "parameters", "arguments", "json_schema", "invocation_parameters", "messages"})  # fmt: skip


def _flat(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes that are objects in objects, as Phoenix stores them, with dotted names."""
    if not any(is_object(attributes.get(name)) for name in _NESTED):
        return attributes
    return {key: each for name, value in attributes.items() for key, each in dotted(name, value).items()}


def dotted(name: str, value: Any) -> dict[str, Any]:
    """Return an attribute with fields of its objects as attributes: ``llm.tools.0.tool.name``.

    Contents that are JSON of their own stay whole.
    """
    if is_object(value) and name.rpartition(".")[2] not in _WHOLE_VALUES:
        inner = [(f"{name}.{key}", held) for key, held in value.items()]
    elif is_list(value) and value and all(map(is_object, value)) and not name.endswith(".messages"):
        inner = [(f"{name}.{at}.{key}", held) for at, item in enumerate(value) for key, held in item.items()]
    else:
        return {name: value}
    return {key: each for field, held in inner for key, each in dotted(field, held).items()}


def _value(wrapped: Any) -> Any:
    node = FieldReader(wrapped) if is_object(wrapped) else FieldReader({})
    if len(node.value) != 1:
        return wrapped
    ((kind, value),) = node.value.items()
    if kind in {"arrayValue", "array_value"}:
        return [_value(item) for _, item in node.node(kind).items("values")]
    if kind in {"kvlistValue", "kvlist_value"}:
        return plain_attributes(node.node(kind), "values")
    return _scalar(kind, value) if kind in _WHOLE + _PLAIN else wrapped


def _scalar(kind: str, value: Any) -> Any:
    if kind in _WHOLE:
        try:
            return int(value)
        except (TypeError, ValueError) as error:
            raise RecordError(
                f"expected a whole number, got {str(value)[:_LONGEST]!r}", field=kind
            ) from error
    return _CONSTANTS.get(value, value) if kind.startswith("double") and isinstance(value, str) else value


class AttributeReader(FieldReader):
    """Attributes of a span or an event, each decoded and each list rebuilt once."""

    __slots__ = ("_decoded", "_lists", "_numbered")

    def __init__(self, value: Any, at: str = "") -> None:
        super().__init__(value, at)
        self._decoded: dict[str, Any] = {}
        self._lists: dict[str, list[Any]] = {}
        self._numbered = _numbered(self.value)

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
            held = self._numbered.get(prefix)
            self._lists[prefix] = [] if held is None else unflattened(held, prefix)
        return self._lists[prefix]


_ITEM = re.compile(r"\A([^0-9.][^.]*+(?:\.[^0-9.][^.]*+)*)\.[0-9]+(?:\.|$)")


def _numbered(attributes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the attributes that are items of lists, by what stands before the first number."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in attributes.items():
        if (item := _ITEM.match(key)) is not None:
            found.setdefault(item[1], {})[key] = value
    return found


def unflattened(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Rebuild a list from attributes ``prefix.0.name``, ``prefix.1.name`` ...; empty if none."""
    tree: dict[str, Any] = {}
    start = f"{prefix}."
    for key in [attribute for attribute in attributes if attribute.startswith(start)]:
        value = attributes[key]
        *path, last = key[len(start) :].split(".")
        at = tree
        for step in path:
            inner = at.setdefault(step, {})
            if not is_object(inner):
                raise RecordError("is inside a key that already has a value", field=key)
            at = inner
        at[last] = value
    listed = _lists(tree)
    return listed if is_list(listed) else []


def _lists(tree: Any) -> Any:
    if not is_object(tree):
        return tree
    fields = tree
    if fields and all(name.isdecimal() for name in fields):
        return [_lists(fields[name]) for name in sorted(fields, key=int)]
    return {name: _lists(value) for name, value in fields.items()}
