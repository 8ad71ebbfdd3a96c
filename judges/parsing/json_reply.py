"""Replies that are, or hold, a JSON object with the score."""

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
"""Of an integer: more are not sure to fit 64 bits, which is what records hold."""
_NUMBER = re.compile(NUMBER)
_MARKS = re.compile(r'[{}"]|\\.', re.DOTALL)


class Pieces(NamedTuple):
    """Fields of a reply that lists pieces; the score is a share of them.

    Attributes:
        where: Key of their list.
        mark: Key of each piece's mark, 1 or 0.
        cited: Key of the list of what a piece that holds rests on, which must then name something; None when none is asked for.
    """

    where: str
    mark: str
    cited: str | None = None


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

    Objects in fences or between sentences are found; several must agree on the score.

    Args:
        scale: What scores are possible.
        score: Key of the score; a number, or a text that is one.
        reason: Key of the reason.
        all_of: Keys of single criteria. The score must be the worst of those that are given: a judge whose score does not
            follow from its own findings has not been understood.
        fraction_of: The list of pieces. If it is given, the score must be the share of pieces that hold.
        alone: Whether the reply must be the object and nothing else, as it is under a ``response_format``, with all its criteria or
            its pieces.
    """

    def parse(text: str) -> ParsedReply:
        reply = bare_reply(text) if alone else without_thoughts(text).strip()
        if len(reply) > _MAX_CHARACTERS:
            raise DecodingError(f"the reply is longer than {_MAX_CHARACTERS} characters")
        objects = [decode_object(reply)] if alone else list(_objects(reply))
        scored = [found for found in objects if score in found]
        where = f"under the key {score!r} of a JSON object"
        parsed_score = one_score([_score(found[score]) for found in scored], scale, where)
        last = scored[-1]
        for found in scored[:-1]:
            _check_criteria({key: _score(found[key]) for key in all_of if key in found}, parsed_score, scale)
        if alone:
            _refuse_missing(last, [*all_of, *([fraction_of.where] if fraction_of else [])])
        written = last.get(reason) if reason else None
        explanation = written if isinstance(written, str) else None
        details: dict[str, Any] = {}
        if criteria := {key: _score(last[key]) for key in all_of if key in last}:
            details["criteria"] = criteria
            _check_criteria(criteria, parsed_score, scale)
        if fraction_of and fraction_of.where in last:
            details[fraction_of.where] = last[fraction_of.where]
            share = checked_share(scale.normalise(parsed_score), _marks(last[fraction_of.where], fraction_of))
            return ParsedReply(share, explanation, details)
        return reading_of(parsed_score, scale, explanation, details)

    return parse


def _refuse_missing(decoded: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in keys:
        if key not in decoded:
            raise DecodingError(f"the reply lacks {key!r}, which the score is to follow from")


def _check_criteria(criteria: Mapping[str, float], score: float, scale: Scale) -> None:
    for key, criterion in criteria.items():
        if criterion not in scale:
            raise DecodingError(
                f"the criterion {key!r} is {criterion:g}, which is not on the scale ({scale})"
            )
    if criteria and scale.worst_of(map(scale.nearest, criteria.values())) != score:
        raise DecodingError(f"the score does not follow from the criteria {criteria}")


def _marks(listed: Any, pieces: Pieces) -> list[float]:
    try:
        marks = [_score(piece[pieces.mark]) for piece in listed]
        cited = [True if pieces.cited is None else bool(piece[pieces.cited]) for piece in listed]
    except (KeyError, TypeError) as error:
        keys = [key for key in (pieces.mark, pieces.cited) if key]
        raise DecodingError(f"expected a list of objects with {keys} under {pieces.where!r}") from error
    if any(mark and not named for mark, named in zip(marks, cited, strict=True)):
        raise DecodingError(f"a piece is marked 1 and names nothing under {pieces.cited!r}")
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
            text, object_pairs_hook=_without_contradiction, parse_constant=_refuse, parse_int=_integer
        )
        if "\\u" in text:  # what is read is kept, and what is kept is written to files
            value = json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise _NotJsonError(f"the reply is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _NotJsonError(f"the reply is JSON, but {type(value).__name__} where an object was expected")
    return cast("dict[str, Any]", value)


def _balanced(text: str) -> Iterator[str]:
    """Yield the outermost stretches from ``{`` to the closing ``}``, in one pass."""
    depth, start, quoted = 0, 0, False
    for mark in _MARKS.finditer(text):
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


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _score(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    raise DecodingError(f"expected a number as score, got {str(value)[:40]!r}")
