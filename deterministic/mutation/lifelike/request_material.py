"""Material for requests with right calls and faulty ones, as agents make them."""

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
    """A request with right and faulty calls, and a request for which the faulty calls are right.

    Attributes:
        messages: The request.
        twin_messages: The request in the same wording, with the facts that the faulty calls assume.
        tools: Documents of the offered functions.
        right: The right calls for the request.
        faulty: The right calls for the twin's request.
        change: Description of the fault.
    """

    messages: list[Message]
    twin_messages: list[Message]
    tools: list[dict[str, Any]]
    right: list[Call]
    faulty: list[Call]
    change: str


DrawCalls: TypeAlias = Callable[[random.Random], CallMaterial]
"""Draws the material for one request."""


def day_in_words(day: dt.date) -> str:
    """Return a day as people write it."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def function_document(name: str, about: str, required: Mapping[str, str], **optional: str) -> dict[str, Any]:
    """Return a function document; a description that begins with ``#`` is of an integer."""
    properties = {
        key: {"type": "integer" if text.startswith("#") else "string", "description": text.lstrip("#")}
        for key, text in {**required, **optional}.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def make_requests(
    wording: str, true: Mapping[str, str], assumed: Mapping[str, str]
) -> tuple[list[Message], list[Message]]:
    """Return a request with the true facts, and one with those that the faulty calls assume."""
    return [user(wording.format_map(true))], [user(wording.format_map(assumed))]
