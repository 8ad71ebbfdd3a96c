"""Which passages an answer, its reference and its judges refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from ...records import Verdict

_INDEXES = re.compile(r"\bindexes \[([^\]\[]{0,300})\]")
"""How judges of groundedness name the passages that support a piece."""
_BRACKETS = re.compile(r"\[([^\]\[]{1,100})\]")
"""How answers name passages."""


def cited(
    ids: Sequence[str], answer: str, reference: dict[str, Any], judges: Iterable[Verdict]
) -> list[list[str]]:
    """Return who cites each passage, by its id or its number from 1; empty if uncited.

    The answer may rest on them, the claims of the case's reference and the reasons of judges' verdicts name those that support them.
    """
    names = [{each, str(number)} for number, each in enumerate(ids, start=1)]
    said: list[tuple[str, set[str]]] = [
        ("the answer", _named(_BRACKETS, answer)),
        ("a right claim", _claimed(reference)),
    ]
    said += [(verdict.by, _named(_INDEXES, verdict.reason or "")) for verdict in judges]
    return [[who for who, told in said if told & each] for each in names]


def _named(pattern: re.Pattern[str], text: str) -> set[str]:
    return {part.strip() for found in pattern.findall(text) for part in found.split(",")}


def _claimed(reference: dict[str, Any]) -> set[str]:
    claims = reference.get("claims")
    found: set[str] = set()
    for claim in cast("list[Any]", claims) if isinstance(claims, list) else []:
        if isinstance(claim, dict):
            stated = cast("dict[str, Any]", claim)
            indexes = stated.get("indexes")
            if stated.get("supported") is True and isinstance(indexes, list):
                found |= {str(each) for each in cast("list[Any]", indexes)}
    return found
