"""Tables of facts: sentences that state facts, and the proof that a claim is a fault."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

ClaimStanding: TypeAlias = Literal["held", "contradicted", "not held"]
"""Relation of a claim to a table of facts."""


class Relation(NamedTuple):
    """A form of fact: which slots it has, and the sentences that state it.

    Attributes:
        name: Unique among relations.
        key: Slots that determine the values: a table holds one fact of a key.
        values: The other slots that matter.
        in_context: Wordings for a search result or a tool's result; none if facts of this form are only implied.
        in_answer: Wordings for an answer.
        condition: The slot of the key that an answer may leave out; a claim without it speaks of all.
    """

    name: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    in_context: tuple[str, ...]
    in_answer: tuple[str, ...]
    condition: str = ""


class TableFact(NamedTuple):
    """A fact of a relation, or a claim in its form."""

    relation: Relation
    slots: Mapping[str, str]

    @property
    def compared(self) -> tuple[str, ...]:
        """The values that matter."""
        return tuple(self.slots[name] for name in self.relation.values)

    def altered(self, **slots: str) -> TableFact:
        """Return the claim with other slots."""
        return TableFact(self.relation, {**self.slots, **slots})


def standing(table: Iterable[TableFact], claim: TableFact) -> ClaimStanding:
    """Return whether a table holds a claim, contradicts it, or has nothing of its key.

    A claim without its condition is held if the values are these under every condition, and contradicted by one condition with others.
    """
    is_general = claim.relation.condition and not claim.slots[claim.relation.condition]
    key = [name for name in claim.relation.key if not (is_general and name == claim.relation.condition)]
    found = [
        fact.compared
        for fact in table
        if fact.relation.name == claim.relation.name
        and all(fact.slots[name] == claim.slots[name] for name in key)
    ]
    if not found:
        return "not held"
    return "held" if all(values == claim.compared for values in found) else "contradicted"


def sentence(wording: str, slots: Mapping[str, str]) -> str:
    """Return a wording with its slots filled, beginning with a capital."""
    text = wording.format_map(slots)
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Return names as words: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
