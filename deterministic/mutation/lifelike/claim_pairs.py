"""Write search results and answers from drawn facts; labels follow from the facts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ....records import Case, Claim, ContextItem, Output
from ..dials.material import make_grounded_case, user
from ..groundedness_operators import with_claims
from ..operator import Mutation
from ..right_outputs import REFERENCE_SYSTEM
from ..seeding import generator, shuffled
from .claim_materials import CLAIM_DRAWS, ClaimMaterial, draw_background_fact, draw_houses, draw_order_name
from .claim_relations import ABOUT_ORDERS
from .fact_tables import ClaimStanding, TableFact, claim_standing, write_sentence
from .lifelike_pair import LifelikePair

_FURTHER_CLAIMS, _FACTS_ABOUT_OTHERS = 3, 2
"""Numbers of right claims besides the one that may be faulty, and of facts about another thing in the results."""

_PROOF_TEXTS: Mapping[ClaimStanding, str] = {
    "held": "which the results say",
    "contradicted": "which the results contradict",
    "not held": "which no result says",
}


class _Page(NamedTuple):
    """Search results, and what is needed to write answers about them.

    Attributes:
        case: The case, with the results.
        table: All facts that the results support.
        sources: Ids of the results about each thing.
        more: Facts of the claims that are always right.
        wordings: For each claim, its sentences' indexes in random order.
        place: Position of the claim that may be faulty.
    """

    case: Case
    table: Sequence[TableFact]
    sources: Mapping[str, list[str]]
    more: Sequence[TableFact]
    wordings: Sequence[Sequence[int]]
    place: int

    def answer(self, target: TableFact, wording: int) -> tuple[Case, Output]:
        """Return an answer with the target's claim and the others, in one of their wordings."""
        facts = [*self.more, target]
        claims = [self._claim(fact, order[wording]) for fact, order in zip(facts, self.wordings, strict=True)]
        # The target's claim is the last one.
        claims.insert(self.place, claims.pop())
        output = Output(case_id=self.case.id, system=REFERENCE_SYSTEM)
        return with_claims(self.case, output, claims)

    def mutation(self, target: TableFact) -> Mutation:
        """Return the answer in other words than the right one, labelled by its share of true claims."""
        # The right answer has wording 0.
        case, output = self.answer(target, 1)
        claims: list[Mapping[str, object]] = case.reference["claims"]
        true_claims = sum(claim["supported"] is True for claim in claims)
        change = f"{claims[self.place]['text']!r}, {_PROOF_TEXTS[claim_standing(self.table, target)]}"
        return Mutation(output, change, case, label=true_claims / len(claims))

    def _claim(self, fact: TableFact, wording: int) -> Claim:
        is_held = claim_standing(self.table, fact) == "held"
        text = write_sentence(fact.relation.in_answer[wording], fact.slots)
        return Claim(
            text=text, supported=is_held, indexes=self.sources[fact.slots["thing"]] if is_held else []
        )


def claim_pair(fault: str, seed: int, number: int) -> LifelikePair:
    """Return results with a right answer, the answer with a fault, and its twin.

    All three make the same claims, except one. Fault and twin have the same wordings, and differ only in the facts of that claim.
    """
    rng = generator("lifelike", fault, seed, number)
    draw = rng.choice(CLAIM_DRAWS[fault])
    material, other = draw(rng), draw(rng)
    page = _make_page(f"{fault}-{seed}-{number}", material, other, rng)
    case, right = page.answer(material.true, 0)
    return LifelikePair(
        case, right, fault=fault, faulty=page.mutation(material.false), twin=page.mutation(material.true)
    )


def _make_page(case_id: str, material: ClaimMaterial, other: ClaimMaterial, rng: random.Random) -> _Page:
    """Write the results: the material's facts, further ones, and facts about other things."""
    thing = material.false.slots["thing"]
    further_facts = [
        draw_background_fact(relation, thing, rng)
        for relation in shuffled(material.about, rng)[:_FURTHER_CLAIMS]
    ]
    stated = [*material.stated, *further_facts, *_facts_about_others(material, other, rng)]
    context, sources = _write_results(stated, rng)
    case = make_grounded_case(case_id, user(material.question), context)
    wordings = [
        shuffled(range(len(fact.relation.in_answer)), rng) for fact in (*further_facts, material.true)
    ]
    return _Page(
        case=case,
        table=[*stated, *material.implied],
        sources=sources,
        more=further_facts,
        wordings=wordings,
        place=rng.randrange(_FURTHER_CLAIMS + 1),
    )


def _facts_about_others(material: ClaimMaterial, other: ClaimMaterial, rng: random.Random) -> list[TableFact]:
    """Return facts about things that no claim is about; some have the form of the claims."""
    names_used = {fact.slots["thing"] for fact in material.table}
    similar = [fact for fact in other.stated if fact.slots["thing"] not in names_used]
    names_used.update(fact.slots["thing"] for fact in similar)
    # One house more than are used, so that at least one name is free.
    names = (
        [draw_order_name(rng)] if material.about is ABOUT_ORDERS else draw_houses(rng, len(names_used) + 1)
    )
    name = next((name for name in names if name not in names_used), None)
    relations = shuffled(material.about, rng)[:_FACTS_ABOUT_OTHERS]
    return similar + (
        [] if name is None else [draw_background_fact(relation, name, rng) for relation in relations]
    )


def _write_results(
    stated: Sequence[TableFact], rng: random.Random
) -> tuple[Sequence[ContextItem], Mapping[str, list[str]]]:
    """Write the facts as results, and return them with the ids of the results about each thing."""
    facts = shuffled(stated, rng)
    # One fact per result, a few, or all in one result.
    facts_per_result = rng.choice((1, 3, len(facts)))
    items: list[ContextItem] = []
    sources: dict[str, list[str]] = {}
    for start in range(0, len(facts), facts_per_result):
        facts_of_item = facts[start : start + facts_per_result]
        item_id = f"result-{len(items) + 1}"
        text = " ".join(
            write_sentence(rng.choice(fact.relation.in_context), fact.slots) for fact in facts_of_item
        )
        items.append(ContextItem(id=item_id, request="everything on record", content=text))
        for thing in {fact.slots["thing"] for fact in facts_of_item}:
            sources.setdefault(thing, []).append(item_id)
    return items, sources
