"""Conversations with the scripted server, and tools for them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

CONVERSATIONS: dict[str, list[str]] = {
    "parallel": ["What is the weather in Rome and Oslo for 2 days?"],
    "failing": ["Book 2 nights in Ghent for Zoe."],
    "chain": ["Look up the weather in Lecce, then book a night there."],
    "plain": ["Hello there"],
    "crash": ["Explode, please."],
    "session": ["What is the weather in Pisa?", "And tomorrow in Rome?"],
}
"""What the user says, by conversation."""

Call = tuple[str, dict[str, Any]]

REPLIES: dict[str, list[str | list[Call]]] = {
    "What is the weather in Rome and Oslo for 2 days?": [
        [("get_weather", {"city": "Rome"}), ("get_weather", {"city": "Oslo", "days": 2})],
        "Rome has 21 degrees, Oslo has 7. ☀",
    ],
    "Book 2 nights in Ghent for Zoe.": [
        [("book", {"city": "Ghent", "nights": 2, "guest": 'Zoe "Z" O\'Neil'})],
        "Sorry, the booking failed.",
    ],
    "Look up the weather in Lecce, then book a night there.": [
        [("get_weather", {"city": "Lecce"})],
        [("book", {"city": "Lecce", "nights": 1, "guest": "Ann"})],
        "Lecce is booked.",
    ],
    "Hello there": ["Hello! How can I help?"],
    "What is the weather in Pisa?": [[("get_weather", {"city": "Pisa"})], "Pisa has 21 degrees."],
    "And tomorrow in Rome?": [
        [("get_weather", {"city": "Rome", "days": 1})],
        "Rome has 21 degrees tomorrow.",
    ],
}
"""What the model replies to each text of the user, one reply after the other. To any other text the server fails."""

INSTRUCTIONS = "Be brief."
MODEL = "mock-1"


def each_alone(hold: Callable[[str, list[str]], None]) -> None:
    """Hold each conversation in a context of its own, and print failures."""
    for name, texts in CONVERSATIONS.items():
        try:
            copy_context().run(hold, name, texts)
        except Exception as error:  # noqa: BLE001 - two conversations have to fail
            print(f"{name}: {type(error).__name__}: {error}"[:200])


def get_weather(city: str, days: int = 1) -> str:
    """Return the weather of a city.

    Args:
        city: The city.
        days: The number of days.
    """
    del days
    return f'{{"city": "{city}", "celsius": {7 if city == "Oslo" else 21}}}'


def book(city: str, nights: int, guest: str) -> str:
    """Book a hotel.

    Args:
        city: The city.
        nights: The number of nights.
        guest: The guest's name.
    """
    del nights, guest
    if city == "Ghent":
        raise ValueError("no rooms left in Ghent")
    return f"booked {city}"
