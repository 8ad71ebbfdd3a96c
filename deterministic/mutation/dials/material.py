"""Material for the cases of dials: people, days, functions, conversations."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from ....records import Case, Message, Output, ToolCall
from ..chance import generator
from ..right_outputs import REFERENCE_SYSTEM
from .dial import Rung

_FIRST = ("Ada", "Bela", "Cleo", "Dara", "Emil", "Fay", "Gus", "Hana", "Ines", "Jon", "Kira", "Lou")
_LAST = ("Abel", "Brandt", "Costa", "Duval", "Egede", "Ferro", "Galli", "Holm")
PEOPLE = tuple(f"{first} {last}" for last, first in product(_LAST, _FIRST))
"""Names; 96 of them."""

_FIRST_DAY = dt.date(2026, 1, 5)
_DAYS = 700

TEXT, WHOLE = "string", "integer"

Arguments = Mapping[str, Any]


def scene(name: str, seed: int) -> random.Random:
    """Return the random generator of a scene, equal at every level."""
    return generator("dial", name, seed)


def somewhere(chance: random.Random, count: int) -> int:
    """Return one of ``count`` places, equally far along for every count.

    This holds for one state of ``chance``.
    """
    return int(chance.random() * count)


def people(chance: random.Random, count: int) -> list[str]:
    """Return different names."""
    return chance.sample(PEOPLE, count)


def day(chance: random.Random) -> dt.date:
    """Return a random day of 2026 or 2027."""
    return _FIRST_DAY + dt.timedelta(days=chance.randrange(_DAYS))


def tool(name: str, description: str, properties: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return a function document in which all properties are required.

    Each property has a type and a description.
    """
    documents = {key: {"type": kind, "description": said} for key, (kind, said) in properties.items()}
    parameters = {"type": "object", "properties": documents, "required": list(documents)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def user(content: str) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content}


def calling(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    right: Sequence[tuple[str, Arguments]],
    faulty: Sequence[tuple[str, Arguments]],
    change: str,
) -> Rung:
    """Make a question about calls, which the strict checker labels."""
    wanted = [{"name": name, "arguments": dict(arguments)} for name, arguments in right]
    case = Case(
        id="dial",
        kind="tool_call",
        messages=list(messages),
        tools=[dict(each) for each in tools],
        reference={"calls": wanted},
    )
    return Rung(case, _calls(right), _calls(faulty), change)


def _calls(calls: Sequence[tuple[str, Arguments]]) -> Output:
    made = [ToolCall(name=name, arguments=dict(arguments)) for name, arguments in calls]
    return Output(case_id="dial", system=REFERENCE_SYSTEM, tool_calls=made)


def put(values: Sequence[Any], place: int, value: Any) -> list[Any]:
    """Return a list with another value at one place."""
    return [*values[:place], value, *values[place + 1 :]]


def stating(case: Case, right: str, faulty: str, change: str, label: float = 0.0) -> Rung:
    """Make a question about a statement, labelled by construction."""
    output = Output(case_id=case.id, system=REFERENCE_SYSTEM, text=right)
    return Rung(case, output, msgspec.structs.replace(output, text=faulty), change, label)
