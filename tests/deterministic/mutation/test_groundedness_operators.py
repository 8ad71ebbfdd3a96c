"""Statements whose label is exactly k of n."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from each_row import each_row

from fiducial.deterministic.mutation import LIFELIKE, OPERATORS, Mutation, Subject, compose_statement
from fiducial.records import Case, ContextItem

FALSE_CLAIMS = [
    name
    for name, each in OPERATORS.items()
    if each.family == "groundedness" and each.plants == "fault" and each not in LIFELIKE
]


def mutations(subject: Subject, operator: str) -> list[Mutation]:
    return list(OPERATORS[operator].mutate(subject, random.Random(0)))


def supported(claims: Iterable[dict[str, object]]) -> float:
    flags = [claim["supported"] for claim in claims]
    return sum(map(bool, flags)) / len(flags)


@pytest.mark.parametrize("operator", FALSE_CLAIMS)
def test_the_label_is_the_share_of_claims_that_are_supported(statement: Subject, operator: str):
    found = mutations(statement, operator)
    assert found
    for mutation in found:
        assert mutation.case is not None
        claims = mutation.case.reference["claims"]
        assert mutation.label == supported(claims)
        assert mutation.label != 1
        assert mutation.output.text == " ".join(claim["text"] for claim in claims)


@pytest.mark.parametrize("operator", ["claim_wrong_number", "claim_wrong_date", "claim_wrong_name"])
def test_a_false_value_occurs_in_no_result(statement: Subject, operator: str):
    everything = str([item.content for item in statement.case.context])
    found = mutations(statement, operator)
    assert found
    for mutation in found:
        assert mutation.case is not None
        for claim in mutation.case.reference["claims"]:
            value = claim["text"].partition(" is ")[2].removesuffix(".")
            assert (value in everything) == claim["supported"]


def test_a_value_of_another_result_is_in_the_results_and_still_false(statement: Subject):
    everything = str([item.content for item in statement.case.context])
    found = mutations(statement, "claim_from_another_result")
    assert found
    for mutation in found:
        assert mutation.label != 1
        assert mutation.case is not None
        for claim in mutation.case.reference["claims"]:
            assert claim["text"].partition(" is ")[2].removesuffix(".") in everything


def test_supported_claims_name_the_result_that_supports_them(statement: Subject):
    claims = statement.case.reference["claims"]
    assert claims
    for claim in claims:
        (index,) = claim["indexes"]
        (item,) = [item for item in statement.case.context if item.id == index]
        assert item.content["name"] in claim["text"]


def test_twins_say_the_same(statement: Subject):
    for operator in ("claims_reordered", "passages_reordered", "unrelated_passage", "claim_more_general"):
        assert {mutation.label for mutation in mutations(statement, operator)} == {1.0}, operator
    (reordered,) = mutations(statement, "passages_reordered")
    assert reordered.case is not None
    assert [item.id for item in reordered.case.context] == ["1", "0"]


def test_contradicting_results_give_no_claim_about_what_they_contradict_each_other_in():
    items = [
        ContextItem(id=str(price), content={"name": "A", "price": price, "city": "Rome", "stars": 3})
        for price in (1, 2)
    ]
    found = compose_statement(Case(id="c", kind="grounded_answer", context=items))
    assert found is not None
    assert "price" not in (found[1].text or "")


@each_row(
    "content", ["plain text", {"name": "only a name"}, [], None, '{"broken', [[[[[[{"name": "deep"}]]]]]]]
)
def test_without_structure_there_is_nothing_to_compose(content: object):
    assert (
        compose_statement(
            Case(id="c", kind="grounded_answer", context=[ContextItem(id="1", content=content)])
        )
        is None
    )
