"""Criteria of a case, and question cases.

A question case asks about one criterion of a rubric. Its id contains a hash of the criterion's text.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from ..records import Case, Criterion
from ..records.typed_values import convert

NO_POSITIVE_POINTS = "no criterion has positive points, so that there is no score"

_KEY_LENGTH = 16
"""Hexadecimal digits of a criterion's hash."""
_ASKED_ABOUT = "asked_about"
"""Key in the reference of a question case: the criterion that it asks about."""


def criteria_of(case: Case) -> list[Criterion]:
    """Return the criteria of a case, or an empty list.

    A single ``criterion`` is worth one point.
    """
    criterion = case.reference.get("criterion")
    criteria = case.reference.get("criteria") or ([] if criterion is None else [{"text": criterion}])
    return convert(criteria, list[Criterion])


def criterion_key(criterion: Criterion) -> str:
    """Return a hash of a criterion's text, equal for the same criterion in any case."""
    return hashlib.sha256(criterion.text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


def question_ids(case_id: str, keys: Iterable[str]) -> list[str]:
    """Return the ids of a case's question cases, given the keys of its criteria.

    A repeated criterion gets a number, so that all ids differ.
    """
    occurrences: Counter[str] = Counter()
    ids: list[str] = []
    for key in keys:
        suffix = f".{occurrences[key]}" if occurrences[key] else ""
        occurrences[key] += 1
        ids.append(f"{case_id}#{key}{suffix}")
    return ids


def question_case(case: Case, criterion: Criterion, question_id: str) -> Case:
    """Return the question case for one criterion of a case."""
    reference = {"criterion": criterion.text, _ASKED_ABOUT: msgspec.to_builtins(criterion)}
    return msgspec.structs.replace(case, id=question_id, reference=reference)


def question_cases(case: Case) -> list[Case]:
    """Return the question cases of a case, in the order of its criteria."""
    criteria = criteria_of(case)
    ids = question_ids(case.id, map(criterion_key, criteria))
    return [
        question_case(case, criterion, question_id)
        for criterion, question_id in zip(criteria, ids, strict=True)
    ]


def criterion_asked_about(case: Case) -> Criterion | None:
    """Return the criterion of a question case, or None for any other case."""
    criterion = case.reference.get(_ASKED_ABOUT)
    return None if criterion is None else convert(criterion, Criterion)


def criterion_evidence(criterion: Criterion) -> dict[str, Any]:
    """Return the fields of a verdict's evidence about its criterion: key, points, tags."""
    tags = {"tags": criterion.tags} if criterion.tags else {}
    return {"criterion": criterion_key(criterion), "points": criterion.points, **tags}
