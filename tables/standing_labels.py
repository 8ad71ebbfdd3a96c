"""Label of an output: the last one, or the majority of several people in one table.

A tie gives no label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from ..records.output import ItemKey
from ..records.scale import UNDECLARED_SCALE
from ..records.verdict import Source, Verdict
from .grades import majority

MAJORITY = "majority"
"""Author of the majority of several people in one table."""

_TIE = "people disagree"


class _Label(Protocol):
    """Fields of a label that tell a majority or a tie."""

    @property
    def by(self) -> str: ...
    @property
    def source(self) -> Source: ...
    @property
    def score(self) -> float | None: ...


def majority_verdict(item: ItemKey, grades: Mapping[str, float]) -> Verdict:
    """Return the majority of people's grades for an output as a verdict; ungraded for a tie."""
    agreed = majority([*grades.values()], UNDECLARED_SCALE)
    if agreed is None:
        return Verdict.on(item, by=MAJORITY, source="construction", outcome="undecided", reason=_TIE)
    return Verdict.on(item, by=MAJORITY, source="construction", score=agreed)


def effective_source(label: _Label) -> Source:
    """Return the source of a label; ``human`` for a majority of people."""
    return "human" if label.by == MAJORITY and label.source == "construction" else label.source


def is_tie(label: _Label) -> bool:
    """Return whether a label is a tie between people, so that the output has no label."""
    return label.score is None and label.by == MAJORITY and label.source == "construction"


def standing_labels(labels: Iterable[Verdict]) -> dict[ItemKey, Verdict]:
    """Return the last label of each output; none after a tie."""
    standing: dict[ItemKey, Verdict] = {}
    for label in labels:
        if label.score is not None:
            standing[label.key] = label
        elif is_tie(label):
            standing.pop(label.key, None)
    return standing
