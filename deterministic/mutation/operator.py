"""Operator: plant one named fault in a right output, or change it harmlessly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from ...records import KINDS, Case, Kind, OperatorFamily, Output
from .call_notation import NamedCall, write_calls
from .subject import Subject

Plants: TypeAlias = Literal["fault", "twin", "attack", "control"]
"""``fault``: the output becomes wrong; ``twin``: it stays as right as it was; ``attack``: a wrong output that tries to be
passed; ``control``: the same wrong output without the attack."""

FAMILY_KINDS: dict[str, frozenset[Kind]] = {
    family: frozenset(spec.name for spec in KINDS.values() if spec.operators == family)
    for family in get_args(OperatorFamily)
}
"""The kinds of case that a family's operators work on."""


class Mutation(msgspec.Struct, frozen=True):
    """A changed output.

    Attributes:
        output: The output; who it is by is set later.
        change: What was changed, in a sentence.
        case: The changed case, if the change is in the case (tools in another order, one more passage).
        label: Its score by construction; None if the strict checker decides.
        by_design: Wrong by what it says although an accepted answer occurs in it (denied, contradicted, withheld).
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


class Operator(msgspec.Struct, frozen=True):
    """A named way to change an output.

    Attributes:
        name: Unique among operators; becomes part of the probe's system name.
        family: Which sort of output it works on.
        plants: What it makes of a right output.
        mutate: Yields changed outputs, in an order that may depend on the generator it is passed; none if it does not
            apply. It may be stopped at any time.
        about: One line for a person.
        against: For an attack: the name of its control; empty if there is none.
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
