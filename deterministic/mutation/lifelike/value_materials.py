"""Draw calls with a value that is invented, mixed up, too general or outdated."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping
from typing import Any

from ....records import Message
from ..dials.material import PEOPLE, random_day, user
from .request_material import (
    TOWNS,
    VENUES,
    CallMaterial,
    DrawCalls,
    day_in_words,
    function_document,
    make_requests,
)

_COMPANIES = ("Abelby Glass", "Brandholm Rail", "Costmouth Paper", "Duvalby Foods", "Ferrow Optics", "Holmby Tools")  # fmt: skip
_FOLDERS = ("Orders", "Invoices", "Travel", "Projects", "Archive 2025", "Suppliers")

_CONTACT = function_document(
    "add_contact",
    "Add a person to the address book.",
    {"name": "Full name.", "company": "Name of the company."},
    email="E-mail address.",
)
_MEETING = function_document(
    "add_meeting",
    "Put a meeting into the calendar.",
    {"person": "Who it is with.", "day": "Day, YYYY-MM-DD."},
    place="Where it takes place.",
)


def _invented_email(rng: random.Random) -> CallMaterial:
    person, company = rng.choice(PEOPLE), rng.choice(_COMPANIES)
    email = f"{person.lower().replace(' ', '.')}@{company.lower().replace(' ', '-')}.example"
    wording = rng.choice(
        (
            "Add {person} of {company}{detail} to my contacts.",
            "Please put {person}{detail} into my contacts; the company is {company}.",
            "I met {person} today, who works for {company}{detail}. Add a contact, please.",
        )
    )
    facts = {"person": person, "company": company, "detail": ""}
    right = {"name": person, "company": company}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "detail": f" (e-mail {email})"}),
        [_CONTACT],
        [("add_contact", right)],
        [("add_contact", {**right, "email": email})],
        f"email={email!r} was added, which nobody gave",
    )


def _invented_place(rng: random.Random) -> CallMaterial:
    person, day, place = rng.choice(PEOPLE), random_day(rng), rng.choice(VENUES)
    wording = rng.choice(
        (
            "Put a meeting with {person} on {day}{detail} into my calendar.",
            "I meet {person} on {day}{detail}. Please add that.",
            "On {day} there is a meeting with {person}{detail}; add it to the calendar.",
        )
    )
    facts = {"person": person, "day": day_in_words(day), "detail": ""}
    right = {"person": person, "day": day.isoformat()}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "detail": f" at {place}"}),
        [_MEETING],
        [("add_meeting", right)],
        [("add_meeting", {**right, "place": place})],
        f"place={place!r} was added, which nobody gave",
    )


_PARCEL = function_document(
    "register_parcel",
    "Register a parcel.",
    {"sender": "Who sends it.", "recipient": "Who receives it.", "payer": "Who pays the postage."},
)
_TRANSFER = function_document(
    "move_money",
    "Move money between accounts.",
    {"source": "Account that is charged.", "target": "Account that receives.", "amount": "#Crowns."},
)


def _wrong_role_in_call(rng: random.Random) -> CallMaterial:
    sender, recipient, payer = rng.sample(PEOPLE, 3)
    facts: dict[str, Any] = {"sender": sender, "recipient": recipient, "payer": payer}
    role, other_role = rng.sample(list(facts), 2)
    swapped_facts = {**facts, role: facts[other_role], other_role: facts[role]}
    wording = rng.choice(
        (
            "Register a parcel from {sender} to {recipient}; {payer} pays the postage.",
            "{recipient} gets a parcel from {sender}, with postage paid by {payer}. Please register it.",
            "{payer} pays for a parcel that {sender} sends to {recipient}. Register it, please.",
        )
    )
    change = f"{role} and {other_role} changed places"
    return CallMaterial(
        *make_requests(wording, facts, swapped_facts),
        [_PARCEL],
        [("register_parcel", facts)],
        [("register_parcel", swapped_facts)],
        change,
    )


def _wrong_way(rng: random.Random) -> CallMaterial:
    source, target = rng.sample(("savings", "travel", "household", "rent", "school"), 2)
    amount = rng.randint(20, 900)
    wording = rng.choice(
        (
            "Move {amount} crowns from {source} to {target}.",
            "My {target} account needs {amount} crowns; take them from {source}.",
            "Please top up {target} with {amount} crowns out of {source}.",
        )
    )
    facts = {"source": source, "target": target, "amount": str(amount)}
    right = {"source": source, "target": target, "amount": amount}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "source": target, "target": source}),
        [_TRANSFER],
        [("move_money", right)],
        [("move_money", {**right, "source": target, "target": source})],
        "the money moves the other way",
    )


_ARCHIVE = function_document(
    "archive_messages",
    "Archive the messages of a folder.",
    {"folder": "Name of the folder."},
    sender="Archive only messages of this sender; without it, of all senders.",
)
_HEATING = function_document(
    "set_heating",
    "Set the temperature of a building.",
    {"building": "Name of the building.", "degrees": "#Degrees Celsius."},
    floor="#Set only this floor; without it, all floors.",
)


def _everybodys_messages(rng: random.Random) -> CallMaterial:
    person, folder = rng.choice(PEOPLE), rng.choice(_FOLDERS)
    wording = rng.choice(
        (
            "Archive the messages of {whom} in the folder {folder}.",
            "Please clear the folder {folder} of the messages of {whom}: archive them.",
            "In the folder {folder}, archive what came from {whom}.",
        )
    )
    facts = {"whom": person, "folder": folder}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "whom": "all senders"}),
        [_ARCHIVE],
        [("archive_messages", {"folder": folder, "sender": person})],
        [("archive_messages", {"folder": folder})],
        f"the messages of all senders instead of {person!r}",
    )


def _every_floor(rng: random.Random) -> CallMaterial:
    building, degrees, floor = rng.choice(VENUES), rng.randint(16, 24), rng.randint(1, 9)
    wording = rng.choice(
        (
            "Set {where} of {building} to {degrees} degrees.",
            "It should be {degrees} degrees on {where} of {building}, please.",
            "Please heat {where} in {building} to {degrees} degrees.",
        )
    )
    facts = {"where": f"floor {floor}", "building": building, "degrees": str(degrees)}
    right = {"building": building, "degrees": degrees}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "where": "every floor"}),
        [_HEATING],
        [("set_heating", {**right, "floor": floor})],
        [("set_heating", right)],
        f"every floor instead of floor {floor}",
    )


_TABLE = function_document(
    "book_table",
    "Book a table in a restaurant.",
    {"restaurant": "Its name.", "day": "Day, YYYY-MM-DD.", "guests": "#Number of guests."},
)
_DELIVERY = function_document(
    "send_order",
    "Send an order to an address.",
    {"order": "Its number.", "address": "Street and number."},
)


def _conversations_with_correction(
    ask: str, answer: str, correct: str, right_facts: Mapping[str, str], wrong_facts: Mapping[str, str]
) -> tuple[list[Message], list[Message]]:
    """Return conversations in which the user corrects an earlier message."""

    def conversation(facts: Mapping[str, str]) -> list[Message]:
        reply = {"role": "assistant", "content": answer.format_map(facts)}
        return [user(ask.format_map(facts)), reply, user(correct.format_map(facts))]

    return conversation(right_facts), conversation(wrong_facts)


def _first_day(rng: random.Random) -> CallMaterial:
    first_day, corrected_day = random_day(rng), random_day(rng)
    corrected_day = corrected_day + dt.timedelta(days=1) if first_day == corrected_day else corrected_day
    restaurant, guests = rng.choice(VENUES), rng.randint(2, 12)
    facts = {"restaurant": restaurant, "guests": str(guests)}
    days = {"first": day_in_words(first_day), "then": day_in_words(corrected_day)}
    correction = rng.choice(
        (
            "Sorry, we can only come on {then}. Please book that.",
            "Yes, but make it {then}.",
            "One of us cannot come then. {then} suits everybody, so book it for that day.",
        )
    )
    right = {"restaurant": restaurant, "day": corrected_day.isoformat(), "guests": guests}
    return CallMaterial(
        *_conversations_with_correction(
            "Can you book a table for {guests} at {restaurant} on {first}?",
            "There is a table for {guests} on {first}. Shall I book it?",
            correction,
            {**facts, **days},
            {**facts, "first": days["then"], "then": days["first"]},
        ),
        [_TABLE],
        [("book_table", right)],
        [("book_table", {**right, "day": first_day.isoformat()})],
        "the day that the user gave first",
    )


def _first_address(rng: random.Random) -> CallMaterial:
    order = f"{rng.choice('ABCDEFGH')}-{rng.randint(1000, 9999)}"
    old_address, new_address = rng.sample(
        [f"{number} {town} Street" for town in TOWNS for number in (3, 17, 48, 62)], 2
    )
    correction = rng.choice(
        (
            "No, I have moved. My address is {then} now. Please send it.",
            "Please use {then} instead; the old address no longer holds. Send it there.",
            "Send it to {then}, where I live since May.",
        )
    )
    return CallMaterial(
        *_conversations_with_correction(
            "Where would you send order {order}?",
            "Our records say {first}. Shall I send order {order} there?",
            correction,
            {"order": order, "first": old_address, "then": new_address},
            {"order": order, "first": new_address, "then": old_address},
        ),
        [_DELIVERY],
        [("send_order", {"order": order, "address": new_address})],
        [("send_order", {"order": order, "address": old_address})],
        "the address that no longer holds",
    )


VALUE_DRAWS: dict[str, tuple[DrawCalls, ...]] = {
    "call_unsupported_detail": (_invented_email, _invented_place),
    "call_wrong_relation": (_wrong_role_in_call, _wrong_way),
    "call_overgeneral": (_everybodys_messages, _every_floor),
    "call_stale": (_first_day, _first_address),
}
"""Functions that draw the material for each kind of fault in a value."""
