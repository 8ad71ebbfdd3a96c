"""A request with right calls, and the calls of an agent that slips; material for both."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ....records import Message
from ..dials.material import user
from ..near_values import MONTHS

VENUES = ("Alder House", "Birch Court", "Cedar Hall", "Elm Lodge", "Hazel Court", "Larch Hall", "Maple House", "Rowan Lodge")  # fmt: skip
TOWNS = ("Abelby", "Brandholm", "Costmouth", "Duvalby", "Egemouth", "Ferrow", "Gallmere", "Holmby")

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A function's name and its arguments."""


class CallMaterial(NamedTuple):
    """A request with right and faulty calls, and one to which the faulty calls are right.

    Attributes:
        messages: The request.
        twin_messages: The same wording with the facts that the faulty calls assume.
        tools: Documents of the offered functions.
        right: Calls that serve the request.
        faulty: Calls that serve the other request.
        change: The fault, in words.
    """

    messages: list[Message]
    twin_messages: list[Message]
    tools: list[dict[str, Any]]
    right: list[Call]
    faulty: list[Call]
    change: str


DrawCalls: TypeAlias = Callable[[random.Random], CallMaterial]


def written_day(day: dt.date) -> str:
    """Return a day as people write it."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def document(name: str, about: str, required: Mapping[str, str], **optional: str) -> dict[str, Any]:
    """Return a function document; ``#`` before a description makes a whole number."""
    properties = {
        key: {"type": "integer" if text.startswith("#") else "string", "description": text.lstrip("#")}
        for key, text in {**required, **optional}.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def asked(
    wording: str, true: Mapping[str, str], assumed: Mapping[str, str]
) -> tuple[list[Message], list[Message]]:
    """Return the request of the facts, and that of what the faulty calls assume."""
    return [user(wording.format_map(true))], [user(wording.format_map(assumed))]
