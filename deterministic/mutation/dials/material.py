"""Material for the cases of dials: people, days, functions, conversations."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from ....records import Case, Message, Output, ToolCall
from ..made_cases import made_call_case
from ..right_outputs import REFERENCE_SYSTEM
from ..seeding import generator
from .dial import Rung

_FIRST = ("Ada", "Bela", "Cleo", "Dara", "Emil", "Fay", "Gus", "Hana", "Ines", "Jon", "Kira", "Lou")
_LAST = ("Abel", "Brandt", "Costa", "Duval", "Egede", "Ferro", "Galli", "Holm")
PEOPLE = tuple(f"{first} {last}" for last, first in product(_LAST, _FIRST))
"""96 different names."""

_FIRST_DAY = dt.date(2026, 1, 5)
_DAYS = 700

TEXT, WHOLE = "string", "integer"

Arguments = Mapping[str, Any]


def dial_rng(name: str, seed: int) -> random.Random:
    """Return a dial's random generator, in the same state at every level."""
    return generator("dial", name, seed)


def random_index(rng: random.Random, count: int) -> int:
    """Return a random index below ``count``; its share of the count depends only on ``rng``."""
    return int(rng.random() * count)


def random_names(rng: random.Random, count: int) -> list[str]:
    """Return different names."""
    return rng.sample(PEOPLE, count)


def random_day(rng: random.Random) -> dt.date:
    """Return a random day of 2026 or 2027."""
    return _FIRST_DAY + dt.timedelta(days=rng.randrange(_DAYS))


def tool(name: str, description: str, properties: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return a function document in which all properties are required.

    Each property has a type and a description.
    """
    documents = {key: {"type": kind, "description": text} for key, (kind, text) in properties.items()}
    parameters = {"type": "object", "properties": documents, "required": list(documents)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def user(content: str) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content}


def call_rung(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    right: Sequence[tuple[str, Arguments]],
    faulty: Sequence[tuple[str, Arguments]],
    change: str,
) -> Rung:
    """Make a rung of calls, which the strict checker labels."""
    case = made_call_case("dial", messages, tools, right)
    return Rung(case, _calls(right), _calls(faulty), change)


def _calls(calls: Sequence[tuple[str, Arguments]]) -> Output:
    made = [ToolCall(name=name, arguments=dict(arguments)) for name, arguments in calls]
    return Output(case_id="dial", system=REFERENCE_SYSTEM, tool_calls=made)


def with_item(values: Sequence[Any], index: int, value: Any) -> list[Any]:
    """Return a list with another value at an index."""
    return [*values[:index], value, *values[index + 1 :]]


def statement_rung(case: Case, right: str, faulty: str, change: str, label: float = 0.0) -> Rung:
    """Make a rung of statements, labelled by construction."""
    output = Output(case_id=case.id, system=REFERENCE_SYSTEM, text=right)
    return Rung(case, output, msgspec.structs.replace(output, text=faulty), change, label)
