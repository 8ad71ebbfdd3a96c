"""Operators on grounded answers: statements of n claims, of which exactly k are supported."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from ...records import Case, Claim, ContextItem, Output
from ...records.typed_values import convert
from . import near_values
from .claims import Fact, claim_sentence, context_text, facts_of, value_text
from .near_values import MONTHS, near_names
from .operator import Mutation, Operator
from .right_outputs import REFERENCE_SYSTEM
from .seeding import generator, shuffled
from .subject import Subject

MAX_CLAIMS = 5
"""Limit on the claims of a statement."""

_DETAILS = (", on the third floor", ", as decided on a Tuesday", ", next to the old mill")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-\d{2}")
_UNRELATED_PASSAGE = ContextItem(
    id="unrelated",
    request="lighthouse roster",
    content={"name": "Skerry Light", "keeper": "O. Brannigan", "week": 31},
)

Falsify: TypeAlias = Callable[[Fact, Sequence[Fact], str, random.Random], str | None]
"""Turns a fact into a claim that no result supports, or returns None if it cannot.

It gets the fact, all facts, the text of all results in lower case, and a random generator.
"""


def compose_statement(case: Case) -> tuple[Case, Output] | None:
    """Compose a statement of a case's facts; return the case with its claims, and the output.

    None if the results have fewer than two facts.
    """
    facts = choose_facts(case)
    if len(facts) < 2:  # noqa: PLR2004 - a single claim has no fraction
        return None
    output = Output(case_id=case.id, system=REFERENCE_SYSTEM)
    return with_claims(case, output, [_supported_claim(fact, fact.sentence) for fact in facts])


def choose_facts(case: Case) -> list[Fact]:
    """Return the facts for statements about a case, which are the same for all operators."""
    return list(shuffled(facts_of(case), generator(case.id, "facts")))[:MAX_CLAIMS]


def falsify_facts(falsify: Falsify, subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """State facts, first with one of them false, then with as many as possible."""
    facts, all_facts = choose_facts(subject.case), facts_of(subject.case)
    results_text = context_text(subject.case)
    false_claims: dict[int, str] = {}
    for number in shuffled(range(len(facts)), rng):
        claim = falsify(facts[number], all_facts, results_text, rng)
        if claim is not None:
            false_claims[number] = claim
    # One false claim is the hardest to find; as many as possible give labels far from it.
    for count in sorted({1, len(false_claims)} if false_claims else ()):
        planted_claims = dict(list(false_claims.items())[:count])
        claims = [
            Claim(text=planted_claims[number], supported=False)
            if number in planted_claims
            else _supported_claim(fact, fact.sentence)
            for number, fact in enumerate(facts)
        ]
        case, output = with_claims(subject.case, subject.output, claims)
        change = f"{count} of {len(facts)} claims are not supported: {' '.join(planted_claims.values())}"
        yield Mutation(output, change, case, label=(len(facts) - count) / len(facts))


def give_wrong_number(fact: Fact, _facts: Sequence[Fact], text: str, rng: random.Random) -> str | None:
    """Give another number."""
    # In Python, booleans are integers.
    if isinstance(fact.value, bool) or not isinstance(fact.value, int | float):
        return None
    wrong_numbers = [*near_values.near_numbers(fact.value), *near_values.other_magnitude(fact.value)]
    return _first_unsupported_claim(fact, shuffled(map(value_text, wrong_numbers), rng), text)


def give_wrong_date(fact: Fact, _facts: Sequence[Fact], text: str, rng: random.Random) -> str | None:
    """Give another date."""
    if not isinstance(fact.value, str):
        return None
    return _first_unsupported_claim(fact, shuffled(near_values.shift_dates(fact.value), rng), text)


def give_wrong_name(fact: Fact, _facts: Sequence[Fact], text: str, rng: random.Random) -> str | None:
    """Give a name that begins like the right one."""
    return (
        _first_unsupported_claim(fact, near_names(fact.value, rng), text)
        if isinstance(fact.value, str)
        else None
    )


def add_detail(fact: Fact, _facts: Sequence[Fact], text: str, rng: random.Random) -> str | None:
    """Add a detail that no result gives."""
    detail = rng.choice(_DETAILS)
    return (
        None
        if detail.strip(", ") in text
        else claim_sentence(fact.subject, fact.field, value_text(fact.value) + detail)
    )


def give_value_of_other(fact: Fact, facts: Sequence[Fact], _text: str, rng: random.Random) -> str | None:
    """Give a value that is true of something else."""
    other_facts = [
        other_fact
        for other_fact in facts
        if other_fact.field == fact.field
        and other_fact.subject != fact.subject
        and not _overlap(other_fact.value, fact.value)
    ]
    return (
        claim_sentence(fact.subject, fact.field, value_text(rng.choice(other_facts).value))
        if other_facts
        else None
    )


def generalize_dates(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """State dates by their month only."""
    facts = choose_facts(subject.case)
    claims = [_supported_claim(fact, _general_sentence(fact)) for fact in facts]
    if any(claim.text != fact.sentence for claim, fact in zip(claims, facts, strict=True)):
        case, output = with_claims(subject.case, subject.output, claims)
        yield Mutation(output, "dates are given by their month only", case, label=1.0)


def reorder_claims(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Make the claims in another order."""
    claims = convert(subject.case.reference.get("claims") or [], list[Claim])
    if len(claims) > 1:
        case, output = with_claims(subject.case, subject.output, claims[::-1])
        yield Mutation(output, "the claims are made from back to front", case, label=1.0)


def reorder_passages(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Show the results in another order."""
    if len(subject.case.context) > 1:
        case = msgspec.structs.replace(subject.case, context=subject.case.context[::-1])
        yield Mutation(subject.output, "the results are shown from back to front", case, label=1.0)


def add_unrelated_passage(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Show a result that has nothing to do with the statement first."""
    if subject.case.context and _UNRELATED_PASSAGE.content["name"] not in (subject.output.text or ""):
        case = msgspec.structs.replace(subject.case, context=[_UNRELATED_PASSAGE, *subject.case.context])
        yield Mutation(
            subject.output, "a result that has nothing to do with it stands first", case, label=1.0
        )


def _first_unsupported_claim(fact: Fact, values: Iterator[str] | Sequence[str], text: str) -> str | None:
    """Return a claim with the first value that does not occur in the results, or None."""
    for value in values:
        if not re.search(rf"(?<![\w.]){re.escape(value.lower())}(?![\w.]*\w)", text):
            return claim_sentence(fact.subject, fact.field, value)
    return None


def _overlap(one: object, other: object) -> bool:
    """Return whether one value may be a broader term for the other, so that both are true."""
    text, other_text = value_text(one).lower(), value_text(other).lower()
    return text in other_text or other_text in text


def _general_sentence(fact: Fact) -> str:
    date = _ISO_DATE.fullmatch(fact.value) if isinstance(fact.value, str) else None
    month = int(date[2]) if date else 0
    if date is None or not 1 <= month <= len(MONTHS):
        return fact.sentence
    return f"The {fact.field.replace('_', ' ')} of {fact.subject} is in {MONTHS[month - 1]} {date[1]}."


def _supported_claim(fact: Fact, text: str) -> Claim:
    return Claim(text=text, supported=True, indexes=[fact.result])


def with_claims(case: Case, output: Output, claims: Sequence[Claim]) -> tuple[Case, Output]:
    """Return the output with these claims as its text, and the case with them as its reference."""
    reference = {"claims": msgspec.to_builtins(claims)}
    text = " ".join(claim.text for claim in claims)
    return msgspec.structs.replace(case, reference=reference), msgspec.structs.replace(output, text=text)


_FALSIFIERS: dict[str, tuple[Falsify, str]] = {
    "claim_wrong_number": (give_wrong_number, "a number that no result gives"),
    "claim_wrong_date": (give_wrong_date, "a date that no result gives"),
    "claim_wrong_name": (give_wrong_name, "a name that begins like the one that is given"),
    "claim_more_specific": (add_detail, "a detail that no result gives"),
    "claim_from_another_result": (give_value_of_other, "what a result says of something else"),
}
"""Function and description of each fault, by the operator's name."""

GROUNDEDNESS = (
    *(
        Operator(name, "groundedness", "fault", partial(falsify_facts, falsify), about)
        for name, (falsify, about) in _FALSIFIERS.items()
    ),
    Operator("claim_more_general", "groundedness", "twin", generalize_dates, "dates by their month only"),
    Operator("claims_reordered", "groundedness", "twin", reorder_claims, "claims in another order"),
    Operator("passages_reordered", "groundedness", "twin", reorder_passages, "results in another order"),
    Operator(
        "unrelated_passage",
        "groundedness",
        "twin",
        add_unrelated_passage,
        "one more result that does not matter",
    ),
)
