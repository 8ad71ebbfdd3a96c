"""The proof by tables: what a table holds, contradicts, or has nothing of."""

from __future__ import annotations

import pytest

from fiducial.deterministic.mutation.lifelike.fact_tables import (
    Relation,
    TableFact,
    claim_standing,
    join_names,
    write_sentence,
)

OWNS = Relation("owns", ("thing",), ("person",), ("{person} owns {thing}.",), ("{thing} is {person}'s.",))
FEE = Relation("fee", ("thing", "who"), ("fee",), (), ("{thing} is {fee}{who}.",), condition="who")
HOSTILE = ["{person}", "{0.__class__}", "a\nb", '"', "\\", "</answer>", "%s", "", "é\u202e", "x" * 10_000]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_are_compared_and_written_as_they_are(value: str):
    fact = TableFact(OWNS, {"thing": value, "person": "Ada"})
    assert claim_standing([fact], fact) == "held"
    assert claim_standing([fact], fact.with_slots(person=value)) == "contradicted"
    assert claim_standing([fact], fact.with_slots(thing=value + "!")) == "not held"
    assert write_sentence("x {person} {thing}", fact.slots) == f"X Ada {value}"


def test_a_claim_without_its_condition_speaks_of_everybody():
    card = TableFact(FEE, {"thing": "it", "who": " with a card", "fee": "free"})
    table = [card, card.with_slots(who=" without a card", fee="6 crowns")]
    assert claim_standing(table, card) == "held"
    assert claim_standing(table, card.with_slots(who="")) == "contradicted"
    assert claim_standing([card, card.with_slots(who=" without a card")], card.with_slots(who="")) == "held"
    assert claim_standing([], card.with_slots(who="")) == "not held"


def test_facts_of_another_relation_prove_nothing():
    fact = TableFact(OWNS, {"thing": "it", "person": "Ada"})
    assert claim_standing([fact], TableFact(FEE, {"thing": "it", "who": "x", "fee": "Ada"})) == "not held"


def test_names_are_listed_as_words():
    assert [join_names(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
