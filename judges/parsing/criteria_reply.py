"""Read replies that judge all criteria of a rubric at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...errors import DecodingError
from ...records import Criterion
from ...records.rubric_points import clipped, points_of
from ..criteria import criterion_evidence
from .json_objects import lone_object
from .parsed_reply import ParsedReply, ReplyParser

_LIST = "criteria"
_KEYS = frozenset({"number", "met"})
_ALL_KEYS = _KEYS | {_LIST, "reason"}


def criteria_parser(criteria: Sequence[Criterion]) -> ReplyParser:
    """Return a parser of the verdicts on an item's criteria.

    The score is the share of the possible points, clipped to [0, 1]; the details contain the verdicts and the points. A reply is
    unreadable if it leaves out a criterion, has two different verdicts on one, or judges one that does not exist.
    """

    def parse(text: str) -> ParsedReply:
        entries = _entries(lone_object(text, _ALL_KEYS), len(criteria))
        met = [float(entry["met"]) for entry in entries]
        points = points_of(zip((criterion.points for criterion in criteria), met, strict=True))
        verdicts = [
            criterion_evidence(criterion) | {"met": share, "reason": str(entry.get("reason") or "")}
            for criterion, share, entry in zip(criteria, met, entries, strict=True)
        ]
        details = {"achieved": points.low, "possible": points.possible, _LIST: verdicts}
        reason = f"{points.low:g} of {points.possible:g} points, by {len(verdicts)} criteria"
        return ParsedReply(clipped(points.shares[0]), reason, details)

    return parse


def _entries(reply: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    """Return the reply's entry for each criterion, in the order of the criteria's numbers."""
    rows = reply.get(_LIST)
    if not isinstance(rows, list):
        raise DecodingError(f"expected a list of criteria under {_LIST!r}")
    by_number: dict[int, Mapping[str, Any]] = {}
    for entry in cast("list[Any]", rows):
        number, met = _number_and_met(entry)
        if not 1 <= number <= count:
            raise DecodingError(f"there is no criterion {number}: they are numbered from 1 to {count}")
        # The same verdict twice is harmless.
        if number in by_number and by_number[number]["met"] != met:
            raise DecodingError(f"criterion {number} has two different verdicts")
        by_number[number] = entry
    missing = [number for number in range(1, count + 1) if number not in by_number]
    if missing:
        raise DecodingError(
            f"no verdict on criterion {missing[0]}, one of {len(missing)} of {count} that are left out"
        )
    return [by_number[number] for number in range(1, count + 1)]


def _number_and_met(entry: Any) -> tuple[int, Any]:
    fields: Mapping[str, Any] = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if not fields.keys() >= _KEYS:
        raise DecodingError(f"expected an object with {sorted(_KEYS)} for each criterion")
    number, met = fields["number"], fields["met"]
    if isinstance(number, bool) or not isinstance(number, int) or met not in (0, 1):
        raise DecodingError(
            f"a criterion has a number and is met 0 or 1, got {str(number)[:20]!r} and {str(met)[:20]!r}"
        )
    return number, met
