"""Rubrics of several criteria: the question about each, and the score that follows from all.

The formula is that of HealthBench (Arora et al. 2025, section 3, and `simple-evals/healthbench_eval.py`): points of the criteria that are met
over the positive points that were possible.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ..records import Case, Criterion

NONE_POSITIVE = "no criterion has positive points, so that there is no score"

_KEY_CHARACTERS = 16
_ASKED_ABOUT = "asked_about"
"""Key of the reference of a case that stands for one criterion of another: that criterion."""


def criteria_of(case: Case) -> list[Criterion]:
    """Return the criteria of a case, of which a single one is worth a point; none where it has no criterion."""
    criterion = case.reference.get("criterion")
    listed = case.reference.get("criteria") or ([] if criterion is None else [{"text": criterion}])
    return msgspec.convert(listed, list[Criterion])


def criterion_key(criterion: Criterion) -> str:
    """Return what identifies a criterion in whatever case it stands: a hash of its text."""
    return hashlib.sha256(criterion.text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]


def question_ids(case_id: str, keys: Iterable[str]) -> list[str]:
    """Return the id of the case that stands for each criterion of a case, by the criteria's keys."""
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for key in keys:
        again = f".{seen[key]}" if seen[key] else ""
        seen[key] += 1
        ids.append(f"{case_id}#{key}{again}")
    return ids


def question_case(case: Case, criterion: Criterion, question_id: str) -> Case:
    """Return the case that stands for one criterion of a case."""
    reference = {"criterion": criterion.text, _ASKED_ABOUT: msgspec.to_builtins(criterion)}
    return msgspec.structs.replace(case, id=question_id, reference=reference)


def question_cases(case: Case) -> list[Case]:
    """Return the cases that stand for the criteria of a case, in their order."""
    criteria = criteria_of(case)
    return [
        question_case(case, criterion, question_id)
        for criterion, question_id in zip(
            criteria, question_ids(case.id, map(criterion_key, criteria)), strict=True
        )
    ]


def criterion_asked_about(case: Case) -> Criterion | None:
    """Return the criterion that a case stands for; None of any other case."""
    told = case.reference.get(_ASKED_ABOUT)
    return None if told is None else msgspec.convert(told, Criterion)


def told_of(criterion: Criterion) -> dict[str, Any]:
    """Return what the evidence of a verdict says of the criterion that it is about."""
    tags = {"tags": criterion.tags} if criterion.tags else {}
    return {"criterion": criterion_key(criterion), "points": criterion.points, **tags}


class Points(NamedTuple):
    """Points of an output by a rubric, of which some criteria may be ungraded.

    Attributes:
        low: Points if ungraded criteria went against the output.
        high: Points if they went for it.
        possible: Sum of the positive points.
    """

    low: float
    high: float
    possible: float

    @property
    def shares(self) -> tuple[float, float]:
        """Points over the points possible; undefined where none are positive."""
        return self.low / self.possible, self.high / self.possible


def points_of(graded: Iterable[tuple[float, float | None]]) -> Points:
    """Add up the points of criteria.

    Args:
        graded: Points of each criterion, and how far it is met in [0, 1]; None where that is not known.
    """
    low = high = possible = 0.0
    for points, met in graded:
        low += min(points, 0.0) if met is None else points * met
        high += max(points, 0.0) if met is None else points * met
        possible += max(points, 0.0)
    return Points(low, high, possible)


def met_of(score: float | None, points: float) -> float | None:
    """Return how far a criterion is met, from the score of its verdict, which is 1 where that is good."""
    return score if score is None or points >= 0 else 1.0 - score


def clipped(value: float) -> float:
    """Return a value within [0, 1]."""
    return min(1.0, max(0.0, value))


def tag_names(tags: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Return the tags of a criterion as names; a value by name becomes ``name:value``."""
    if isinstance(tags, Mapping):
        return [f"{name}:{value}" for name, value in tags.items()]
    return list(dict.fromkeys(tags))


def axes_of(tags: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Return the tags of a criterion by axis, which is what stands before a colon, or ``tag``."""
    found: dict[str, list[str]] = {}
    for name in tag_names(tags):
        axis, colon, value = name.partition(":")
        found.setdefault(axis if colon else "tag", []).append(value if colon else name)
    return {axis: ", ".join(values) for axis, values in found.items()}
