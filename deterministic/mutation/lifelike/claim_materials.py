"""Draw facts, a true claim about them, and the claim that a lifelike fault makes of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from ..dials.material import PEOPLE
from . import claim_relations as relations
from .fact_tables import Relation, TableFact, join_names

_TREES = ("Alder", "Aspen", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Larch", "Linden", "Maple", "Rowan", "Willow")  # fmt: skip
_PLACES = ("Abelby", "Brandholm", "Costmouth", "Duvalby", "Egemouth", "Ferrow", "Gallmere", "Holmby")
_MONTHS = ("March", "May", "July", "October")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven")
_REBUILDING_CAUSES = (
    "a storm",
    "a fire",
    "a flood",
    "a lightning strike",
    "a heavy snowfall",
    "a small earthquake",
)
_PRIZE_REASONS = ("its accessible entrance", "its evening courses", "its low energy use", "its work with schools", "its restored hall", "its friendly staff")  # fmt: skip
_SORTS = ("Inn", "Museum", "Library", "Clinic", "School", "Theatre")


class ClaimMaterial(NamedTuple):
    """Facts for one pair of answers.

    Attributes:
        about: Relations for further facts about the same things.
        stated: Facts that the results state.
        true: A true claim.
        false: The claim that a fault makes of it, in the same form.
        question: The user's question.
        implied: Facts that follow from the stated ones.
    """

    about: tuple[Relation, ...]
    stated: tuple[TableFact, ...]
    true: TableFact
    false: TableFact
    question: str
    implied: tuple[TableFact, ...] = ()

    @property
    def table(self) -> tuple[TableFact, ...]:
        """All facts that the results support."""
        return (*self.stated, *self.implied)


DrawClaims: TypeAlias = Callable[[random.Random], ClaimMaterial]
"""Draws the facts for one pair of answers."""

_house_material = partial(ClaimMaterial, relations.ABOUT_HOUSES)
_order_material = partial(ClaimMaterial, relations.ABOUT_ORDERS)


def draw_background_fact(relation: Relation, thing: str, rng: random.Random) -> TableFact:
    """Draw a further fact about a thing, which no fault concerns."""
    values = {
        "year": str(rng.randint(1871, 1989)),
        "number": str(rng.randint(12, 96)),
        "person": rng.choice(PEOPLE),
        "place": rng.choice(_PLACES),
    }
    return TableFact(relation, {"thing": thing, **{name: values[name] for name in relation.values}})


def draw_houses(rng: random.Random, count: int, sort: str | None = None) -> list[str]:
    """Draw the names of different houses, of one sort or of any."""
    return [f"the {tree} {sort or rng.choice(_SORTS)}" for tree in rng.sample(_TREES, count)]


def _unsupported_detail(
    bare: Relation, detailed: Relation, details: Sequence[str], rng: random.Random
) -> ClaimMaterial:
    thing, other_thing = draw_houses(rng, 2)
    true_detail, invented_detail = rng.sample(details, 2)
    year, other_year = (str(year) for year in rng.sample(range(1991, 2024), 2))
    bare_fact = TableFact(bare, {"thing": thing, "year": year})
    true = TableFact(detailed, {"thing": other_thing, "year": other_year, "detail": true_detail})
    false = TableFact(detailed, {"thing": thing, "year": year, "detail": invented_detail})
    return _house_material((bare_fact, true), true, false, f"What is known about {thing} and {other_thing}?")


def _wrong_role(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1)
    roles = rng.sample(("owner", "manager", "architect", "treasurer"), 3)
    people = rng.sample(PEOPLE, 3)
    stated = tuple(
        TableFact(relations.ROLE, {"thing": thing, "role": role, "person": person})
        for role, person in zip(roles, people, strict=True)
    )
    true = stated[0]
    return _house_material(stated, true, true.with_slots(person=people[1]), f"Who is who at {thing}?")


def _wrong_direction(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1)
    seller, buyer = rng.sample(PEOPLE, 2)
    slots = {"thing": thing, "year": str(rng.randint(1991, 2024)), "seller": seller, "buyer": buyer}
    true = TableFact(relations.SALE, slots)
    return _house_material(
        (true,), true, true.with_slots(seller=buyer, buyer=seller), f"Who sold {thing}, and to whom?"
    )


def _some_as_all(rng: random.Random) -> ClaimMaterial:
    thing = f"the {rng.choice(_PLACES)} library"
    total, count_doing = rng.choice(((4, 2), (5, 2), (5, 3), (6, 3), (6, 4), (7, 5)))
    branches = [f"{tree} Street" for tree in rng.sample(_TREES, total)]
    activity = rng.choice(("lend laptops", "open on Sundays", "have a lift", "take cash", "offer courses"))
    slots = {
        "thing": thing,
        "property": activity,
        "quantity": f"{_NUMBERS[count_doing]} of the {_NUMBERS[total]}",
        "total": _NUMBERS[total],
        "yes": join_names(branches[:count_doing]),
        "no": join_names(branches[count_doing:]),
    }
    true = TableFact(relations.SHARE, slots)
    false = true.with_slots(quantity=f"all {_NUMBERS[total]}")
    return _house_material((true,), true, false, f"Do the branches of {thing} {activity}?")


def _weekdays_as_every_day(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, "Inn")
    days = rng.choice(("from Tuesday to Saturday", "on weekdays", "at weekends", "from May to September"))
    meal = rng.choice(("lunch", "dinner", "breakfast"))
    true = TableFact(relations.DAYS, {"thing": thing, "meal": meal, "days": days})
    always = "all year round" if "May" in days else "every day of the week"
    return _house_material((true,), true, true.with_slots(days=always), f"When is there {meal} at {thing}?")


def _old_rate(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, "Inn")
    old_amount, new_amount = (str(amount) for amount in rng.sample(range(60, 240), 2))
    dates = [f"{rng.choice(_MONTHS)} {year}" for year in sorted(rng.sample(range(2021, 2027), 2))]
    old_rate = TableFact(relations.RATE_BEFORE, {"thing": thing, "date": dates[0], "amount": old_amount})
    true = TableFact(relations.RATE_NOW, {"thing": thing, "date": dates[1], "amount": new_amount})
    return _house_material(
        (old_rate, true), true, true.with_slots(amount=old_amount), f"What does a night at {thing} cost now?"
    )


def _former_head(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, rng.choice(("Museum", "Library", "Clinic", "School")))
    former_head, present_head = rng.sample(PEOPLE, 2)
    dates = [f"{rng.choice(_MONTHS)} {year}" for year in sorted(rng.sample(range(2021, 2027), 2))]
    earlier_fact = TableFact(relations.HEAD_BEFORE, {"thing": thing, "date": dates[0], "person": former_head})
    true = TableFact(relations.HEAD_NOW, {"thing": thing, "date": dates[1], "person": present_head})
    return _house_material(
        (earlier_fact, true), true, true.with_slots(person=former_head), f"Who heads {thing} now?"
    )


def _other_unit(relation: Relation, units: Sequence[str], question: str, rng: random.Random) -> ClaimMaterial:
    """Draw an amount in one unit, and that of another thing in another unit."""
    thing, other_thing = draw_houses(rng, 2)
    unit, other_unit = rng.sample(units, 2)
    slots = {"thing": thing, "year": str(rng.randint(2011, 2025)), "amount": str(rng.randint(3, 89))}
    true = TableFact(relation, {**slots, "unit": unit})
    other_fact = true.with_slots(thing=other_thing, unit=other_unit, amount=str(rng.randint(3, 89)))
    return _house_material(
        (true, other_fact), true, true.with_slots(unit=other_unit), question.format(**slots)
    )


def _other_period(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, rng.choice(("Museum", "Theatre")))
    year, part = str(rng.randint(2011, 2025)), rng.choice(("the first quarter", "the last quarter", "July"))
    part_number = rng.randint(900, 4_000)
    numbers = {
        part: str(part_number),
        "the whole": str(part_number * rng.randint(3, 6) + rng.randint(1, 800)),
    }
    stated = tuple(
        TableFact(
            relations.VISITORS,
            {"thing": thing, "year": year, "period": period, "number": number},
        )
        for period, number in numbers.items()
    )
    true = rng.choice(stated)
    other_number = next(fact.slots["number"] for fact in stated if fact is not true)
    return _house_material(
        stated, true, true.with_slots(number=other_number), f"How many visitors did {thing} have in {year}?"
    )


def _other_scope(rng: random.Random) -> ClaimMaterial:
    thing = f"the {rng.choice(_PLACES)} library"
    branch_number = rng.randint(900, 4_000)
    numbers = {
        "the main branch": str(branch_number),
        "the whole network": str(branch_number * rng.randint(2, 5) + rng.randint(1, 800)),
    }
    stated = tuple(
        TableFact(relations.LOANS, {"thing": thing, "scope": scope, "number": number})
        for scope, number in numbers.items()
    )
    true = rng.choice(stated)
    other_number = next(fact.slots["number"] for fact in stated if fact is not true)
    return _house_material(
        stated, true, true.with_slots(number=other_number), f"How many books did {thing} lend?"
    )


def _fee_without_card(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, rng.choice(("Museum", "Theatre")))
    day, amount = rng.choice(("Mondays", "Tuesdays", "Fridays", "Sundays")), str(rng.randint(6, 30))
    slots = {"thing": thing, "day": day}
    rule = TableFact(relations.FEE_RULE, {**slots, "amount": amount})
    card_condition = " with a member card"
    true = TableFact(relations.FEE, {**slots, "condition": card_condition, "fee": "free"})
    without_card = true.with_slots(condition=" without a member card", fee=f"{amount} crowns")
    question = f"I have no member card. What is entry to {thing} on {day}?"
    return _house_material((rule,), true, true.with_slots(condition=""), question, (true, without_card))


def _late_refund(rng: random.Random) -> ClaimMaterial:
    (thing,) = draw_houses(rng, 1, rng.choice(("Inn", "Theatre")))
    days = str(rng.randint(3, 21))
    rule = TableFact(relations.REFUND_RULE, {"thing": thing, "days": days})
    early = f", provided it is cancelled at least {days} days ahead"
    late = f" if it is cancelled less than {days} days ahead"
    true = TableFact(relations.REFUND, {"thing": thing, "condition": early, "refund": "in full"})
    no_refund = true.with_slots(condition=late, refund="not at all")
    question = f"I want to cancel my booking at {thing} for tomorrow. Is it refunded?"
    return _house_material((rule,), true, true.with_slots(condition=""), question, (true, no_refund))


def draw_order_name(rng: random.Random) -> str:
    """Draw the name of an order."""
    return f"order {rng.choice('ABCDEFGH')}-{rng.randint(1000, 9999)}"


def _some_booked(rng: random.Random) -> ClaimMaterial:
    thing, total = draw_order_name(rng), rng.randint(3, 5)
    booked_count = rng.randint(1, total - 1)
    states = ["booked"] * booked_count + [
        rng.choice(("waits for approval, not booked", "not booked, no room is free"))
        for _ in range(total - booked_count)
    ]
    rng.shuffle(states)
    stated = tuple(
        TableFact(relations.BOOKED, {"thing": thing, "what": f"room {number}", "state": state})
        for number, state in zip(rng.sample(range(101, 190), total), states, strict=True)
    )
    quantity = f"{_NUMBERS[booked_count]} of the {_NUMBERS[total]}"
    true = TableFact(relations.BOOKED_ALL, {"thing": thing, "quantity": quantity})
    false = true.with_slots(quantity=f"all {_NUMBERS[total]}")
    question = f"Book {_NUMBERS[total]} rooms for {thing}, and tell me what is done."
    return _order_material(stated, true, false, question, (true,))


def _some_copied(rng: random.Random) -> ClaimMaterial:
    thing, total = draw_order_name(rng), rng.randint(120, 980)
    copied_count = rng.randint(total // 3, total - 20)
    slots = {"thing": thing, "number": str(copied_count), "total": str(total)}
    true = TableFact(relations.COPIED, slots)
    return _order_material(
        (true,),
        true,
        true.with_slots(number=f"all {total}"),
        f"Copy the {total} files of {thing}, and tell me what is done.",
    )


def _failed_payment(rng: random.Random) -> ClaimMaterial:
    thing = draw_order_name(rng)
    true = TableFact(relations.PAYMENT, {"thing": thing, "outcome": "did not go through"})
    false = true.with_slots(outcome=rng.choice(("went through", "was successful")))
    return _order_material((true,), true, false, f"Pay for {thing}, and tell me what is done.")


def _failed_message(rng: random.Random) -> ClaimMaterial:
    thing, person = draw_order_name(rng), rng.choice(PEOPLE)
    true = TableFact(
        relations.MESSAGE, {"thing": thing, "person": person, "outcome": "could not be delivered"}
    )
    false = true.with_slots(outcome=rng.choice(("has been delivered", "was delivered")))
    return _order_material(
        (true,), true, false, f"Write to {person} about {thing}, and tell me what is done."
    )


CLAIM_DRAWS: dict[str, tuple[DrawClaims, ...]] = {
    "claim_unsupported_detail": (
        partial(_unsupported_detail, relations.REBUILT, relations.REBUILT_AFTER, _REBUILDING_CAUSES),
        partial(_unsupported_detail, relations.PRIZE, relations.PRIZE_FOR, _PRIZE_REASONS),
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
"""Functions that draw the material for each kind of fault in a statement; those of a kind are equally likely."""
