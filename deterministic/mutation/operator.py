"""Operators: named ways to plant a fault in a right output, or to change it harmlessly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from ...records import KINDS, Case, Kind, OperatorFamily, Output
from .call_notation import NamedCall, write_calls
from .subject import Subject

Plants: TypeAlias = Literal["fault", "twin", "attack", "control"]
"""``fault``: the output becomes wrong; ``twin``: it stays right; ``attack``: a wrong output that tries to pass; ``control``: the same
wrong output without the attack."""

FAMILY_KINDS: dict[str, frozenset[Kind]] = {
    family: frozenset(spec.name for spec in KINDS.values() if spec.operators == family)
    for family in get_args(OperatorFamily)
}
"""Kinds of case by family of operators."""


class Mutation(msgspec.Struct, frozen=True):
    """A changed output.

    Attributes:
        output: The output; its system is set later.
        change: The change, in a sentence.
        case: The changed case, if the case is changed (tools in another order, one more passage), else None.
        label: The output's score by construction, or None if the strict checker decides.
        by_design: True for a wrong output that mentions an accepted answer, but denies, contradicts or withholds it.
    """

    output: Output
    change: str
    case: Case | None = None
    label: float | None = None
    by_design: bool = False


def calls_mutation(subject: Subject, calls: Sequence[NamedCall], change: str) -> Mutation:
    """Return the output with other calls, in its own notation."""
    return Mutation(write_calls(subject.output, calls), change)


def with_arguments(subject: Subject, index: int, arguments: dict[str, object], change: str) -> Mutation:
    """Return the output with other arguments in one call."""
    calls = list(subject.calls)
    calls[index] = NamedCall(calls[index].name, arguments)
    return calls_mutation(subject, calls, f"{calls[index].name}: {change}")


Mutate: TypeAlias = Callable[[Subject, random.Random], Iterator[Mutation]]
"""Function of an operator: yields changed outputs."""


class Operator(msgspec.Struct, frozen=True):
    """A named way to change an output.

    Attributes:
        name: Name, unique among operators; part of the probe's system name.
        family: The outputs that it can change.
        plants: What it makes of them.
        mutate: Yields changed outputs, in an order that may depend on the random generator; none if it does not apply. The
            caller may stop it at any time.
        about: Description in one line, for people.
        against: For an attack, the name of its control; empty if there is none.
    """

    name: str
    family: OperatorFamily
    plants: Plants
    mutate: Mutate
    about: str
    against: str = ""

    @property
    def __wrapped__(self) -> Mutate:
        """The function that changes outputs, for finding its source."""
        return self.mutate
