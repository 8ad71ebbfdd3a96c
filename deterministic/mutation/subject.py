"""Subject: a right output with its case, read once for all the operators that work on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ...records import Case, Output
from .calls import Call, read_calls
from .sites import Site, find_sites


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
        """The offered functions by name; names with dots also with underscores."""
        functions = [tool["function"] for tool in self.case.tools]
        underscored = {function["name"].replace(".", "_"): function for function in functions}
        return underscored | {function["name"]: function for function in functions}

    @cached_property
    def sites(self) -> list[Site]:
        """Every value in the arguments of the calls."""
        return find_sites(self.calls, self.documents)

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

    def _schema(self, function: str) -> Mapping[str, Any]:
        schema: Any = self.documents.get(function, {}).get("parameters")
        return cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
