"""Read facts from sentences of lifelike probes without the product's wordings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "one": 1}
_NAME = r"[A-Z][a-z]+ [A-Z][a-z]+"
_PERSON = re.compile(rf"\b(?!The |In |A )({_NAME})\b")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAY = re.compile(rf"(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})")

ReadFact = Callable[[str], Any]
"""Returns what a sentence says in the matter of a kind of fault; None if it says nothing of it."""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip(" .") for part in re.split(r"\.(?:\s|$)", text) if part.strip(" .")]


def days_in(text: str) -> list[str]:
    """Return the written days of a text as ISO dates."""
    return [f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}" for day, month, year in _DAY.findall(text)]


def numbers_in(text: str) -> list[int]:
    """Return the whole numbers of a text, without those in codes and dates."""
    return [int(number) for number in re.findall(r"(?<![\w-])\d+(?![\w-]*\w)", text)]


def thing_in(sentence: str) -> str | None:
    """Return the house or order that a sentence is about."""
    found = re.search(
        r"[Tt]he ([A-Z]\w+ (?:Inn|Museum|Library|Clinic|School|Theatre|library))|[Oo]rder ([A-H]-\d{4})",
        sentence,
    )
    return found and (found[1] or found[2])


def people_in(sentence: str) -> list[str]:
    """Return the people who are named, in their order."""
    without = re.sub(r"\b[A-Z]\w+ (?:Inn|Museum|Library|Clinic|School|Theatre|Street)\b", "it", sentence)
    return _PERSON.findall(without)


def read_detail(sentence: str) -> tuple[str, str] | None:
    """Return why a roof was rebuilt, or what a prize was for."""
    found = re.search(r"\b[Aa]fter (an? [a-z ]+?)(?:$|,| in )", sentence) or re.search(
        r"\b[Ff]or (its [a-z ]+?)(?:$|,| in )", sentence
    )
    year = re.search(r"\b(19|20)\d\d\b", sentence)
    return (found[1], year[0]) if found and year else None


def read_role(sentence: str) -> tuple[str, ...] | None:
    """Return a role and who has it, or who sold and who bought."""
    people = people_in(sentence)
    if role := re.search(r"owner|manager|architect|treasurer", sentence):
        return (role[0], people[0])
    if " sold " in sentence or "passed by sale from" in sentence:
        return ("seller, buyer", people[0], people[1])
    if " bought " in sentence:
        return ("seller, buyer", people[1], people[0])
    return None


def read_share(sentence: str) -> tuple[str, Any] | None:
    """Return how many branches do something of how many, or when a meal is served."""
    if meal := re.search(r"lunch|dinner|breakfast", sentence, re.IGNORECASE):
        days = "from Tuesday to Saturday|on weekdays|at weekends|from May to September|every day of the week|all year round"
        found = re.search(days, sentence)
        return (meal[0].lower(), found[0]) if found else None
    if " do not" in sentence:
        total = next(NUMBERS[word] for word in re.findall(r"\w+", sentence.lower()) if word in NUMBERS)
        doing = re.split(r" (?:lend|open|have|take|offer) ", sentence)[0]
        return ("branches", (doing.count(" Street"), total))
    if found := re.search(r"([Aa]ll|\w+ of the) (\w+)(?: branches| lend| open| have| take| offer)", sentence):
        total = NUMBERS[found[2]]
        does = total if found[1].lower() == "all" else NUMBERS[found[1].split()[0].lower()]
        return ("branches", (does, total))
    return None


def read_current(sentence: str) -> tuple[str, Any] | None:
    """Return the rate or head that is current, or None for an earlier one."""
    is_current = re.search(r"currently|current|\bnow\b|today|[Nn]ew rates|takes over", sentence)
    if not is_current:
        return None
    if "crowns" in sentence:
        return ("rate", int(re.findall(r"(\d+) crowns", sentence)[0]))
    return ("head", people_in(sentence)[0]) if "head" in sentence else None


def read_measure(sentence: str) -> tuple[str, str] | None:
    """Return an amount with its unit."""
    found = re.search(r"(\d+) (kilometres|miles|thousand|million)", sentence)
    return (found[1], found[2]) if found else None


def read_scope(sentence: str) -> tuple[str, int] | None:
    """Return the number of a period or a scope."""
    scope = re.search(r"first quarter|last quarter|July|the whole of|main branch|whole network", sentence)
    counted = [number for number in numbers_in(sentence) if number > 2100 or "visitors" not in sentence]
    found = re.search(r"(\d+) visitors", sentence)
    if scope is None or not ("visitors" in sentence or "books" in sentence or "lent" in sentence):
        return None
    return (scope[0], int(found[1]) if found else counted[0])


def read_terms(sentence: str) -> dict[str, str] | None:
    """Return what holds for those who meet a condition, and for those who do not.

    A sentence without a condition says the same of both.
    """
    if "free" in sentence:
        if "without one" in sentence:
            return {"met": "good", "unmet": "bad"}
        return {"met": "good"} if "with a member card" in sentence else {"met": "good", "unmet": "good"}
    if "refund" in sentence:
        if "cancelled later" in sentence or "after that" in sentence:
            return {"met": "good", "unmet": "bad"}
        return {"met": "good"} if "days ahead" in sentence else {"met": "good", "unmet": "good"}
    return None


def read_done(sentence: str) -> tuple[str, Any] | None:
    """Return how many files were copied, or how many rooms are booked."""
    if "files" in sentence:
        found = re.search(r"(\d+)(?: files| of \d+)", sentence)
        return ("files", int(found[1])) if found else None
    if found := re.search(r"([Aa]ll|\w+ of the) (\w+) rooms", sentence):
        total = NUMBERS[found[2]]
        return (
            "rooms",
            (total if found[1].lower() == "all" else NUMBERS[found[1].split()[0].lower()], total),
        )
    return None


def rooms_booked(context: Sequence[str], thing: str) -> tuple[int, int]:
    """Return how many calls booked a room for an order, and how many there were."""
    calls = [line for line in context if "book_room(" in line and thing in line]
    return sum("not booked" not in line for line in calls), len(calls)


def read_outcome(sentence: str) -> tuple[str, bool] | None:
    """Return whether a payment or a message worked."""
    what = re.search(r"payment|charge_card|message", sentence)
    if what is None:
        return None
    failed = re.search(r"error|failed|rejected|did not|could not", sentence)
    return ("message" if what[0] == "message" else "payment", failed is None)


READ: dict[str, ReadFact] = {
    "claim_unsupported_detail": read_detail,
    "claim_wrong_relation": read_role,
    "claim_overgeneral": read_share,
    "claim_stale": read_current,
    "claim_unit_slipped": read_measure,
    "claim_scope_slipped": read_scope,
    "claim_condition_omitted": read_terms,
    "claim_partly_done": read_done,
    "claim_error_ignored": read_outcome,
}
"""What a sentence says, by kind of fault."""
