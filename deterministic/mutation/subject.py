"""Subject of operators: a right output with its case, and the values in its calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...records import (
    AcceptedCall,
    AnyOrder,
    Case,
    InOrder,
    Output,
    ToolCallReference,
    accepted_calls,
    kind_spec,
)
from ...records.typed_values import convert
from ..ast.schemas import as_mapping, documents_by_name, required_names
from .call_notation import NamedCall, read_calls
from .documented_form import is_positional

Path: TypeAlias = tuple[str | int, ...]
"""Name of an argument, then the keys and indexes that lead to a value in it."""

ListOrder: TypeAlias = Literal["matters", "free", "unspecified"]
"""Whether the order of a list's items matters: ``unspecified`` if neither document nor reference says it, or the value is no list."""

_MAX_DEPTH, _MAX_SITES = 5, 300
"""Limits for hostile outputs; values beyond them are not changed."""


class Site(NamedTuple):
    """A value in a call, and where it is.

    Attributes:
        call: The index of the call.
        path: The argument's name, then keys and indexes.
        value: The value.
        document: The value's schema in the function document; empty if there is none.
        order: Whether the order of its items matters, if it is a list.
    """

    call: int
    path: Path
    value: Any
    document: Mapping[str, Any]
    order: ListOrder = "unspecified"

    @property
    def path_text(self) -> str:
        """The path as text, such as ``a['key'][0]``."""
        return str(self.path[0]) + "".join(f"[{part!r}]" for part in self.path[1:])


def find_sites(calls: Sequence[NamedCall], documents: Mapping[str, Mapping[str, Any]]) -> list[Site]:
    """Return up to 300 values in the arguments of calls, containers before their contents."""
    sites: list[Site] = []
    for index, call in enumerate(calls):
        properties = as_mapping(as_mapping(documents.get(call.name, {}).get("parameters")).get("properties"))
        for name, value in call.arguments.items():
            sites.extend(_sites_in(index, (name,), value, as_mapping(properties.get(name))))
            if len(sites) > _MAX_SITES:
                return sites[:_MAX_SITES]
    return sites


def with_value(calls: Sequence[NamedCall], site: Site, value: Any) -> list[NamedCall]:
    """Return calls with another value at a site; unchanged parts are shared, not copied."""
    changed_calls = list(calls)
    changed_calls[site.call] = NamedCall(
        calls[site.call].name, _replace_at(calls[site.call].arguments, site.path, value)
    )
    return changed_calls


def _sites_in(call: int, path: Path, value: Any, document: Mapping[str, Any]) -> Iterator[Site]:
    has_positions = type(value) in {list, tuple} and is_positional(document)
    yield Site(call, path, value, document, "matters" if has_positions else "unspecified")
    # The container is a site; what is deeper in it is left alone.
    if len(path) == _MAX_DEPTH:
        return
    if type(value) is dict:
        properties = as_mapping(document.get("properties"))
        for key, item in cast("dict[Any, Any]", value).items():
            if type(key) is str:
                yield from _sites_in(call, (*path, key), item, as_mapping(properties.get(key)))
    elif type(value) is list:
        items = as_mapping(document.get("items"))
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _sites_in(call, (*path, index), item, items)


def _replace_at(container: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    copy = container.copy()
    copy[path[0]] = _replace_at(container[path[0]], path[1:], value)
    return copy


@dataclass(frozen=True, eq=False)
class Subject:
    """Input of operators: a case and a right output for it.

    Attributes:
        case: The case.
        output: A right output for it.
        siblings: Cases of the same kind in other clusters, whose answers are wrong here but look right.
    """

    case: Case
    output: Output
    siblings: Sequence[Case] = ()

    @cached_property
    def calls(self) -> list[NamedCall]:
        """The calls of the output; empty if none can be read."""
        return read_calls(self.case, self.output)

    @cached_property
    def documents(self) -> Mapping[str, Mapping[str, Any]]:
        """Offered functions by name, including those offered later.

        Functions with dots in their names are listed with underscores as well.
        """
        later: list[dict[str, Any]] = self.case.reference.get("withheld_tools") or []
        return documents_by_name([tool["function"] for tool in (*self.case.tools, *later)])

    @cached_property
    def sites(self) -> list[Site]:
        """The values in the arguments of the calls; see `find_sites`."""
        return [self._with_order(site) for site in find_sites(self.calls, self.documents)]

    @cached_property
    def accepted(self) -> list[AcceptedCall]:
        """The calls that the reference accepts."""
        if not kind_spec(self.case.kind).compared:
            return []
        return accepted_calls(convert(self.case.reference, ToolCallReference).calls)

    def parameters(self, function: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the documented parameters of an offered function, by name.

        The result is empty for a function that is not offered.
        """
        properties = as_mapping(self._schema(function).get("properties"))
        return {name: as_mapping(part) for name, part in properties.items() if isinstance(part, dict)}

    def required(self, function: str) -> frozenset[str]:
        """Return the names of the parameters that an offered function requires."""
        return frozenset(required_names(self._schema(function)))

    def _with_order(self, site: Site) -> Site:
        """Return the site with the order that the reference states, if its document states none."""
        if site.order != "unspecified" or type(site.value) is not list:
            return site
        name = self.calls[site.call].name
        for call in self.accepted:
            accepted = call.arguments.get(str(site.path[0]))
            if accepted is not None and name in {call.name, call.name.replace(".", "_")}:
                for value in accepted.values:
                    match _value_at(value, site.path[1:]):
                        case InOrder():
                            return site._replace(order="matters")
                        case AnyOrder():
                            return site._replace(order="free")
                        case _:
                            continue
        return site

    def _schema(self, function: str) -> Mapping[str, Any]:
        return as_mapping(self.documents.get(function, {}).get("parameters"))


def _value_at(value: Any, path: Path) -> Any:
    """Return the value at a path, or None if the path leads nowhere."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value
