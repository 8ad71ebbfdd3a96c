"""Replies that are or contain a JSON object with the score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from ...records.scale import Scale
from .json_objects import ReplyPart, lone_object, parts_of, with_keys
from .parsed_reply import (
    DECORATION,
    NUMBER,
    QUOTES,
    ParsedReply,
    ReplyParser,
    checked_share,
    ends_quotation,
    one_score,
    reading_of,
    shown,
    without_thoughts,
)
from .second_score import SecondScore
from .written_number import lone_number

_MAX_CHARACTERS = 1 << 20
_NUMBER = re.compile(NUMBER)


class Pieces(NamedTuple):
    """Fields of a reply that lists pieces; the score is a share of them.

    Attributes:
        list_key: Key of the list of pieces.
        mark_key: Key of each piece's mark, 1 or 0.
        cited_key: Key of each piece's citations, which a piece marked 1 must have, or None if pieces cite nothing.
    """

    list_key: str
    mark_key: str
    cited_key: str | None = None


def json_parser(
    scale: Scale,
    *,
    score: str = "score",
    reason: str | None = "reason",
    all_of: Sequence[str] = (),
    fraction_of: Pieces | None = None,
    alone: bool = False,
) -> ReplyParser:
    """Return a parser of JSON replies.

    Objects in code fences or between sentences are found; several must agree on the score. Something else that looks like the
    score makes the reply unreadable.

    Args:
        scale: Possible scores.
        score: Key of the score, a number or a text with a number.
        reason: Key of the reason.
        all_of: Keys of criteria. The score must be the worst of their scores; otherwise the reply contradicts itself.
        fraction_of: Fields of the pieces. If the reply lists pieces, the score must be the share of pieces that hold.
        alone: Whether the reply must be only the object, as under a ``response_format``, with all criteria or pieces.
    """
    where = f"under the key {score!r} of a JSON object"
    pieces_of = [key for key in fraction_of or () if key is not None]
    known = frozenset([score, *filter(None, [reason]), *all_of, *pieces_of])
    keyed = _ScoreKey(score, known, SecondScore.named(score, _written_score, scale))

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text).strip()
        if len(reply) > _MAX_CHARACTERS:
            raise DecodingError(f"the reply is longer than {_MAX_CHARACTERS} characters")
        objects, around = ([lone_object(text, known)], "") if alone else keyed.objects(reply)
        scored = [object_ for object_ in objects if score in object_]
        parsed_score = one_score([_score(each[score]) for each in scored], scale, where)
        keyed.second.refuse(around, parsed_score)
        last = scored[-1]
        if alone:
            _require_present(last, [*all_of, *([fraction_of.list_key] if fraction_of else [])])
        for each in scored:
            _check_criteria(_criteria(each, all_of), parsed_score, scale)
        explanation = last.get(reason) if reason else None
        explanation = explanation if isinstance(explanation, str) else None
        criteria = _criteria(last, all_of)
        details: dict[str, Any] = {"criteria": criteria} if criteria else {}
        if fraction_of and fraction_of.list_key in last:
            pieces = details[fraction_of.list_key] = last[fraction_of.list_key]
            share = checked_share(scale.normalise(parsed_score), _marks(pieces, fraction_of))
            return ParsedReply(share, explanation, details)
        return reading_of(parsed_score, scale, explanation, details)

    return parse


def _require_present(decoded: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in keys:
        if key not in decoded:
            raise DecodingError(f"the reply lacks {key!r}, on which the score depends")


def _criteria(decoded: Mapping[str, Any], keys: Sequence[str]) -> dict[str, float]:
    """Return the scores of the criteria that a reply has."""
    return {key: _score(decoded[key]) for key in keys if key in decoded}


def _check_criteria(criteria: Mapping[str, float], score: float, scale: Scale) -> None:
    for key, criterion in criteria.items():
        if criterion not in scale:
            raise DecodingError(
                f"the criterion {key!r} is {criterion:g}, which is not on the scale ({scale})"
            )
    if criteria and scale.worst_of(map(scale.nearest, criteria.values())) != score:
        raise DecodingError(f"the score does not follow from the criteria {criteria}")


def _marks(listed: Any, fields: Pieces) -> list[float]:
    """Return the marks of pieces; refuse a piece marked 1 without the citations that it needs."""
    try:
        marks = [_score(piece[fields.mark_key]) for piece in listed]
        has_citations = [fields.cited_key is None or bool(piece[fields.cited_key]) for piece in listed]
    except (KeyError, TypeError) as error:
        keys = [key for key in (fields.mark_key, fields.cited_key) if key]
        raise DecodingError(f"expected a list of objects with {keys} under {fields.list_key!r}") from error
    if any(mark and not has_citation for mark, has_citation in zip(marks, has_citations, strict=True)):
        raise DecodingError(f"a piece is marked 1, but cites nothing under {fields.cited_key!r}")
    return marks


@dataclass(frozen=True)
class _ScoreKey:
    """Key of the score in the objects of a reply.

    Attributes:
        key: The key.
        known: All keys that a prompt asks for.
        second: What looks like a second score in the text around the objects.
    """

    key: str
    known: frozenset[str]
    second: SecondScore

    def objects(self, reply: str) -> tuple[list[Mapping[str, Any]], str]:
        """Return the objects that have the key, and the text around all objects.

        Raises:
            DecodingError: The key is elsewhere: in another object, or in something that is not JSON.
        """
        objects, around = list[Mapping[str, Any]](), [""]
        for found in parts_of(reply):
            decoded = with_keys(found.decoded, self.known) if found.decoded else found.decoded
            part = found if decoded is found.decoded else found._replace(decoded=decoded)
            if part.kind == "object" and self.key in part.decoded:
                objects.append(part.decoded)
                around.append("")
            elif self._is_broken(part, is_first=not objects and around[0].strip(DECORATION) in {"", "json"}):
                raise DecodingError(f"no JSON object has the key {self.key!r} in {shown(part.text)}")
            elif part.kind != "object":
                around[-1] += part.text
        for before, behind in pairwise(around):
            if ends_quotation(before, behind):
                raise DecodingError(f"the object with the key {self.key!r} ends a quotation: {shown(behind)}")
        return objects, "\n".join(around)

    def _is_broken(self, part: ReplyPart, *, is_first: bool) -> bool:
        """Return whether a part holds the key elsewhere, or is a reply's object that never ends."""
        if part.kind == "object":
            return _holds(part.decoded, self.key.casefold())
        if part.kind == "unclosed" and is_first:
            return True
        return (self._quoted if part.kind == "text" else self._mentioned).search(part.text) is not None

    @cached_property
    def _mentioned(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w){re.escape(self.key)}(?!\w)", re.IGNORECASE)

    @cached_property
    def _quoted(self) -> re.Pattern[str]:
        mark = rf"[{QUOTES}`\\]"
        return re.compile(rf"{mark}\s?{re.escape(self.key)}\s?{mark}{{1,2}}\s{{0,8}}[:=]", re.IGNORECASE)


def _holds(value: Any, key: str) -> bool:
    """Return whether an object, or one within it, has a key, in any letters."""
    within = [value]
    while within:
        each = within.pop()
        if isinstance(each, dict):
            fields = cast("dict[str, Any]", each)
            if any(name.casefold() == key for name in fields):
                return True
            within += fields.values()
        elif isinstance(each, list):
            within += cast("list[Any]", each)
    return False


def _score(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    raise DecodingError(f"expected a number as score, got {str(value)[:40]!r}")


def _written_score(text: str) -> float:
    if numbers := lone_number(text):
        return numbers[0]
    raise DecodingError(f"expected a number as score, got {shown(text)}")
