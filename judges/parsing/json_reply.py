"""Replies that are or contain a JSON object with the score."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from ..as_json import well_formed
from ..scale import Scale
from .parsed_reply import (
    NUMBER,
    ParsedReply,
    ReplyParser,
    bare_reply,
    checked_share,
    one_score,
    reading_of,
    without_thoughts,
)

_MAX_CHARACTERS = 1 << 20
_MOST_DIGITS = 18
"""Maximum digits of an integer; a longer one may not fit into the 64 bits of a record's integer."""
_NUMBER = re.compile(NUMBER)
_BRACES_AND_QUOTES = re.compile(r'[{}"]|\\.', re.DOTALL)


class Pieces(NamedTuple):
    """Fields of a reply that lists pieces; the score is a share of them.

    Attributes:
        list_key: Key of the list of pieces.
        mark_key: Key of each piece's mark, 1 or 0.
        cited_key: Key of each piece's citations, which a piece marked 1 must have; None if pieces cite nothing.
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

    Objects in code fences or between sentences are found; several must agree on the score.

    Args:
        scale: Possible scores.
        score: Key of the score, a number or a text with a number.
        reason: Key of the reason.
        all_of: Keys of criteria. The score must be the worst of their scores; otherwise the reply contradicts itself.
        fraction_of: Fields of the pieces. If the reply lists pieces, the score must be the share of pieces that hold.
        alone: Whether the reply must be only the object, as under a ``response_format``, with all criteria or pieces.
    """

    def parse(text: str) -> ParsedReply:
        reply = bare_reply(text) if alone else without_thoughts(text).strip()
        if len(reply) > _MAX_CHARACTERS:
            raise DecodingError(f"the reply is longer than {_MAX_CHARACTERS} characters")
        objects = [decode_object(reply)] if alone else list(_objects(reply))
        scored = [each for each in objects if score in each]
        where = f"under the key {score!r} of a JSON object"
        parsed_score = one_score([_score(each[score]) for each in scored], scale, where)
        last = scored[-1]
        if alone:
            _refuse_missing(last, [*all_of, *([fraction_of.list_key] if fraction_of else [])])
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


def _refuse_missing(decoded: Mapping[str, Any], keys: Sequence[str]) -> None:
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


def _objects(reply: str) -> Iterator[Mapping[str, Any]]:
    for candidate in _balanced(reply):
        try:
            yield decode_object(candidate)
        except _NotJsonError:
            continue


class _NotJsonError(DecodingError):
    pass


def decode_object(text: str) -> Mapping[str, Any]:
    """Return the JSON object that makes up a text; duplicate keys make it unreadable."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_contradiction,
            parse_constant=_refuse_constant,
            parse_int=_integer,
        )
        if "\\u" in text:  # a lone surrogate could not be written to a run's files
            value = json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise _NotJsonError(f"the reply is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _NotJsonError(f"expected a JSON object, got JSON of type {type(value).__name__}")
    return cast("dict[str, Any]", value)


def _balanced(text: str) -> Iterator[str]:
    """Yield the outermost parts from ``{`` to the closing ``}``, in one pass."""
    depth, start, quoted = 0, 0, False
    for mark in _BRACES_AND_QUOTES.finditer(text):
        sign = mark[0]
        if depth == 0:
            if sign == "{":
                depth, start, quoted = 1, mark.start(), False
        elif sign == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                yield text[start : mark.end()]


def _without_contradiction(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    decoded: dict[str, Any] = {}
    for key, value in pairs:
        if key in decoded and decoded[key] != value:
            raise DecodingError(f"the key {key!r} has two different values")
        decoded[key] = value
    return decoded


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _score(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    raise DecodingError(f"expected a number as score, got {str(value)[:40]!r}")
