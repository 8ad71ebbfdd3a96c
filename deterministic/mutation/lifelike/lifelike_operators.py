"""Operators whose faults look like those of real agents, each with an operator for its twin."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from functools import partial

from ....records import OF_CALLS
from ..operator import Mutation, Operator
from ..subject import Subject
from .call_pairs import call_pair
from .claim_materials import CLAIM_DRAWS
from .claim_pairs import claim_pair
from .lifelike_pair import LifelikePair

TWIN_ENDING = "_twin"
"""Ending of the name of a fault's twin."""

_DESCRIPTIONS: dict[str, str] = {
    "claim_unsupported_detail": "a plausible detail that no result gives",
    "claim_wrong_relation": "a right name in the wrong role",
    "claim_overgeneral": "what holds of some, said of all",
    "claim_stale": "a value that no longer holds, as the current one",
    "claim_unit_slipped": "the right amount in another unit",
    "claim_scope_slipped": "the number of another period or scope",
    "claim_condition_omitted": "what holds under a condition, without the condition",
    "claim_partly_done": "part of a task done, all of it reported as done",
    "claim_error_ignored": "a tool's error, reported as a success",
    "call_unsupported_detail": "a plausible value that nobody gave",
    "call_wrong_relation": "right names or accounts in each other's role",
    "call_overgeneral": "everything, where the user asked for a part",
    "call_stale": "a value that the user has corrected since",
    "call_unit_slipped": "the right amount in another unit than the tool's",
    "call_scope_slipped": "a wider or narrower scope than asked for",
    "call_condition_omitted": "the user's condition left out",
    "call_partly_done": "one of several tasks left out, all reported as done",
    "call_error_ignored": "the call for which the tool gave an error, again",
}


def _give_faulty(fault: str, subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    if isinstance(subject, LifelikePair) and subject.fault == fault and subject.faulty is not None:
        yield subject.faulty


def _give_twin(fault: str, subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Give the right output of a pair in the wording of its fault."""
    if isinstance(subject, LifelikePair) and subject.fault == fault and subject.twin is not None:
        yield subject.twin


def _make_operators(fault: str, about: str) -> Iterator[Operator]:
    family = "groundedness" if fault in CLAIM_DRAWS else OF_CALLS
    yield Operator(fault, family, "fault", partial(_give_faulty, fault), about)
    yield Operator(
        fault + TWIN_ENDING, family, "twin", partial(_give_twin, fault), f"right, in the wording of {fault}"
    )


LIFELIKE = tuple(
    operator for fault, about in _DESCRIPTIONS.items() for operator in _make_operators(fault, about)
)
"""Operators that apply only to the subjects that `lifelike_pairs` makes."""


def lifelike_kinds(operators: Collection[str]) -> list[str]:
    """Return the kinds of lifelike fault that these operators plant, or make twins of."""
    return [fault for fault in _DESCRIPTIONS if fault in operators or fault + TWIN_ENDING in operators]


def lifelike_pairs(per_kind: int, seed: int, operators: Collection[str]) -> Iterator[LifelikePair]:
    """Yield pairs of each kind of fault, one kind after the other in turn.

    Each pair has its own random generator, which depends on seed, kind and number.

    Args:
        per_kind: Number of pairs of each kind.
        seed: The same seed gives the same pairs.
        operators: Names of operators; only their kinds are drawn.
    """
    for number in range(per_kind):
        for fault in lifelike_kinds(operators):
            yield (claim_pair if fault in CLAIM_DRAWS else call_pair)(fault, seed, number)
