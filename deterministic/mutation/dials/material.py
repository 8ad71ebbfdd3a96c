"""Material for dials: people, houses, days, functions, sentences; cases and rungs of these."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from ....records import Case, ContextItem, Message, Output, ToolCall
from ..right_outputs import REFERENCE_SYSTEM
from ..seeding import generator
from .dial import Rung

_FIRST_NAMES = ("Ada", "Bela", "Cleo", "Dara", "Emil", "Fay", "Gus", "Hana", "Ines", "Jon", "Kira", "Lou")
_LAST_NAMES = ("Abel", "Brandt", "Costa", "Duval", "Egede", "Ferro", "Galli", "Holm")
PEOPLE = tuple(f"{first} {last}" for last, first in product(_LAST_NAMES, _FIRST_NAMES))
"""96 different names."""

_FIRST_DAY = dt.date(2026, 1, 5)
_DAYS = 700

TEXT, INTEGER = "string", "integer"

Arguments = Mapping[str, Any]


def dial_rng(name: str, seed: int) -> random.Random:
    """Return a dial's random generator, whose state is the same for all levels of a seed."""
    return generator("dial", name, seed)


def random_index(rng: random.Random, count: int) -> int:
    """Return a random index below ``count``; its relative position depends only on ``rng``."""
    return int(rng.random() * count)


def random_names(rng: random.Random, count: int) -> list[str]:
    """Return different names."""
    return rng.sample(PEOPLE, count)


def random_day(rng: random.Random) -> dt.date:
    """Return a random day of 2026 or 2027."""
    return _FIRST_DAY + dt.timedelta(days=rng.randrange(_DAYS))


def tool(name: str, description: str, properties: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return a function document with required parameters, given as (type, description)."""
    documents = {key: {"type": kind, "description": text} for key, (kind, text) in properties.items()}
    parameters = {"type": "object", "properties": documents, "required": list(documents)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def user(content: str) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content}


def make_call_case(
    case_id: str,
    messages: Iterable[Message],
    tools: Iterable[Mapping[str, Any]],
    calls: Iterable[tuple[str, Mapping[str, Any]]],
) -> Case:
    """Return a case with these calls as its reference."""
    return Case(
        id=case_id,
        kind="tool_call",
        messages=list(messages),
        tools=[dict(tool) for tool in tools],
        reference={"calls": [{"name": name, "arguments": dict(arguments)} for name, arguments in calls]},
    )


def make_grounded_case(
    case_id: str,
    question: Message,
    context: Sequence[ContextItem],
    reference: Mapping[str, Any] | None = None,
) -> Case:
    """Return a case with a question about search results."""
    return Case(
        id=case_id,
        kind="grounded_answer",
        messages=[question],
        context=list(context),
        reference={**(reference or {})},
    )


def call_rung(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    right: Sequence[tuple[str, Arguments]],
    faulty: Sequence[tuple[str, Arguments]],
    change: str,
) -> Rung:
    """Make a rung of right and faulty calls, which the strict checker labels."""
    case = make_call_case("dial", messages, tools, right)
    return Rung(case, _output_with_calls(right), _output_with_calls(faulty), change)


def _output_with_calls(calls: Sequence[tuple[str, Arguments]]) -> Output:
    tool_calls = [ToolCall(name=name, arguments=dict(arguments)) for name, arguments in calls]
    return Output(case_id="dial", system=REFERENCE_SYSTEM, tool_calls=tool_calls)


def with_item(values: Sequence[Any], index: int, value: Any) -> list[Any]:
    """Return a list with another value at an index."""
    return [*values[:index], value, *values[index + 1 :]]


def statement_rung(case: Case, right: str, faulty: str, change: str, label: float = 0.0) -> Rung:
    """Make a rung of a right and a faulty statement, labelled by construction."""
    output = Output(case_id=case.id, system=REFERENCE_SYSTEM, text=right)
    return Rung(case, output, msgspec.structs.replace(output, text=faulty), change, label)


_HOUSE_NAMES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Rowan")
_HOUSE_SORTS = ("Inn", "Lodge", "House", "Court", "Villa", "Manor", "Hall", "Farm")
HOUSES = tuple(f"{house} {sort}" for house in _HOUSE_NAMES for sort in _HOUSE_SORTS)
"""64 different names."""

_FILLING_SENTENCES = (
    "Guests of {year} praised the {thing} beside the {place}.",
    "A {thing} was lent to the {place} by {person}.",
    "In {year} {person} painted the {thing} green.",
    "Nobody remembers who left the {thing} at the {place}.",
    "{person} used to say that the {place} needs a new {thing}.",
)
_OBJECTS = ("clock", "bench", "lamp", "stove", "mirror", "carpet", "bell", "ladder", "chest", "harp")
_PLACES = ("stairs", "terrace", "stable", "bridge", "well", "chapel", "orchard", "gate", "pond", "mill")


def filling_sentence(rng: random.Random) -> str:
    """Return a sentence that is irrelevant to all claims."""
    return rng.choice(_FILLING_SENTENCES).format(
        year=rng.randint(1850, 1999),
        thing=rng.choice(_OBJECTS),
        place=rng.choice(_PLACES),
        person=rng.choice(PEOPLE),
    )


def as_results(texts: Sequence[str]) -> list[ContextItem]:
    """Return texts as search results."""
    return [
        ContextItem(id=f"result-{number}", request="houses of the county", content=text)
        for number, text in enumerate(texts, start=1)
    ]


def house_rung(
    context: list[ContextItem], right: str | list[str], faulty: str | list[str], change: str
) -> Rung:
    """Make a rung of a statement about houses, whose faulty variant has one changed claim.

    The faulty statement's label is the share of unchanged claims.
    """
    claims, faulty_claims = (
        [statement] if isinstance(statement, str) else statement for statement in (right, faulty)
    )
    case = make_grounded_case(
        "dial",
        user("What is known about these houses?"),
        context,
        {"claims": [{"text": claim, "supported": True} for claim in claims]},
    )
    return statement_rung(
        case, " ".join(claims), " ".join(faulty_claims), change, (len(claims) - 1) / len(claims)
    )
