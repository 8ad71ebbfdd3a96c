"""References that the case's own tools cannot produce are refused, with their field."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic import check
from fiducial.deterministic.ast.schema_check import require_producible
from fiducial.errors import InputError
from fiducial.records import Case, Output

BOOK: dict[str, Any] = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer"},
            "price": {"type": "float"},
            "paid": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "spot": {"type": "tuple", "items": {"type": "float"}},
            "guest": {
                "type": "dict",
                "properties": {
                    "name": {"type": "string"},
                    "ages": {"type": "array", "items": {"type": "integer"}},
                    "room": {
                        "type": "object",
                        "properties": {"beds": {"type": "integer"}},
                        "required": ["beds"],
                    },
                },
                "required": ["name"],
            },
            "guests": {
                "type": "array",
                "items": {"type": "dict", "properties": {"name": {"type": "string"}}},
            },
            "free": {"type": "object"},
            "open": {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            },
            "filter": {"type": "object", "properties": {"any_of": {"type": "array"}}},
            "unit": {"type": "string", "enum": ["Celsius", "Fahrenheit"]},
            "days": {"type": "array", "items": {"type": "string"}, "enum": ["Mon", "Tue"]},
            "mode": {"type": "string", "enum": ["fast", "slow"], "default": "any"},
            "note": {"type": ["string", "null"]},
            "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "size": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "colour": {"type": "string", "nullable": True},
            "limit": {"type": "integer", "default": None},
            "anything": {"type": "any"},
            "untyped": {"description": "of no type"},
            "strange": {"type": "datetime"},
        },
        "required": ["city"],
    },
}
PING: dict[str, Any] = {"name": "ping"}


def case(*calls: dict[str, Any], tools: list[dict[str, Any]] | None = None, **reference: Any) -> Case:
    return Case(
        id="trip",
        kind="tool_call",
        tools=tools or [PING, BOOK],
        reference={"calls": list(calls), **reference},
    )


def refusal(refused: Case) -> str | None:
    """The message with which a case is refused, or None if it is accepted."""
    try:
        require_producible(refused)
    except InputError as error:
        return str(error)
    return None


def plain(**arguments: Any) -> dict[str, Any]:
    return {"name": "book", "arguments": {"city": "Rome", **arguments}}


def listed(**arguments: list[Any]) -> dict[str, Any]:
    return {"book": {"city": ["Rome"], **arguments}}


@each_row(
    "call",
    [
        {"name": "ping"},
        {"ping": {}},
        plain(nights=2, price=80, paid=True, tags=["sea"], spot=[1, 2.5]),
        plain(nights=2.0),
        plain(
            guest={"name": "Ann", "ages": [3, 4], "room": {"beds": 2}},
            guests=[{"name": "Ann"}],
            free={"x": [1]},
        ),
        plain(open={"a": 1, "b": "text"}),
        plain(unit="celsius", days=["Mon"], mode="any"),
        plain(note=None, when=None, size=3, colour=None, limit=None),
        plain(note="x", when="y", size="z", colour="red", limit=3),
        plain(anything={"a": 1}, untyped=[1], strange="2026-05-01"),
        plain(nights={"any_of": [2, "two"]}, price={"optional": 3}),
        plain(guest={"name": {"any_of": ["Ann", "Anne"]}, "ages": {"optional": [3]}}),
        plain(filter={"exactly": {"any_of": [1]}}),
        listed(
            nights=[2, ""],
            price=[80],
            tags=[["sea"]],
            spot=[[1, 2]],
            guest=[{"name": ["Ann"], "ages": [[3]]}],
        ),
        listed(guest=[{"name": "Ann", "ages": [3]}], guests=[[{"name": ["Ann", "Anne"]}]]),
        listed(nights=["two", 2]),
        listed(free=[{"x": [1], "y": ["", 2]}]),
    ],
)
def test_what_the_tools_can_produce_is_accepted(call: dict[str, Any]):
    assert refusal(case(call)) is None


@each_row(
    ("call", "field", "problem"),
    [
        ({"name": "boook", "arguments": {}}, "calls[0]", "the reference calls 'boook', which is not among the tools; there are ping, book (did"),
        ({"name": "ping", "arguments": {"x": 1}}, "calls[0].arguments.x", "ping has no argument 'x'"),
        (plain(night=2), "calls[0].arguments.night", "book has no argument 'night'; it takes city, nights, price"),
        (listed(night=[2]), "calls[0].book.night", "book has no argument 'night'"),
        ({"book": {"nights": [2]}}, "calls[0].book", "book requires the argument 'city', and no accepted value gives it"),
        ({"book": {"city": [""]}}, "calls[0].book", "book requires the argument 'city'"),
        (plain(nights="two"), "calls[0].arguments.nights", "expected a value of type integer, got 'two'"),
        (listed(nights=["two", ""]), "calls[0].book.nights", "expected a value of type integer"),
        (plain(nights=True), "calls[0].arguments.nights", "expected a value of type integer, got True"),
        (plain(nights=2.5), "calls[0].arguments.nights", "expected a value of type integer, got 2.5"),
        (plain(nights=None), "calls[0].arguments.nights", "expected a value of type integer, got None"),
        (plain(price="80"), "calls[0].arguments.price", "expected a value of type float, got '80'"),
        (plain(city=5), "calls[0].arguments.city", "expected a value of type string, got 5"),
        (plain(tags="sea"), "calls[0].arguments.tags", "expected a value of type array, got 'sea'"),
        (plain(tags=["sea", 1]), "calls[0].arguments.tags[1]", "expected a value of type string, got 1"),
        (listed(tags=["sea", "sun"]), "calls[0].book.tags", "expected a value of type array, got 'sea'; each item of this list is one"),
        (plain(guest={}), "calls[0].arguments.guest", "the tool requires 'name' here"),
        (plain(guest={"name": "Ann", "age": 3}), "calls[0].arguments.guest.age", "the tool documents no 'age' here; it has name, ages, room (did"),
        (plain(guest={"name": "Ann", "room": {"beds": "two"}}), "calls[0].arguments.guest.room.beds", "expected a value of type integer, got 'two'"),
        (plain(guests=[{"name": "Ann"}, {"name": 3}]), "calls[0].arguments.guests[1].name", "expected a value of type string, got 3"),
        (listed(guest=[{"name": [3], "ages": [["x"]]}]), "calls[0].book.guest.name", "expected a value of type string, got 3"),
        (plain(open={"b": 3}), "calls[0].arguments.open.b", "expected a value of type string, got 3"),
        (plain(unit="Kelvin"), "calls[0].arguments.unit", "expected one of 'Celsius', 'Fahrenheit', got 'Kelvin'"),
        (plain(days=["Sun"]), "calls[0].arguments.days[0]", "expected one of 'Mon', 'Tue', got 'Sun'"),
        (plain(note=3), "calls[0].arguments.note", "expected a value of type string or null, got 3"),
        (plain(size=[3]), "calls[0].arguments.size", "expected a value of one of several forms"),
        (plain(filter={"any_of": [1]}), "calls[0].arguments.filter", "the tool documents a property 'any_of' here, so this may be meant"),
    ],
)  # fmt: skip
def test_what_the_tools_cannot_produce_is_refused_with_case_and_field(
    call: dict[str, Any], field: str, problem: str
):
    with pytest.raises(InputError) as caught:
        require_producible(case(call))
    assert str(caught.value).startswith(f"reference.{field}: case 'trip': {problem}")


def test_a_reference_without_calls_is_refused():
    with pytest.raises(InputError, match=r"reference\.calls: case 'trip': .* is of kind no_call"):
        require_producible(case())


def test_a_tool_that_is_there_twice_cannot_be_looked_up():
    with pytest.raises(InputError, match=r"reference\.calls\[0\]: case 'trip': 2 tools have the name 'book'"):
        require_producible(case(plain(), tools=[BOOK, BOOK]))


@pytest.mark.parametrize("match", ["simple", "multiple", "parallel"])
def test_data_with_bfcls_own_ways_keep_them(match: str):
    wrong = listed(nights=["two"], unknown=[1])
    assert refusal(case(wrong, match=match)) is None
    assert refusal(case(wrong)) is not None


def test_in_other_languages_a_text_may_be_any_expression():
    tool: dict[str, Any] = {
        "name": "f",
        "parameters": {
            "type": "dict",
            "properties": {"m": {"type": "HashMap"}, "n": {"type": "long"}, "s": {"type": "Set"}},
            "required": ["m"],
        },
    }
    good = {"f": {"m": ["theMap"], "n": [3], "s": [[1, 2]]}}
    assert refusal(case(good, tools=[tool], language="java")) is None
    with pytest.raises(InputError, match="expected a value of type long, got True"):
        require_producible(case({"f": {"m": [{"a": [1]}], "n": [True]}}, tools=[tool], language="java"))


def test_other_kinds_are_not_looked_at():
    assert refusal(Case(id="q", kind="memory_answer", reference={"answers": ["x"]})) is None


def test_a_required_that_is_not_a_list_requires_nothing():
    inner = {"type": "object", "properties": {"city": {"type": "string"}}, "required": True}
    trip = {"name": "trip", "parameters": {"type": "object", "properties": {"to": inner}, "required": True}}
    accepted = case({"name": "trip", "arguments": {"to": {"city": "Rome"}}}, tools=[trip])
    assert refusal(accepted) is None
    assert (
        check(accepted, Output(case_id="trip", system="s", text="[trip(to={'city': 'Rome'})]")).score == 1.0
    )
