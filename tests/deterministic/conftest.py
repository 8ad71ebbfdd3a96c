"""Small cases in which one thing matters at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tool_calls import tool

from fiducial.deterministic import CheckOptions, Finding
from fiducial.deterministic.ast.expectation import Expectation, compile_expectation
from fiducial.deterministic.ast.tool_calls import check_decoded
from fiducial.records import Case, Language, Match, ToolCallReference

Compare = Callable[..., Finding]


def expect(
    properties: dict[str, Any],
    acceptable: dict[str, list[Any]],
    *,
    required: list[str] | None = None,
    language: Language = "python",
) -> Expectation:
    """One expected call of a function ``f``."""
    reference = ToolCallReference(calls=[{"f": acceptable}], language=language)
    return compile_expectation(reference, [tool("f", properties, required or ())])


@pytest.fixture
def compare() -> Compare:
    """Compare the arguments of one call of ``f`` with what is acceptable, under either rule set."""

    def run(
        given: dict[Any, Any], properties: dict[str, Any], acceptable: dict[str, list[Any]], **options: Any
    ) -> Finding:
        strictly = options.pop("strict", False)
        return check_decoded([{"f": given}], expect(properties, acceptable, **options), strictly=strictly)

    return run


@pytest.fixture
def compare_value() -> Compare:
    """Compare one value of an argument ``a`` of the given type."""

    def run(value: Any, declared: str | dict[str, Any], acceptable: list[Any], **options: Any) -> Finding:
        strictly, text = options.pop("strict", False), options.pop("text", None)
        document = {"type": declared} if isinstance(declared, str) else declared
        expected = expect({"a": document}, {"a": acceptable}, **options)
        return check_decoded([{"f": {"a": value}}], expected, strictly=strictly, text=text)

    return run


@pytest.fixture
def make_case() -> Callable[..., Case]:
    """A case of kind ``tool_call`` over the tools ``open_door`` and ``door.close``."""

    def make(calls: list[dict[str, Any]], match: Match = "simple", **fields: Any) -> Case:
        door = {"door": {"type": "string"}, "force": {"type": "float"}}
        return Case(
            id="door-1",
            kind="tool_call",
            tools=[tool("door.open", door, ["door"]), tool("door.close", door, ["door"])],
            reference={"calls": calls, "match": match},
            **fields,
        )

    return make


@pytest.fixture
def strict() -> CheckOptions:
    """Options that ask for strict rules."""
    return CheckOptions(rules="strict")
