"""Planted calls are faults, by a reader of the request that knows no wording."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from lifelike_reading import days_in

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import LIFELIKE, OPERATORS, Probe, Subject, lifelike_pairs, make_probes
from fiducial.deterministic.mutation.lifelike.call_pairs import CALL_DRAWS, call_pair
from fiducial.records import Case, Output, message_text

PAIRS = 30
PERSON = re.compile(
    r"\b(?!Archive|Remind|About|Move|Register|Please)([A-Z][a-z]+ (?:Abel|Brandt|Costa|Duval|Egede|Ferro|Galli|Holm))\b"
)
ACCOUNT = re.compile(r"\b(savings|travel|household|rent|school)\b")

Arguments = dict[str, Any]


def said(case: Case) -> list[str]:
    return [message_text(message) for message in case.all_messages]


def read_parcel(text: str) -> Arguments:
    people, low = PERSON.findall(text), text.lower()
    payer = next(name for name in people if re.search(rf"{name} pays|paid by {name}", text))
    sender = next(name for name in people if re.search(rf"from {name}|that {name} sends", text))
    (recipient,) = {*people} - {payer, sender}
    assert "parcel" in low
    return {"sender": sender, "recipient": recipient, "payer": payer}


def read_transfer(text: str) -> Arguments:
    source = re.search(r"(?:from|out of) (\w+)", text)
    assert source
    (target,) = {*ACCOUNT.findall(text)} - {source[1]}
    return {"source": source[1], "target": target, "amount": int(re.findall(r"(\d+) crowns", text)[0])}


def read_contact(text: str) -> Arguments:
    company = re.search(r"(?:Abelby|Brandholm|Costmouth|Duvalby|Ferrow|Holmby) [A-Z]\w+", text)
    email = re.search(r"\S+@[\w.-]+\w", text)
    assert company
    return {"name": PERSON.findall(text)[0], "company": company[0]} | ({"email": email[0]} if email else {})


def read_meeting(text: str) -> Arguments:
    place = re.search(r" at (\w+ \w+)", text)
    return {"person": PERSON.findall(text)[0], "day": days_in(text)[0]} | (
        {"place": place[1]} if place else {}
    )


def read_archive(text: str) -> Arguments:
    folder = re.search(r"folder ((?:Archive 2025)|\w+)", text)
    assert folder
    people = PERSON.findall(text)
    assert bool(people) != ("all senders" in text)
    return {"folder": folder[1]} | ({"sender": people[0]} if people else {})


def read_heating(text: str) -> Arguments:
    building, floor = re.search(r"(?:of|in) ([A-Z]\w+ [A-Z]\w+)", text), re.search(r"floor (\d)", text)
    assert building
    assert bool(floor) != ("every floor" in text)
    degrees = int(re.findall(r"(\d+) degrees", text)[0])
    return {"building": building[1], "degrees": degrees} | ({"floor": int(floor[1])} if floor else {})


def read_timer(text: str) -> Arguments:
    found, name = (
        re.search(r"(\d+) (second|minute)s", text),
        re.search(r"(tea|oven|laundry|garden|break)", text),
    )
    assert found
    assert name
    return {"name": name[1], "seconds": int(found[1]) * {"second": 1, "minute": 60}[found[2]]}


def read_flour(text: str) -> Arguments:
    found, name = re.search(r"(\d+) (kilo)?grams", text), re.search(r"the \w+ bakery", text)
    assert found
    assert name
    return {"name": name[0], "grams": int(found[1]) * (1000 if found[2] else 1)}


def read_sales(text: str) -> Arguments:
    branch, year = re.search(r"branch in (\w+)", text), re.search(r"\b20\d\d\b", text)
    assert year
    assert branch
    assert ("my branch" in text) != ("whole county" in text)
    return {"year": int(year[0])} | ({"branch": branch[1]} if "my branch" in text else {})


def read_share(text: str) -> Arguments:
    file = re.search(r"\w+-\d+\.pdf", text)
    assert file
    assert ("whole company" in text) != ("my team" in text)
    return {"file": file[0], "audience": "company" if "whole company" in text else "team"}


def read_order(text: str) -> Arguments:
    found, price = re.search(r"(\d+) boxes of (\w+)", text), re.search(r"at most (\d+) crowns", text)
    assert found
    assert bool(price) != ("whatever" in text)
    return {"item": found[2], "boxes": int(found[1])} | ({"max_price": int(price[1])} if price else {})


def read_cancellation(text: str) -> Arguments:
    booking, days = re.search(r"B-\d{4}", text), days_in(text)
    assert booking
    assert bool(days) != ("whatever" in text)
    return {"booking": booking[0]} | ({"latest_day": days[0]} if days else {})


ONE_MESSAGE: dict[str, Callable[[str], Arguments]] = {
    "add_contact": read_contact,
    "add_meeting": read_meeting,
    "register_parcel": read_parcel,
    "move_money": read_transfer,
    "archive_messages": read_archive,
    "set_heating": read_heating,
    "set_timer": read_timer,
    "order_flour": read_flour,
    "sales_report": read_sales,
    "share_file": read_share,
    "place_order": read_order,
    "cancel_booking": read_cancellation,
}


def wanted(case: Case) -> list[tuple[str, Arguments]]:
    """Return the calls that a request asks for, read from its text."""
    texts, offered = said(case), [tool["function"]["name"] for tool in case.tools]
    name, last = offered[0], texts[-1]
    if name in ONE_MESSAGE:
        return [(name, ONE_MESSAGE[name](last))]
    if name == "send_reminder":
        about = re.search(r"the \w+ order", last)
        assert about
        return [(name, {"person": person, "about": about[0]}) for person in PERSON.findall(last)]
    if name == "book_room":
        return list(read_workshop(last))
    if name == "send_order":
        order, address = re.search(r"[A-H]-\d{4}", texts[0]), re.search(r"\d+ \w+ Street", last)
        assert order
        assert address
        return [(name, {"order": order[0], "address": address[0]})]
    if name == "pay_bill":
        bill, account = re.search(r"R-\d{4}", texts[0]), re.search(r"account (\w+) can be charged", texts[1])
        assert bill
        assert account
        return [(name, {"bill": bill[0], "account": account[1]})]
    at, guests = re.search(r" at ([A-Z]\w+ [A-Z]\w+)", texts[0]), re.search(r"for (\d+) ", texts[0])
    assert at
    assert guests
    day = days_in(last)[0] if name == "book_table" else days_in(texts[1])[-1]
    return [(name, {"restaurant": at[1], "day": day, "guests": int(guests[1])})]


def read_workshop(text: str):
    (day,) = days_in(text)
    if room := re.search(r"book room (\d+)", text):
        yield "book_room", {"room": int(room[1]), "day": day}
    if lunch := re.search(r"order lunch for (\d+)", text):
        yield "order_lunch", {"guests": int(lunch[1]), "day": day}
    if person := re.search(r"invite (\w+ \w+)", text):
        yield "invite", {"person": person[1], "day": day}


def made(output: Output) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in output.tool_calls or []]


@pytest.mark.parametrize("kind", list(CALL_DRAWS))
def test_the_right_calls_and_the_twin_are_what_a_reader_finds_in_the_request_and_the_fault_is_not(kind: str):
    tools = set[str]()
    for number in range(PAIRS):
        pair = call_pair(kind, number % 3, number)
        assert pair.faulty is not None
        assert pair.twin is not None
        assert pair.twin.case is not None
        tools.add(pair.case.tools[0]["function"]["name"])
        assert made(pair.output) == wanted(pair.case), said(pair.case)
        assert made(pair.faulty.output) != wanted(pair.case), said(pair.case)
        assert made(pair.twin.output) == wanted(pair.twin.case), said(pair.twin.case)
        assert made(pair.twin.output) == made(pair.faulty.output)
    assert len(tools) == 2


def test_the_strict_checker_confirms_every_call_and_nothing_is_dropped():
    found = [
        probe
        for pair in lifelike_pairs(3, 7, [*CALL_DRAWS])
        for probe in make_probes(pair, LIFELIKE, CheckOptions(), per_operator=1)
    ]
    assert len(found) == 2 * 3 * len(CALL_DRAWS)
    for probe in found:
        assert isinstance(probe, Probe)
        assert probe.label.by == "ast/strict"
        assert probe.label.score == float(probe.label.evidence["plants"] == "twin")


def test_operators_of_lifelike_faults_plant_nothing_in_other_outputs(trip: Subject, statement: Subject):
    assert {operator.name for operator in LIFELIKE} <= OPERATORS.keys()
    for subject in (trip, statement):
        assert list(make_probes(subject, LIFELIKE, CheckOptions())) == []
    posing = Subject(call_pair("call_stale", 0, 0).case, call_pair("call_stale", 0, 0).output)
    assert list(make_probes(posing, LIFELIKE, CheckOptions())) == []
