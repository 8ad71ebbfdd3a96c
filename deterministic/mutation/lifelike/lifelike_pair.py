"""Pair of a lifelike fault and its twin: the same words, where they are right."""

from __future__ import annotations

from dataclasses import dataclass

from ..operator import Mutation
from ..subject import Subject


@dataclass(frozen=True, eq=False)
class LifelikePair(Subject):
    """A right output made from drawn facts, with the outputs of its two operators.

    Attributes:
        fault: The operator that plants the fault.
        faulty: The faulty output.
        twin: A right output in the same wording.
    """

    fault: str = ""
    faulty: Mutation | None = None
    twin: Mutation | None = None
