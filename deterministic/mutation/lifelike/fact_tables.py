"""Tables of facts: how facts are written as sentences, and whether a table supports a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

ClaimStanding: TypeAlias = Literal["held", "contradicted", "not held"]
"""Whether a table has a claim's fact (``held``), another fact of the same key (``contradicted``), or none of it (``not held``)."""


class Relation(NamedTuple):
    """A form of fact: its slots, and sentences that state it.

    Attributes:
        name: Name, unique among relations.
        key: Slots that determine the values: a table has one fact per key.
        values: The slots that are determined, in which a claim can be wrong.
        in_context: Sentences for a search result or a tool's result; none if facts of this form are only implied.
        in_answer: Sentences for an answer.
        condition: The slot of the key that an answer may leave empty; the claim is then about all conditions.
    """

    name: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    in_context: tuple[str, ...]
    in_answer: tuple[str, ...]
    condition: str = ""


class TableFact(NamedTuple):
    """A fact of a relation, or a claim in the same form."""

    relation: Relation
    slots: Mapping[str, str]

    @property
    def value_slots(self) -> tuple[str, ...]:
        """The values of the slots in which a claim can be wrong."""
        return tuple(self.slots[name] for name in self.relation.values)

    def with_slots(self, **slots: str) -> TableFact:
        """Return the fact or claim with other values in some slots."""
        return TableFact(self.relation, {**self.slots, **slots})


def claim_standing(table: Iterable[TableFact], claim: TableFact) -> ClaimStanding:
    """Return whether a table supports a claim, contradicts it, or has no fact of its key.

    A claim that leaves its condition out is supported if it is true under all conditions, and contradicted by one under which it is not.
    """
    is_general = claim.relation.condition and not claim.slots[claim.relation.condition]
    key = [name for name in claim.relation.key if not (is_general and name == claim.relation.condition)]
    values_in_table = [
        fact.value_slots
        for fact in table
        if fact.relation.name == claim.relation.name
        and all(fact.slots[name] == claim.slots[name] for name in key)
    ]
    if not values_in_table:
        return "not held"
    return "held" if all(values == claim.value_slots for values in values_in_table) else "contradicted"


def write_sentence(wording: str, slots: Mapping[str, str]) -> str:
    """Fill the slots of a sentence, and begin it with a capital."""
    text = wording.format_map(slots)
    return text[:1].upper() + text[1:]


def join_names(names: Sequence[str]) -> str:
    """Join names as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
