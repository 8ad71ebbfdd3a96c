"""Label of an output: the last one, or the majority of several people in one table.

A tie gives no label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from .grades import PLAIN, majority
from .output import ItemKey
from .verdict import Source, Verdict

MAJORITY = "majority"
"""Author of what most people in one table say."""

_TIE = "people disagree"


class _Label(Protocol):
    """Fields of a verdict that show a majority or a tie."""

    @property
    def by(self) -> str: ...
    @property
    def source(self) -> Source: ...
    @property
    def score(self) -> float | None: ...


def majority_verdict(item: ItemKey, grades: Mapping[str, float]) -> Verdict:
    """Return what most people say of an output, ungraded after a tie."""
    agreed = majority([*grades.values()], PLAIN)
    if agreed is None:
        return Verdict.on(item, by=MAJORITY, source="construction", outcome="undecided", reason=_TIE)
    return Verdict.on(item, by=MAJORITY, source="construction", score=agreed)


def effective_source(label: _Label) -> Source:
    """Return who gave a label: people, too, if it is their majority."""
    return "human" if label.by == MAJORITY and label.source == "construction" else label.source


def is_tie(label: _Label) -> bool:
    """Return whether a label says that people disagree, so that an output has none."""
    return label.score is None and label.by == MAJORITY and label.source == "construction"


def standing_labels(labels: Iterable[Verdict]) -> dict[ItemKey, Verdict]:
    """Return the label of each output that has one: the last, unless people disagree."""
    standing: dict[ItemKey, Verdict] = {}
    for label in labels:
        if label.score is not None:
            standing[label.key] = label
        elif is_tie(label):
            standing.pop(label.key, None)
    return standing
