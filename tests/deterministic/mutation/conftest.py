"""Right outputs to plant faults in."""

from __future__ import annotations

from typing import Any

import pytest
from tool_calls import calling, tool

from fiducial.deterministic.mutation import Subject, compose_statement
from fiducial.records import Case, ContextItem, Output

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
SEARCH = tool(
    "flights.search",
    {
        "origin": TEXT,
        "destination": TEXT,
        "date": TEXT,
        "passengers": WHOLE,
        "budget": {"type": "float"},
        "unit": TEXT,
        "direct": {"type": "boolean"},
        "stops": {"type": "array", "items": TEXT},
        "window": {"type": "tuple", "items": TEXT, "description": "Earliest and latest, HH:MM."},
        "cabin": {"type": "string", "enum": ["economy", "business", "first"], "default": "economy"},
        "note": TEXT,
    },
    ["origin", "destination", "date"],
    "Find flights.",
)
BOOK = tool("hotels_book", {"city": TEXT, "nights": WHOLE}, ["city", "nights"], "Book a hotel.")
FIRST = {
    "origin": "Lisbon",
    "destination": "New York",
    "date": "2026-05-14",
    "passengers": 2,
    "budget": 800.0,
    "unit": "euros",
    "direct": True,
    "stops": ["Madrid", "Paris"],
    "window": ["08:00", "12:30"],
}
SECOND = {
    "origin": "New York",
    "destination": "Lisbon",
    "date": "2026-05-21",
    "passengers": 2,
    "cabin": "business",
}


def tool_call_case() -> Case:
    """Return a case with two parallel calls of one of two functions.

    The passengers may be left out, and the cabin may be the default.
    """
    accepted: list[dict[str, Any]] = [
        {name: [value] for name, value in each.items()} for each in (FIRST, SECOND)
    ]
    accepted[0]["cabin"] = ["economy", ""]
    accepted[0]["origin"] = ["Lisbon", "LIS"]
    accepted[1]["origin"] = ["New York", "NYC"]
    return Case(
        id="trip",
        kind="tool_call",
        messages=[{"role": "user", "content": "Lisbon to New York and back, two of us, for 800 euros."}],
        tools=[SEARCH, BOOK],
        reference={"calls": [{"flights.search": each} for each in accepted], "match": "parallel"},
        cluster="trips",
    )


@pytest.fixture
def trip() -> Subject:
    """Native calls that are right."""
    calls = [("flights.search", dict(each)) for each in (FIRST, SECOND)]
    return Subject(tool_call_case(), calling("trip", *calls, system="agent"))


@pytest.fixture
def written_trip() -> Subject:
    """Return the same two calls as source text."""
    calls = ", ".join(
        f"flights.search({', '.join(f'{name}={value!r}' for name, value in each.items())})"
        for each in (FIRST, SECOND)
    )
    return Subject(tool_call_case(), Output(case_id="trip", system="writer", text=f"[{calls}]"))


@pytest.fixture
def answer() -> Subject:
    """A right answer, and the cases of two other questions."""

    def case(name: str, *answers: str) -> Case:
        return Case(
            id=name,
            kind="web_search_answer",
            messages=[{"role": "user", "content": f"Who discovered {name}?"}],
            reference={"answers": list(answers)},
        )

    right = case("radium", "Marie Curie", "M. Curie", "Curie in 1898")
    siblings = (
        case("oxygen", "Joseph Priestley"),
        case("helium", "Jules Janssen"),
        case("same", "marie curie"),
    )
    return Subject(right, Output(case_id="radium", system="agent", text="Marie Curie"), siblings)


@pytest.fixture
def statement() -> Subject:
    """A composed statement about two hotels, supported throughout."""
    hotels = [
        {"name": "Aurora", "city": "Turin", "price": 120, "opened": "2019-05-14", "owner": "Maria Rossi"},
        {"name": "Borea", "city": "Oslo", "price": 95, "opened": "2011-11-02", "owner": "Kari Nordmann"},
    ]
    items = [
        ContextItem(id=str(number), request="hotels", content=hotel) for number, hotel in enumerate(hotels)
    ]
    found = compose_statement(Case(id="hotels", kind="grounded_answer", context=items))
    assert found is not None
    return Subject(*found)
