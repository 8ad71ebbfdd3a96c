"""Cases to make probes of: calls, answers and grounded statements, each its own cluster."""

from __future__ import annotations

from collections.abc import Iterator

from fiducial.records import Case, ContextItem

ROOM = {
    "type": "function",
    "function": {
        "name": "rooms.book",
        "description": "Books a room.",
        "parameters": {
            "type": "dict",
            "properties": {
                "city": {"type": "string", "description": "The city."},
                "arrival": {"type": "string", "description": "Day of arrival, YYYY-MM-DD."},
                "nights": {"type": "integer", "description": "How many nights."},
                "price": {"type": "float", "description": "The highest price in euros."},
                "board": {
                    "type": "string",
                    "enum": ["none", "breakfast", "half", "full"],
                    "description": "Meals.",
                },
            },
            "required": ["city", "arrival", "nights", "board"],
        },
    },
}
TABLE = {
    "type": "function",
    "function": {
        "name": "tables.reserve",
        "description": "Reserves a table.",
        "parameters": {
            "type": "dict",
            "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}},
            "required": ["city", "guests"],
        },
    },
}
_CITIES = (
    "New Lisbon",
    "Old Oslo",
    "Port Turin",
    "Fort Riga",
    "Lake Ghent",
    "Mount Cork",
    "Santa Pula",
    "Grand Baku",
)
_FIRST = ("Ada", "Ben", "Cleo", "Dara", "Emil", "Fay", "Gus", "Hana")
_LAST = ("Abel", "Bruni", "Costa", "Duval", "Egede", "Ferro", "Galli", "Hoxha")
_BOARDS = ("none", "breakfast", "half", "full")


def calls(count: int) -> Iterator[Case]:
    """Cases that ask for one call each."""
    for number in range(count):
        city, board = f"{_CITIES[number % 8]} {_LAST[number // 8 % 8]}", _BOARDS[number % 4]
        nights, price, day = number % 9 + 2, 80.0 + number, number % 20 + 1
        yield Case(
            id=f"call-{number}",
            kind="tool_call",
            messages=[
                {
                    "role": "user",
                    "content": f"{nights} nights in {city} from 2026-05-{day:02}, {board} board, at most {price} euros.",
                }
            ],
            tools=[ROOM, TABLE],
            reference={
                "calls": [
                    {
                        "rooms.book": {
                            "city": [city],
                            "arrival": [f"2026-05-{day:02}"],
                            "nights": [nights],
                            "price": [price],
                            "board": [board],
                        }
                    }
                ],
                "match": "multiple",
            },
        )


def answers(count: int) -> Iterator[Case]:
    """Cases that ask for a name."""
    for number in range(count):
        name = f"{_FIRST[number % 8]} {_LAST[number // 8 % 8]} {_FIRST[number // 64]}son"
        yield Case(
            id=f"answer-{number}",
            kind="web_search_answer",
            messages=[{"role": "user", "content": f"Who built the bridge number {number}?"}],
            reference={"answers": [name, name.replace(" ", ". ", 1)]},
        )


def statements(count: int) -> Iterator[Case]:
    """Cases with three structured results each."""
    for number in range(count):
        yield Case(
            id=f"statement-{number}",
            kind="grounded_answer",
            messages=[{"role": "user", "content": "What is known of these inns?"}],
            context=[
                ContextItem(
                    id=str(place),
                    request="inns",
                    content={
                        "name": f"Inn {number}-{place}",
                        "owner": f"{_FIRST[(number + place) % 8]} {_LAST[(number + 3 * place) % 8]}",
                        "opened": f"20{(number + place) % 20:02}-0{place + 1}-1{place}",
                        "rooms": 20 + number + 7 * place,
                        "city": f"{_CITIES[(number + place) % 8]}",
                    },
                )
                for place in range(3)
            ],
        )
