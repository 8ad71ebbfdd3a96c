"""Write results and answers from drawn facts; labels follow from the table of facts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ....records import Case, Claim, ContextItem, Output
from ..dials.material import user
from ..groundedness_operators import with_claims
from ..made_cases import made_grounded_case
from ..operator import Mutation
from ..right_outputs import REFERENCE_SYSTEM
from ..seeding import generator, shuffled
from .claim_materials import CLAIM_DRAWS, ClaimMaterial, background, order_name, things
from .claim_relations import ABOUT_ORDERS
from .fact_tables import ClaimStanding, TableFact, sentence, standing
from .lifelike_pair import LifelikePair

_MORE, _OTHER = 3, 2
"""Right claims beside the one that may be faulty, and facts about something else in the results."""

_PROOF: Mapping[ClaimStanding, str] = {
    "held": "which the results say",
    "contradicted": "which the results contradict",
    "not held": "which no result says",
}


class _Page(NamedTuple):
    """Results and the wordings of the answers about them."""

    case: Case
    table: Sequence[TableFact]
    sources: Mapping[str, list[str]]
    more: Sequence[TableFact]
    wordings: Sequence[Sequence[int]]
    place: int

    def answer(self, target: TableFact, wording: int) -> tuple[Case, Output]:
        """Return the answer that makes the target's claim among the others."""
        facts = [*self.more, target]
        claims = [self._claim(fact, order[wording]) for fact, order in zip(facts, self.wordings, strict=True)]
        claims.insert(self.place, claims.pop())
        output = Output(case_id=self.case.id, system=REFERENCE_SYSTEM)
        return with_claims(self.case, output, claims)

    def mutation(self, target: TableFact) -> Mutation:
        """Return that answer in other words, labelled by the share of claims that are held."""
        case, output = self.answer(target, 1)
        claims: list[Mapping[str, object]] = case.reference["claims"]
        held = sum(claim["supported"] is True for claim in claims)
        change = f"{claims[self.place]['text']!r}, {_PROOF[standing(self.table, target)]}"
        return Mutation(output, change, case, label=held / len(claims))

    def _claim(self, fact: TableFact, wording: int) -> Claim:
        is_held = standing(self.table, fact) == "held"
        text = sentence(fact.relation.in_answer[wording], fact.slots)
        return Claim(
            text=text, supported=is_held, indexes=self.sources[fact.slots["thing"]] if is_held else []
        )


def claim_pair(fault: str, seed: int, number: int) -> LifelikePair:
    """Return results and a right answer, the answer with a fault, and its twin.

    All three make the same claims but one. Fault and twin differ in the facts of that claim alone: their wordings are the same.
    """
    rng = generator("lifelike", fault, seed, number)
    draw = rng.choice(CLAIM_DRAWS[fault])
    material, other = draw(rng), draw(rng)
    page = _page(f"{fault}-{seed}-{number}", material, other, rng)
    case, right = page.answer(material.true, 0)
    return LifelikePair(
        case, right, fault=fault, faulty=page.mutation(material.false), twin=page.mutation(material.true)
    )


def _page(case_id: str, material: ClaimMaterial, other: ClaimMaterial, rng: random.Random) -> _Page:
    """Return results about the material, beside the same facts of other things."""
    thing = material.false.slots["thing"]
    more = [background(relation, thing, rng) for relation in shuffled(material.about, rng)[:_MORE]]
    stated = [*material.stated, *more, *_about_others(material, other, rng)]
    context, sources = _results(stated, rng)
    case = made_grounded_case(case_id, user(material.question), context)
    wordings = [shuffled(range(len(fact.relation.in_answer)), rng) for fact in (*more, material.true)]
    return _Page(case, [*stated, *material.implied], sources, more, wordings, rng.randrange(_MORE + 1))


def _about_others(material: ClaimMaterial, other: ClaimMaterial, rng: random.Random) -> list[TableFact]:
    """Return facts about things that no claim is about, some in the form of the claims."""
    used = {fact.slots["thing"] for fact in material.table}
    similar = [fact for fact in other.stated if fact.slots["thing"] not in used]
    used.update(fact.slots["thing"] for fact in similar)
    names = [order_name(rng)] if material.about is ABOUT_ORDERS else things(rng, len(used) + 1)
    name = next((name for name in names if name not in used), None)
    chosen = shuffled(material.about, rng)[:_OTHER]
    return similar + ([] if name is None else [background(relation, name, rng) for relation in chosen])


def _results(
    stated: Sequence[TableFact], rng: random.Random
) -> tuple[Sequence[ContextItem], Mapping[str, list[str]]]:
    """Write the facts as results, and list the results about each thing."""
    facts = shuffled(stated, rng)
    size = rng.choice((1, 3, len(facts)))
    items: list[ContextItem] = []
    sources: dict[str, list[str]] = {}
    for start in range(0, len(facts), size):
        part = facts[start : start + size]
        item_id = f"result-{len(items) + 1}"
        text = " ".join(sentence(rng.choice(fact.relation.in_context), fact.slots) for fact in part)
        items.append(ContextItem(id=item_id, request="everything on record", content=text))
        for thing in {fact.slots["thing"] for fact in part}:
            sources.setdefault(thing, []).append(item_id)
    return items, sources
