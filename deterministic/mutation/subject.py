"""Subject: a right output with its case, read once for all the operators that work on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import msgspec

from ...records import AcceptedCall, AnyOrder, Case, InOrder, Output, ToolCallReference, accepted_calls
from .calls import Call, read_calls
from .sites import Path, Site, find_sites


@dataclass(frozen=True, eq=False)
class Subject:
    """What operators work on.

    Attributes:
        case: What was to be done.
        output: A right output for it.
        siblings: Other cases of the same kind, of other clusters; for wrong answers that look like right ones.
    """

    case: Case
    output: Output
    siblings: Sequence[Case] = ()

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of the output; empty where it has none that can be read."""
        return read_calls(self.case, self.output)

    @cached_property
    def documents(self) -> Mapping[str, Mapping[str, Any]]:
        """The offered functions by name, those that are offered later included; names with dots also with underscores."""
        later: list[dict[str, Any]] = self.case.reference.get("withheld_tools") or []
        functions = [tool["function"] for tool in (*self.case.tools, *later)]
        underscored = {function["name"].replace(".", "_"): function for function in functions}
        return underscored | {function["name"]: function for function in functions}

    @cached_property
    def sites(self) -> list[Site]:
        """Every value in the arguments of the calls."""
        return [self._with_order(site) for site in find_sites(self.calls, self.documents)]

    @cached_property
    def accepted(self) -> list[AcceptedCall]:
        """The calls that the reference accepts."""
        if self.case.kind != "tool_call":
            return []
        return accepted_calls(msgspec.convert(self.case.reference, ToolCallReference).calls)

    def parameters(self, function: str) -> Mapping[str, Mapping[str, Any]]:
        """The documented parameters of an offered function, by name; empty for one that is not offered."""
        properties: Any = self._schema(function).get("properties")
        if not isinstance(properties, dict):
            return {}
        items = cast("dict[str, Any]", properties).items()
        return {name: cast("dict[str, Any]", part) for name, part in items if isinstance(part, dict)}

    def required(self, function: str) -> frozenset[str]:
        """The parameters that an offered function requires."""
        names: Any = self._schema(function).get("required")
        known = cast("list[Any]", names) if isinstance(names, list) else []
        return frozenset(name for name in known if isinstance(name, str))

    def _with_order(self, site: Site) -> Site:
        """The site, with what the reference says of the order of its items where its document says nothing."""
        if site.order != "not said" or type(site.value) is not list:
            return site
        name = self.calls[site.call].name
        for call in self.accepted:
            accepted = call.arguments.get(str(site.path[0]))
            if accepted is not None and name in {call.name, call.name.replace(".", "_")}:
                for value in accepted.values:
                    match _at(value, site.path[1:]):
                        case InOrder():
                            return site._replace(order="matters")
                        case AnyOrder():
                            return site._replace(order="free")
                        case _:
                            continue
        return site

    def _schema(self, function: str) -> Mapping[str, Any]:
        schema: Any = self.documents.get(function, {}).get("parameters")
        return cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}


def _at(value: Any, path: Path) -> Any:
    """What stands in a value at a path; None where the path leads nowhere."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value
