"""Criteria of a case, and the case that asks about each of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from ..records import Case, Criterion
from ..records.typed_values import convert

NONE_POSITIVE = "no criterion has positive points, so that there is no score"

_KEY_CHARACTERS = 16
_ASKED_ABOUT = "asked_about"
"""Key of a reference with the criterion that its case asks about."""


def criteria_of(case: Case) -> list[Criterion]:
    """Return the criteria of a case; a single ``criterion`` has one point.

    Empty if the case has no criterion.
    """
    criterion = case.reference.get("criterion")
    listed = case.reference.get("criteria") or ([] if criterion is None else [{"text": criterion}])
    return convert(listed, list[Criterion])


def criterion_key(criterion: Criterion) -> str:
    """Return a hash of a criterion's text, which identifies it in any case."""
    return hashlib.sha256(criterion.text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]


def question_ids(case_id: str, keys: Iterable[str]) -> list[str]:
    """Return the ids of the cases that ask about a case's criteria, by the criteria's keys."""
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for key in keys:
        suffix = f".{seen[key]}" if seen[key] else ""
        seen[key] += 1
        ids.append(f"{case_id}#{key}{suffix}")
    return ids


def question_case(case: Case, criterion: Criterion, question_id: str) -> Case:
    """Return the case that asks about one criterion of a case."""
    reference = {"criterion": criterion.text, _ASKED_ABOUT: msgspec.to_builtins(criterion)}
    return msgspec.structs.replace(case, id=question_id, reference=reference)


def question_cases(case: Case) -> list[Case]:
    """Return the cases that ask about the criteria of a case, in their order."""
    criteria = criteria_of(case)
    ids = question_ids(case.id, map(criterion_key, criteria))
    return [
        question_case(case, criterion, question_id)
        for criterion, question_id in zip(criteria, ids, strict=True)
    ]


def criterion_asked_about(case: Case) -> Criterion | None:
    """Return the criterion that a case asks about, or None for any other case."""
    criterion = case.reference.get(_ASKED_ABOUT)
    return None if criterion is None else convert(criterion, Criterion)


def criterion_evidence(criterion: Criterion) -> dict[str, Any]:
    """Return the part of a verdict's evidence that describes its criterion."""
    tags = {"tags": criterion.tags} if criterion.tags else {}
    return {"criterion": criterion_key(criterion), "points": criterion.points, **tags}
