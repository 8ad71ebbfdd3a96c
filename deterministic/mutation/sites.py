"""Sites: the places in the arguments of calls where a value stands, and the document that describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from .calls import Call
from .documented_form import is_positional

Path: TypeAlias = tuple[str | int, ...]

ListOrder: TypeAlias = Literal["matters", "free", "not said"]
"""Of the items of a list; ``not said`` where neither document nor reference says it, and for other values."""

_DEEPEST, _MOST = 5, 300
"""A hostile output may nest without end; what lies beyond is not changed."""


class Site(NamedTuple):
    """Where a value stands.

    Attributes:
        call: Which call.
        path: The argument's name, then keys and indexes.
        value: What stands there.
        document: What the function document says of it; empty where it says nothing.
        order: Whether the order of its items matters, where it is a list.
    """

    call: int
    path: Path
    value: Any
    document: Mapping[str, Any]
    order: ListOrder = "not said"

    @property
    def place(self) -> str:
        """The path as a person writes it."""
        return str(self.path[0]) + "".join(f"[{part!r}]" for part in self.path[1:])


def find_sites(calls: Sequence[Call], documents: Mapping[str, Mapping[str, Any]]) -> list[Site]:
    """Every value in the arguments of calls, containers before what is in them.

    Args:
        calls: The calls.
        documents: Function documents by name.

    Returns:
        The sites, at most a few hundred.
    """
    found: list[Site] = []
    for index, call in enumerate(calls):
        properties = _part(_part(documents.get(call.name, {}), "parameters"), "properties")
        for name, value in call.arguments.items():
            found.extend(_below(index, (name,), value, _part(properties, name)))
            if len(found) > _MOST:
                return found[:_MOST]
    return found


def with_value(calls: Sequence[Call], site: Site, value: Any) -> list[Call]:
    """The calls with another value at a site.

    Args:
        calls: The calls; they stay as they are.
        site: Where.
        value: What stands there from now on.

    Returns:
        New calls that share what did not change.
    """
    changed = list(calls)
    changed[site.call] = Call(calls[site.call].name, _replaced(calls[site.call].arguments, site.path, value))
    return changed


def _below(call: int, path: Path, value: Any, document: Mapping[str, Any]) -> Iterator[Site]:
    positional = type(value) in {list, tuple} and is_positional(document)
    yield Site(call, path, value, document, "matters" if positional else "not said")
    if len(path) == _DEEPEST:
        return
    if type(value) is dict:
        properties = _part(document, "properties")
        for key, item in cast("dict[Any, Any]", value).items():
            if type(key) is str:
                yield from _below(call, (*path, key), item, _part(properties, key))
    elif type(value) is list:
        items = _part(document, "items")
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _below(call, (*path, index), item, items)


def _replaced(container: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    copy = container.copy()
    copy[path[0]] = _replaced(container[path[0]], path[1:], value)
    return copy


def _part(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = document.get(key)
    return cast("Mapping[str, Any]", part) if isinstance(part, dict) else {}
