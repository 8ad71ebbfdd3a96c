"""Draw calls with a wrong unit or scope, without a condition or part, or despite an error."""

from __future__ import annotations

import datetime as dt
import random
from functools import partial
from typing import Any, NamedTuple

from ....records import Message
from ..dials.material import PEOPLE, random_day, user
from .fact_tables import join_names
from .request_material import (
    TOWNS,
    VENUES,
    Call,
    CallMaterial,
    DrawCalls,
    day_in_words,
    function_document,
    make_requests,
)

_ITEMS = ("paper", "envelopes", "pens", "folders", "labels", "tea")


class _Units(NamedTuple):
    """A tool that takes a quantity in one unit, and requests that state it in another.

    Attributes:
        tool: Document of the tool.
        parameter: The parameter for the quantity.
        takes: Unit of the parameter.
        other: Unit of the request.
        factor: How many of the parameter's units are one of the request's.
        names: Values of the other parameter.
        wordings: Wordings of the request.
    """

    tool: dict[str, Any]
    parameter: str
    takes: str
    other: str
    factor: int
    names: tuple[str, ...]
    wordings: tuple[str, ...]


_UNITS = (
    _Units(
        function_document("set_timer", "Start a timer.", {"name": "Name of the timer.", "seconds": "#Duration in seconds."}),
        "seconds", "seconds", "minutes", 60, ("tea", "oven", "laundry", "garden", "break"),
        ("Start a timer of {amount} {unit}, called {name}.", "I need a timer called {name} that runs for {amount} {unit}.", "Set the timer {name} to {amount} {unit}."),
    ),
    _Units(
        function_document("order_flour", "Order flour.", {"name": "Name of the bakery that gets it.", "grams": "#Weight in grams."}),
        "grams", "grams", "kilograms", 1000, tuple(f"the {town} bakery" for town in TOWNS),
        ("Order {amount} {unit} of flour for {name}, please.", "We are short of flour: order {amount} {unit} for {name}.", "Please have {amount} {unit} of flour sent to {name}."),
    ),
)  # fmt: skip


def _unit_ignored(units: _Units, rng: random.Random) -> CallMaterial:
    amount, name = rng.randint(2, 95), rng.choice(units.names)
    facts = {"amount": str(amount), "name": name, "unit": units.other}
    right = {"name": name, units.parameter: amount * units.factor}
    return CallMaterial(
        *make_requests(rng.choice(units.wordings), facts, {**facts, "unit": units.takes}),
        [units.tool],
        [(units.tool["function"]["name"], right)],
        [(units.tool["function"]["name"], {**right, units.parameter: amount})],
        f"{amount} {units.other} as {amount} {units.takes}",
    )


_SALES = function_document(
    "sales_report",
    "Show sales.",
    {"year": "#The year."},
    branch="Only this branch; without it, the whole county.",
    month="#Only this month, 1 to 12; without it, the whole year.",
)
_SHARE = function_document(
    "share_file",
    "Share a file.",
    {"file": "Name of the file.", "audience": "Who may read it: team or company."},
)


def _other_period_in_call(rng: random.Random) -> CallMaterial:
    branch, year = rng.choice(TOWNS), rng.randint(2019, 2026)
    wording = rng.choice(
        (
            "I run the branch in {branch}. Show the sales of {scope} in {year}.",
            "This is the branch in {branch}. How much did {scope} sell in {year}?",
            "I am in charge of the branch in {branch} and need the {year} sales of {scope}.",
        )
    )
    right_arguments, faulty_arguments = {"year": year, "branch": branch}, {"year": year}
    facts = {"scope": "my branch", "branch": branch, "year": str(year)}
    assumed = {**facts, "scope": "the whole county"}
    # A scope may be too wide or too narrow.
    if rng.random() < 0.5:  # noqa: PLR2004 - one way as likely as the other
        facts, assumed = assumed, facts
        right_arguments, faulty_arguments = faulty_arguments, right_arguments
    return CallMaterial(
        *make_requests(wording, facts, assumed),
        [_SALES],
        [("sales_report", right_arguments)],
        [("sales_report", faulty_arguments)],
        f"{assumed['scope']} instead of {facts['scope']}",
    )


def _other_audience(rng: random.Random) -> CallMaterial:
    file = f"{rng.choice(('budget', 'plan', 'minutes', 'draft'))}-{rng.randint(2019, 2026)}.pdf"
    right_audience, wrong_audience = rng.sample(("team", "company"), 2)
    wording = rng.choice(
        (
            "Share {file} with {who}.",
            "Everybody in {who} should be able to read {file}; please share it.",
            "Give {who} access to {file}.",
        )
    )
    audience_words = {"team": "my team", "company": "the whole company"}
    return CallMaterial(
        *make_requests(
            wording,
            {"file": file, "who": audience_words[right_audience]},
            {"file": file, "who": audience_words[wrong_audience]},
        ),
        [_SHARE],
        [("share_file", {"file": file, "audience": right_audience})],
        [("share_file", {"file": file, "audience": wrong_audience})],
        f"{audience_words[wrong_audience]} instead of {audience_words[right_audience]}",
    )


_ORDER = function_document(
    "place_order",
    "Order boxes of an item.",
    {"item": "What to order.", "boxes": "#Number of boxes."},
    max_price="#Order only if a box costs at most so many crowns; without it, at any price.",
)
_CANCEL = function_document(
    "cancel_booking",
    "Cancel a booking.",
    {"booking": "Its number."},
    latest_day="Cancel only if that is free until this day, YYYY-MM-DD; without it, at any cost.",
)


def _any_price(rng: random.Random) -> CallMaterial:
    item, boxes, price = rng.choice(_ITEMS), rng.randint(2, 60), rng.randint(8, 90)
    wording = rng.choice(
        (
            "Order {boxes} boxes of {item}, {condition}.",
            "We need {boxes} boxes of {item}. Please order them, {condition}.",
            "Please place an order, {condition}: {boxes} boxes of {item}.",
        )
    )
    facts = {"item": item, "boxes": str(boxes), "condition": f"if a box costs at most {price} crowns"}
    right = {"item": item, "boxes": boxes, "max_price": price}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "condition": "whatever a box costs"}),
        [_ORDER],
        [("place_order", right)],
        [("place_order", {"item": item, "boxes": boxes})],
        f"the condition was left out: at most {price} crowns",
    )


def _any_cost(rng: random.Random) -> CallMaterial:
    booking, day = f"B-{rng.randint(1000, 9999)}", random_day(rng)
    wording = rng.choice(
        (
            "Cancel booking {booking}, {condition}.",
            "We no longer need booking {booking}. Cancel it, {condition}.",
            "Please cancel, {condition}, the booking {booking}.",
        )
    )
    facts = {"booking": booking, "condition": f"provided that is free until {day_in_words(day)}"}
    return CallMaterial(
        *make_requests(wording, facts, {**facts, "condition": "whatever that costs"}),
        [_CANCEL],
        [("cancel_booking", {"booking": booking, "latest_day": day.isoformat()})],
        [("cancel_booking", {"booking": booking})],
        f"the condition was left out: free until {day_in_words(day)}",
    )


_REMINDER = function_document(
    "send_reminder",
    "Remind one person of something.",
    {"person": "Who is reminded.", "about": "What it is about."},
)
_ROOM = function_document(
    "book_room", "Book a meeting room.", {"room": "#Its number.", "day": "Day, YYYY-MM-DD."}
)
_LUNCH = function_document(
    "order_lunch", "Order lunch.", {"guests": "#Number of guests.", "day": "Day, YYYY-MM-DD."}
)
_INVITE = function_document(
    "invite", "Invite a person.", {"person": "Who is invited.", "day": "Day, YYYY-MM-DD."}
)


def _some_reminded(rng: random.Random) -> CallMaterial:
    people, about = rng.sample(PEOPLE, rng.randint(3, 6)), f"the {rng.choice(_ITEMS)} order"
    omitted_index = rng.randrange(1, len(people))
    wording = rng.choice(
        (
            "Remind {people} of {about}.",
            "Please send reminders of {about} to {people}.",
            "About {about}: remind {people}.",
        )
    )
    calls: list[Call] = [("send_reminder", {"person": person, "about": about}) for person in people]
    other_people = [*people[:omitted_index], *people[omitted_index + 1 :]]
    return CallMaterial(
        *make_requests(
            wording,
            {"people": join_names(people), "about": about},
            {"people": join_names(other_people), "about": about},
        ),
        [_REMINDER],
        calls,
        [*calls[:omitted_index], *calls[omitted_index + 1 :]],
        f"{people[omitted_index]} is not reminded, and all is reported as done",
    )


def _some_arranged(rng: random.Random) -> CallMaterial:
    day, room, guests, person = random_day(rng), rng.randint(101, 190), rng.randint(3, 30), rng.choice(PEOPLE)
    parts = [f"book room {room}", f"order lunch for {guests}", f"invite {person}"]
    iso_day = day.isoformat()
    calls: list[Call] = [
        ("book_room", {"room": room, "day": iso_day}),
        ("order_lunch", {"guests": guests, "day": iso_day}),
        ("invite", {"person": person, "day": iso_day}),
    ]
    omitted_index = rng.randrange(len(parts))
    wording = rng.choice(
        (
            "For {day}, {parts}.",
            "We have a workshop on {day}: please {parts}.",
            "Please prepare {day}; {parts}.",
        )
    )
    other_parts = [*parts[:omitted_index], *parts[omitted_index + 1 :]]
    day_text = day_in_words(day)
    return CallMaterial(
        *make_requests(
            wording,
            {"day": day_text, "parts": join_names(parts)},
            {"day": day_text, "parts": join_names(other_parts)},
        ),
        [_ROOM, _LUNCH, _INVITE],
        calls,
        [*calls[:omitted_index], *calls[omitted_index + 1 :]],
        f"one part was not done: {parts[omitted_index]}, and all is reported as done",
    )


_TABLE = function_document(
    "reserve_table",
    "Reserve a table in a restaurant.",
    {"restaurant": "Its name.", "day": "Day, YYYY-MM-DD.", "guests": "#Number of guests."},
)
_PAY = function_document(
    "pay_bill",
    "Pay a bill from an account.",
    {"bill": "Its number.", "account": "Account that is charged."},
)


def _conversation_after_error(request: str, call: str, error: str, then: str) -> list[Message]:
    return [
        user(request),
        {"role": "assistant", "content": f"I called {call}. The tool replied: {error}. How shall I go on?"},
        user(then),
    ]


def _closed_day(rng: random.Random) -> CallMaterial:
    closed_day, restaurant, guests = random_day(rng), rng.choice(VENUES), rng.randint(2, 12)
    gap = rng.randint(1, 9)
    instruction = rng.choice(
        (
            "Then take the next day on which they are open.",
            "In that case on the next open day, please.",
            "All right, reserve it for the first day that is possible.",
        )
    )

    def conversation(day: dt.date) -> list[Message]:
        open_day = day + dt.timedelta(days=gap)
        call = f"reserve_table(restaurant={restaurant!r}, day='{day.isoformat()}', guests={guests})"
        error = f"error: closed on {day_in_words(day)}; next open day: {day_in_words(open_day)}"
        request = f"Reserve a table for {guests} at {restaurant} on {day_in_words(day)}."
        return _conversation_after_error(request, call, error, instruction)

    arguments = {"restaurant": restaurant, "guests": guests}
    return CallMaterial(
        conversation(closed_day),
        conversation(closed_day - dt.timedelta(days=gap)),
        [_TABLE],
        [("reserve_table", {**arguments, "day": (closed_day + dt.timedelta(days=gap)).isoformat()})],
        [("reserve_table", {**arguments, "day": closed_day.isoformat()})],
        "the day for which the tool gave an error",
    )


def _blocked_account(rng: random.Random) -> CallMaterial:
    bill = f"R-{rng.randint(1000, 9999)}"
    blocked, open_one = rng.sample(("savings", "travel", "household", "rent", "school"), 2)
    instruction = rng.choice(
        (
            "Then use the account that works.",
            "Pay it from the account that is not blocked.",
            "Take the one that can be charged, please.",
        )
    )

    def conversation(first: str, second: str) -> list[Message]:
        call = f"pay_bill(bill={bill!r}, account={first!r})"
        error = f"error: account {first} is blocked; account {second} can be charged"
        return _conversation_after_error(f"Pay bill {bill} from {first}.", call, error, instruction)

    return CallMaterial(
        conversation(blocked, open_one),
        conversation(open_one, blocked),
        [_PAY],
        [("pay_bill", {"bill": bill, "account": open_one})],
        [("pay_bill", {"bill": bill, "account": blocked})],
        "the account for which the tool gave an error",
    )


TASK_DRAWS: dict[str, tuple[DrawCalls, ...]] = {
    "call_unit_slipped": tuple(partial(_unit_ignored, units) for units in _UNITS),
    "call_scope_slipped": (_other_period_in_call, _other_audience),
    "call_condition_omitted": (_any_price, _any_cost),
    "call_partly_done": (_some_reminded, _some_arranged),
    "call_error_ignored": (_closed_day, _blocked_account),
}
"""Functions that draw the material for each kind of fault in a task."""
