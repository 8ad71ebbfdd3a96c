"""Claims that are planted as faults are faults, by a reader that knows none of the wordings."""

from __future__ import annotations

from typing import Any

import pytest
from lifelike_reading import READ, numbers_in, people_in, rooms_booked, sentences, thing_in

from fiducial.deterministic.mutation.lifelike.claim_materials import CLAIM_DRAWS
from fiducial.deterministic.mutation.lifelike.claim_pairs import claim_pair
from fiducial.deterministic.mutation.lifelike.lifelike_pair import LifelikePair
from fiducial.deterministic.mutation.operator import Mutation
from fiducial.records import Case, GroundedReference, Output
from fiducial.records.typed_values import convert

PAIRS = 30
KINDS = list(CLAIM_DRAWS)


def pairs(kind: str) -> list[LifelikePair]:
    return [claim_pair(kind, seed, number) for seed in range(3) for number in range(PAIRS // 3)]


def context_lines(case: Case) -> list[str]:
    return [line for item in case.context for line in sentences(item.content)]


def claims_of(case: Case) -> list[tuple[str, bool]]:
    return [
        (claim.text, claim.supported) for claim in convert(case.reference, GroundedReference).claims or []
    ]


def holds(kind: str, case: Case, claim: str) -> bool:
    """Return whether the results say what a claim says, each read by words and numbers."""
    claim = claim.rstrip(".")
    read, thing = READ[kind], thing_in(claim)
    assert thing is not None, claim
    said, lines = read(claim), [line for line in context_lines(case) if thing in line]
    if said is None:
        return is_plain(claim, lines)
    if kind == "claim_partly_done" and said[0] == "rooms":
        return said[1] == rooms_booked(lines, thing)
    found = [fact for fact in map(read, lines) if fact is not None]
    if kind == "claim_condition_omitted":
        return all(any(fact.get(who) == what for fact in found) for who, what in said.items())
    return said in found


def is_plain(claim: str, lines: list[str]) -> bool:
    """Return whether a line has the numbers and people of a claim of another matter."""
    return any(
        numbers_in(claim) == numbers_in(line) and people_in(claim) == people_in(line) for line in lines
    )


def answered(mutation: Mutation | None) -> tuple[Case, Output, float]:
    assert mutation is not None
    assert mutation.case is not None
    assert mutation.label is not None
    return mutation.case, mutation.output, mutation.label


@pytest.mark.parametrize("kind", KINDS)
def test_every_label_is_what_a_reader_finds_in_the_results(kind: str):
    for pair in pairs(kind):
        right = (pair.case, pair.output, 1.0)
        for case, output, label in (right, answered(pair.faulty), answered(pair.twin)):
            claims = claims_of(case)
            assert " ".join(text for text, _ in claims) == output.text
            read = [holds(kind, case, text) for text, _ in claims]
            assert read == [supported for _, supported in claims], (pair.case.context, claims)
            assert label == sum(read) / len(read)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_is_one_claim_of_four_and_its_twin_is_right_in_the_same_places(kind: str):
    for pair in pairs(kind):
        faulty, twin = claims_of(answered(pair.faulty)[0]), claims_of(answered(pair.twin)[0])
        assert [supported for _, supported in faulty].count(False) == 1
        assert all(supported for _, supported in twin)
        other = [one for one, right in zip(faulty, twin, strict=True) if one != right]
        assert [supported for _, supported in other] == [False]
        assert answered(pair.faulty)[1].text != pair.output.text != answered(pair.twin)[1].text


def shape(text: str) -> set[str]:
    """Return the small words of a text that are not values."""
    return {word for word in text.replace(",", "").replace(".", "").lower().split() if word in SMALL}


SMALL = frozenset(["of", "in", "the", "by", "is", "has", "from", "there", "on", "at", "was", "for", "to"])


@pytest.mark.parametrize(
    "kind", ["claim_unsupported_detail", "claim_wrong_relation", "claim_stale", "claim_unit_slipped"]
)
def test_a_fault_and_its_twin_have_the_same_wording(kind: str):
    for pair in pairs(kind):
        assert shape(answered(pair.faulty)[1].text or "") == shape(answered(pair.twin)[1].text or "")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_depends_on_order_and_another_seed_gives_others(kind: str):
    first: list[Any] = [claim_pair(kind, 5, number) for number in range(6)]
    again = [claim_pair(kind, 5, number) for number in reversed(range(6))][::-1]
    assert [(one.case, one.faulty, one.twin) for one in first] == [
        (one.case, one.faulty, one.twin) for one in again
    ]
    others = [claim_pair(kind, seed, 0) for seed in (-1, 0, 10**30)]
    assert len({other.output.text for other in others}) == len(others)


@pytest.mark.parametrize("kind", KINDS)
def test_both_draws_and_every_wording_of_a_kind_come_up(kind: str):
    texts = [answered(pair.faulty)[1].text for pair in pairs(kind)]
    assert len(set(texts)) > 0.95 * len(texts)
    changes = [claim.change for pair in pairs(kind) if (claim := pair.faulty)]
    assert {"which no result says" in change for change in changes} == {kind == "claim_unsupported_detail"}
