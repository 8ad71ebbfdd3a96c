"""Draw facts, a claim that holds, and the claim that a lifelike fault makes of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from ..dials.material import PEOPLE
from . import claim_relations as relations
from .fact_tables import Relation, TableFact, listed

_TREES = ("Alder", "Aspen", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Larch", "Linden", "Maple", "Rowan", "Willow")  # fmt: skip
_PLACES = ("Abelby", "Brandholm", "Costmouth", "Duvalby", "Egemouth", "Ferrow", "Gallmere", "Holmby")
_MONTHS = ("March", "May", "July", "October")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven")
_AFTER = ("a storm", "a fire", "a flood", "a lightning strike", "a heavy snowfall", "a small earthquake")
_FOR = ("its accessible entrance", "its evening courses", "its low energy use", "its work with schools", "its restored hall", "its friendly staff")  # fmt: skip
_SORTS = ("Inn", "Museum", "Library", "Clinic", "School", "Theatre")


class ClaimMaterial(NamedTuple):
    """Facts for one pair of answers.

    Attributes:
        about: Relations of which more is said of the same things.
        stated: Facts of which the results are written.
        true: A claim that is held.
        false: The claim that a fault makes of it, in the same form.
        question: The user's question.
        implied: Facts that the stated ones imply.
    """

    about: tuple[Relation, ...]
    stated: tuple[TableFact, ...]
    true: TableFact
    false: TableFact
    question: str
    implied: tuple[TableFact, ...] = ()

    @property
    def table(self) -> tuple[TableFact, ...]:
        """Everything that the results hold about the claims."""
        return (*self.stated, *self.implied)


DrawClaims: TypeAlias = Callable[[random.Random], ClaimMaterial]

_of_houses = partial(ClaimMaterial, relations.ABOUT_HOUSES)
_of_orders = partial(ClaimMaterial, relations.ABOUT_ORDERS)


def background(relation: Relation, thing: str, rng: random.Random) -> TableFact:
    """Return a fact that is also said of a thing."""
    drawn = {
        "year": str(rng.randint(1871, 1989)),
        "number": str(rng.randint(12, 96)),
        "person": rng.choice(PEOPLE),
        "place": rng.choice(_PLACES),
    }
    return TableFact(relation, {"thing": thing, **{name: drawn[name] for name in relation.values}})


def things(rng: random.Random, count: int, sort: str | None = None) -> list[str]:
    """Return the names of different houses."""
    return [f"the {tree} {sort or rng.choice(_SORTS)}" for tree in rng.sample(_TREES, count)]


def _unsupported_detail(
    bare: Relation, detailed: Relation, details: Sequence[str], rng: random.Random
) -> ClaimMaterial:
    thing, other = things(rng, 2)
    held, invented = rng.sample(details, 2)
    year, other_year = (str(year) for year in rng.sample(range(1991, 2024), 2))
    given = TableFact(bare, {"thing": thing, "year": year})
    true = TableFact(detailed, {"thing": other, "year": other_year, "detail": held})
    false = TableFact(detailed, {"thing": thing, "year": year, "detail": invented})
    return _of_houses((given, true), true, false, f"What is known about {thing} and {other}?")


def _wrong_role(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1)
    roles = rng.sample(("owner", "manager", "architect", "treasurer"), 3)
    people = rng.sample(PEOPLE, 3)
    stated = tuple(
        TableFact(relations.ROLE, {"thing": thing, "role": role, "person": person})
        for role, person in zip(roles, people, strict=True)
    )
    true = stated[0]
    return _of_houses(stated, true, true.altered(person=people[1]), f"Who is who at {thing}?")


def _wrong_direction(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1)
    seller, buyer = rng.sample(PEOPLE, 2)
    slots = {"thing": thing, "year": str(rng.randint(1991, 2024)), "seller": seller, "buyer": buyer}
    true = TableFact(relations.SALE, slots)
    return _of_houses(
        (true,), true, true.altered(seller=buyer, buyer=seller), f"Who sold {thing}, and to whom?"
    )


def _some_as_all(rng: random.Random) -> ClaimMaterial:
    thing = f"the {rng.choice(_PLACES)} library"
    total, do = rng.choice(((4, 2), (5, 2), (5, 3), (6, 3), (6, 4), (7, 5)))
    branches = [f"{tree} Street" for tree in rng.sample(_TREES, total)]
    activity = rng.choice(("lend laptops", "open on Sundays", "have a lift", "take cash", "offer courses"))
    slots = {
        "thing": thing,
        "property": activity,
        "quantity": f"{_NUMBERS[do]} of the {_NUMBERS[total]}",
        "total": _NUMBERS[total],
        "yes": listed(branches[:do]),
        "no": listed(branches[do:]),
    }
    true = TableFact(relations.SHARE, slots)
    false = true.altered(quantity=f"all {_NUMBERS[total]}")
    return _of_houses((true,), true, false, f"Do the branches of {thing} {activity}?")


def _weekdays_as_every_day(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, "Inn")
    days = rng.choice(("from Tuesday to Saturday", "on weekdays", "at weekends", "from May to September"))
    meal = rng.choice(("lunch", "dinner", "breakfast"))
    true = TableFact(relations.DAYS, {"thing": thing, "meal": meal, "days": days})
    always = "all year round" if "May" in days else "every day of the week"
    return _of_houses((true,), true, true.altered(days=always), f"When is there {meal} at {thing}?")


def _old_rate(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, "Inn")
    before, now = (str(amount) for amount in rng.sample(range(60, 240), 2))
    dates = [f"{rng.choice(_MONTHS)} {year}" for year in sorted(rng.sample(range(2021, 2027), 2))]
    old = TableFact(relations.RATE_BEFORE, {"thing": thing, "date": dates[0], "amount": before})
    true = TableFact(relations.RATE_NOW, {"thing": thing, "date": dates[1], "amount": now})
    return _of_houses(
        (old, true), true, true.altered(amount=before), f"What does a night at {thing} cost now?"
    )


def _former_head(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, rng.choice(("Museum", "Library", "Clinic", "School")))
    before, now = rng.sample(PEOPLE, 2)
    dates = [f"{rng.choice(_MONTHS)} {year}" for year in sorted(rng.sample(range(2021, 2027), 2))]
    old = TableFact(relations.HEAD_BEFORE, {"thing": thing, "date": dates[0], "person": before})
    true = TableFact(relations.HEAD_NOW, {"thing": thing, "date": dates[1], "person": now})
    return _of_houses((old, true), true, true.altered(person=before), f"Who heads {thing} now?")


def _other_unit(relation: Relation, units: Sequence[str], asked: str, rng: random.Random) -> ClaimMaterial:
    """Draw an amount, and another thing's in the other unit."""
    thing, another = things(rng, 2)
    unit, other = rng.sample(units, 2)
    slots = {"thing": thing, "year": str(rng.randint(2011, 2025)), "amount": str(rng.randint(3, 89))}
    true = TableFact(relation, {**slots, "unit": unit})
    beside = true.altered(thing=another, unit=other, amount=str(rng.randint(3, 89)))
    return _of_houses((true, beside), true, true.altered(unit=other), asked.format(**slots))


def _other_period(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, rng.choice(("Museum", "Theatre")))
    year, part = str(rng.randint(2011, 2025)), rng.choice(("the first quarter", "the last quarter", "July"))
    few = rng.randint(900, 4_000)
    numbers = {part: str(few), "the whole": str(few * rng.randint(3, 6) + rng.randint(1, 800))}
    stated = tuple(
        TableFact(
            relations.VISITORS,
            {"thing": thing, "year": year, "period": period, "number": number},
        )
        for period, number in numbers.items()
    )
    true = rng.choice(stated)
    wrong = next(fact.slots["number"] for fact in stated if fact is not true)
    return _of_houses(
        stated, true, true.altered(number=wrong), f"How many visitors did {thing} have in {year}?"
    )


def _other_scope(rng: random.Random) -> ClaimMaterial:
    thing = f"the {rng.choice(_PLACES)} library"
    few = rng.randint(900, 4_000)
    numbers = {
        "the main branch": str(few),
        "the whole network": str(few * rng.randint(2, 5) + rng.randint(1, 800)),
    }
    stated = tuple(
        TableFact(relations.LOANS, {"thing": thing, "scope": scope, "number": number})
        for scope, number in numbers.items()
    )
    true = rng.choice(stated)
    wrong = next(fact.slots["number"] for fact in stated if fact is not true)
    return _of_houses(stated, true, true.altered(number=wrong), f"How many books did {thing} lend?")


def _fee_without_card(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, rng.choice(("Museum", "Theatre")))
    day, amount = rng.choice(("Mondays", "Tuesdays", "Fridays", "Sundays")), str(rng.randint(6, 30))
    slots = {"thing": thing, "day": day}
    rule = TableFact(relations.FEE_RULE, {**slots, "amount": amount})
    card = " with a member card"
    true = TableFact(relations.FEE, {**slots, "condition": card, "fee": "free"})
    without = true.altered(condition=" without a member card", fee=f"{amount} crowns")
    question = f"I have no member card. What is entry to {thing} on {day}?"
    return _of_houses((rule,), true, true.altered(condition=""), question, (true, without))


def _late_refund(rng: random.Random) -> ClaimMaterial:
    (thing,) = things(rng, 1, rng.choice(("Inn", "Theatre")))
    days = str(rng.randint(3, 21))
    rule = TableFact(relations.REFUND_RULE, {"thing": thing, "days": days})
    early = f", provided it is cancelled at least {days} days ahead"
    late = f" if it is cancelled less than {days} days ahead"
    true = TableFact(relations.REFUND, {"thing": thing, "condition": early, "refund": "in full"})
    nothing = true.altered(condition=late, refund="not at all")
    question = f"I want to cancel my booking at {thing} for tomorrow. Is it refunded?"
    return _of_houses((rule,), true, true.altered(condition=""), question, (true, nothing))


def order_name(rng: random.Random) -> str:
    """Return the name of an order."""
    return f"order {rng.choice('ABCDEFGH')}-{rng.randint(1000, 9999)}"


def _some_booked(rng: random.Random) -> ClaimMaterial:
    thing, total = order_name(rng), rng.randint(3, 5)
    done = rng.randint(1, total - 1)
    states = ["booked"] * done + [
        rng.choice(("waits for approval, not booked", "not booked, no room is free"))
        for _ in range(total - done)
    ]
    rng.shuffle(states)
    stated = tuple(
        TableFact(relations.BOOKED, {"thing": thing, "what": f"room {number}", "state": state})
        for number, state in zip(rng.sample(range(101, 190), total), states, strict=True)
    )
    quantity = f"{_NUMBERS[done]} of the {_NUMBERS[total]}"
    true = TableFact(relations.BOOKED_ALL, {"thing": thing, "quantity": quantity})
    false = true.altered(quantity=f"all {_NUMBERS[total]}")
    question = f"Book {_NUMBERS[total]} rooms for {thing}, and tell me what is done."
    return _of_orders(stated, true, false, question, (true,))


def _some_copied(rng: random.Random) -> ClaimMaterial:
    thing, total = order_name(rng), rng.randint(120, 980)
    done = rng.randint(total // 3, total - 20)
    slots = {"thing": thing, "number": str(done), "total": str(total)}
    true = TableFact(relations.COPIED, slots)
    return _of_orders(
        (true,),
        true,
        true.altered(number=f"all {total}"),
        f"Copy the {total} files of {thing}, and tell me what is done.",
    )


def _failed_payment(rng: random.Random) -> ClaimMaterial:
    thing = order_name(rng)
    true = TableFact(relations.PAYMENT, {"thing": thing, "outcome": "did not go through"})
    false = true.altered(outcome=rng.choice(("went through", "was successful")))
    return _of_orders((true,), true, false, f"Pay for {thing}, and tell me what is done.")


def _failed_message(rng: random.Random) -> ClaimMaterial:
    thing, person = order_name(rng), rng.choice(PEOPLE)
    true = TableFact(
        relations.MESSAGE, {"thing": thing, "person": person, "outcome": "could not be delivered"}
    )
    false = true.altered(outcome=rng.choice(("has been delivered", "was delivered")))
    return _of_orders((true,), true, false, f"Write to {person} about {thing}, and tell me what is done.")


CLAIM_DRAWS: dict[str, tuple[DrawClaims, ...]] = {
    "claim_unsupported_detail": (
        partial(_unsupported_detail, relations.REBUILT, relations.REBUILT_AFTER, _AFTER),
        partial(_unsupported_detail, relations.PRIZE, relations.PRIZE_FOR, _FOR),
    ),
    "claim_wrong_relation": (_wrong_role, _wrong_direction),
    "claim_overgeneral": (_some_as_all, _weekdays_as_every_day),
    "claim_stale": (_old_rate, _former_head),
    "claim_unit_slipped": (
        partial(_other_unit, relations.DISTANCE, ("kilometres", "miles"), "How far is {thing} from the station?"),
        partial(_other_unit, relations.BUDGET, ("thousand", "million"), "What did {thing} spend in {year}?"),
    ),
    "claim_scope_slipped": (_other_period, _other_scope),
    "claim_condition_omitted": (_fee_without_card, _late_refund),
    "claim_partly_done": (_some_booked, _some_copied),
    "claim_error_ignored": (_failed_payment, _failed_message),
}  # fmt: skip
"""Draws of each kind of fault in a statement; both draws of a kind are as likely."""
