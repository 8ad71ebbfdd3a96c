"""Material for statements about houses: results, irrelevant sentences, rungs of claims."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ....records import ContextItem
from ..made_cases import made_grounded_case
from .dial import Rung
from .material import PEOPLE, statement_rung, user

_HOUSES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Rowan")
_SORTS = ("Inn", "Lodge", "House", "Court", "Villa", "Manor", "Hall", "Farm")
HOUSES = tuple(f"{house} {sort}" for house in _HOUSES for sort in _SORTS)
"""64 different names."""

_FILLING = (
    "Guests of {year} praised the {thing} beside the {place}.",
    "A {thing} was lent to the {place} by {person}.",
    "In {year} {person} painted the {thing} green.",
    "Nobody remembers who left the {thing} at the {place}.",
    "{person} used to say that the {place} needs a new {thing}.",
)
_OBJECTS = ("clock", "bench", "lamp", "stove", "mirror", "carpet", "bell", "ladder", "chest", "harp")
_PLACES = ("stairs", "terrace", "stable", "bridge", "well", "chapel", "orchard", "gate", "pond", "mill")


def filling_sentence(rng: random.Random) -> str:
    """Return a sentence that is irrelevant to every claim."""
    return rng.choice(_FILLING).format(
        year=rng.randint(1850, 1999),
        thing=rng.choice(_OBJECTS),
        place=rng.choice(_PLACES),
        person=rng.choice(PEOPLE),
    )


def results_of(texts: Sequence[str]) -> list[ContextItem]:
    """Return texts as search results."""
    return [
        ContextItem(id=f"result-{number}", request="houses of the county", content=text)
        for number, text in enumerate(texts, start=1)
    ]


def about_houses(
    context: list[ContextItem], right: str | list[str], faulty: str | list[str], change: str
) -> Rung:
    """Make a rung of a statement; the faulty one has a changed claim.

    Its label is the share of unchanged claims.
    """
    claims, changed = ([each] if isinstance(each, str) else each for each in (right, faulty))
    case = made_grounded_case(
        "dial",
        user("What is known about these houses?"),
        context,
        {"claims": [{"text": claim, "supported": True} for claim in claims]},
    )
    return statement_rung(case, " ".join(claims), " ".join(changed), change, (len(claims) - 1) / len(claims))
