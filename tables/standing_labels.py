"""The label of an output that counts: the last, or the majority of people in one table.

After a tie between people an output has no label.
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

_TIE_REASON = "people disagree"


class _Label(Protocol):
    """Fields of a label by which a majority or a tie is recognised."""

    @property
    def by(self) -> str: ...
    @property
    def source(self) -> Source: ...
    @property
    def score(self) -> float | None: ...


def majority_verdict(item: ItemKey, grades: Mapping[str, float]) -> Verdict:
    """Return the majority of people's grades as a verdict, ungraded if they tie."""
    majority_score = majority([*grades.values()], UNDECLARED_SCALE)
    if majority_score is None:
        return Verdict.on(item, by=MAJORITY, source="construction", outcome="undecided", reason=_TIE_REASON)
    return Verdict.on(item, by=MAJORITY, source="construction", score=majority_score)


def effective_source(label: _Label) -> Source:
    """Return the source of a label: ``human`` also for a majority, which code computes."""
    return "human" if label.by == MAJORITY and label.source == "construction" else label.source


def is_tie(label: _Label) -> bool:
    """Return whether a label is a tie between people, so that the output has no label."""
    return label.score is None and label.by == MAJORITY and label.source == "construction"


def standing_labels(labels: Iterable[Verdict]) -> dict[ItemKey, Verdict]:
    """Return the last label of each output, without outputs whose last label is a tie."""
    standing: dict[ItemKey, Verdict] = {}
    for label in labels:
        if label.score is not None:
            standing[label.key] = label
        elif is_tie(label):
            standing.pop(label.key, None)
    return standing
