"""The form that a function document asks for."""

from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.deterministic.mutation.documented_form import has_type, is_positional, keeps_form

DAY = {"type": "string", "description": "Day of departure, YYYY-MM-DD."}
TIME = {"type": "string", "description": "HH:MM."}
MOMENT = {"type": "string", "description": "Local start, YYYY-MM-DDTHH:MM."}
EITHER = {"type": "string", "description": "DD.MM.YYYY or YYYY-MM-DD"}


FORMS: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    (DAY, ["2026-05-14"], ["2026-5-14", "14 May 2026", "2026-05-14T10:00", ""]),
    (TIME, ["06:00"], ["6:00", "06:00:00", "6 am"]),
    (MOMENT, ["2026-02-10T14:30"], ["2026-02-10T14:30:00", "2026-02-10 14:30", "14:30"]),
    (EITHER, ["14.05.2026", "2026-05-14"], ["14/05/2026"]),
    ({"type": "string", "enum": ["mon", "tue"]}, ["mon"], ["Mon", "monday"]),
    ({"type": "string", "format": "date"}, ["2026-05-14"], ["14 May"]),
    ({"type": "string", "format": "no such format"}, ["anything"], []),
    ({"type": "string", "pattern": "^[A-Z]{3}$"}, ["LIS"], ["lis", "Lisbon"]),
    ({"type": "string", "pattern": r"^[A-Z]{2}-\d+$"}, ["AB-12"], ["AB12"]),
    ({"type": "string", "pattern": "(a+)+$"}, [], ["aaaa"]),
    ({"type": "string", "pattern": "["}, [], ["["]),
    ({"type": "integer"}, [1], [True, 1.5, "1"]),
    ({"type": "float"}, [1, 1.5], [True, "1.5"]),
    ({"type": "tuple", "description": "First and last day, YYYY-MM-DD."}, [["2026-05-14"]], [["May"]]),
    ({"type": "dict", "properties": {"at": TIME}}, [{"at": "06:00"}, {}], [{"at": "6:00"}]),
    ({"type": "array", "items": {"type": "string"}}, [["a"]], ["a", [1]]),
    ({"description": 3, "enum": "mon", "type": 3}, ["x", 1, None], []),
    ({}, ["x", 1, None, [{}]], []),
]


@each_row(("document", "kept", "broken"), FORMS)
def test_a_value_keeps_the_form_or_breaks_it(document: dict[str, Any], kept: list[Any], broken: list[Any]):
    assert [value for value in kept if not keeps_form(value, document)] == []
    assert [value for value in broken if keeps_form(value, document)] == []


def test_where_no_type_is_documented_every_value_has_it():
    assert has_type("1", {})
    assert has_type("1", {"type": "any"})
    assert not has_type("1", {"type": "number"})


@each_row(
    ("document", "positional"),
    [
        ({"type": "tuple", "items": {"type": "float"}}, True),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, True),
        ({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}, True),
        ({"type": "array", "items": {"type": "string"}, "description": "Corners in order."}, False),
        ({}, False),
    ],
)
def test_each_place_of_a_list_has_a_meaning_where_the_document_says_so(
    document: dict[str, Any], positional: bool
):
    assert is_positional(document) == positional
