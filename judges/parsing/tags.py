"""Replies that put score and reasons between tags: ``<S1>why</S1> <S2>1</S2>``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...errors import DecodingError
from ..scale import Scale
from .number import lone_number
from .reading import Reading, ReplyParser, bare_reply, checked_share, one_score, reading_of, without_thoughts

_DIGIT = re.compile(r"\d")
_CITATION = re.compile(
    r"[\[\uff3b\u3010]\s*[^\]\uff3d\u3011\s]|\bind(?:ex(?:es)?|ices)\b[\s:(]{0,4}\w", re.IGNORECASE
)
"""A list in brackets with something in it, or an index named otherwise."""


def tags_parser(
    scale: Scale,
    *,
    score: str = "S2",
    reasons: Sequence[str] = (),
    fraction_of: str | None = None,
    cited: bool = False,
) -> ReplyParser:
    """A parser of tagged replies.

    Tags are found in any case. A reply that is nothing but a score is read too: the tags are then what was left out, and
    nothing is in doubt.

    Args:
        scale: What scores are possible.
        score: Name of the tag around the score.
        reasons: Names of the tags around reasons.
        fraction_of: Name of the tag around each piece's mark, 1 or 0; where pieces are marked, the score must be the share of
            those that hold.
        cited: Whether each piece that holds must name what it rests on, in brackets before its mark.

    Returns:
        The parser. Every number between score tags must be readable and the same, and every mark must be 1 or 0.
    """
    scored = _between_tags(score)
    marked = _between_tags(fraction_of) if fraction_of else None
    where = f"between <{score}> and </{score}>"

    def parse(text: str) -> Reading:
        reply = without_thoughts(text)
        # What holds no digit, such as a repeated instruction, is no second score.
        contents = [found[1] for found in scored.finditer(reply) if _DIGIT.search(found[1])]
        values = [_number(content, where) for content in contents] or lone_number(bare_reply(text))
        given = one_score(values, scale, where)
        pieces = list(marked.finditer(reply)) if marked else []
        if not pieces:
            return reading_of(given, scale, _reason(reply, reasons))
        marks = [_number(piece[1], f"as a piece's mark, {piece[0][:40]!r}") for piece in pieces]
        value = checked_share(scale.normalise(given), marks)
        if cited:
            _refuse_uncited(reply, pieces, marks)
        return Reading(value, _reason(reply, reasons), {"pieces": len(marks)})

    return parse


def _between_tags(name: str) -> re.Pattern[str]:
    return re.compile(f"<{name}>([^<]*+)</{name}>", re.IGNORECASE)


def _number(content: str, where: str) -> float:
    values = lone_number(content)
    if not values:
        raise DecodingError(f"no score {where}, but {content.strip()[:40]!r}")
    return values[0]


def _refuse_uncited(reply: str, pieces: Sequence[re.Match[str]], marks: Sequence[float]) -> None:
    """A piece that is supported by nothing in particular is not supported: the judge contradicts itself."""
    start = 0
    for piece, mark in zip(pieces, marks, strict=True):
        if mark and _CITATION.search(reply, start, piece.start()) is None:
            said = reply[start : piece.start()].strip()
            raise DecodingError(f"a piece is marked {mark:g} and names no index: {said[-60:]!r}")
        start = piece.end()


def _reason(reply: str, names: Sequence[str]) -> str | None:
    found = (_between(reply, name) for name in names)
    return "\n".join(filter(None, found)) or None


def _between(reply: str, name: str) -> str:
    """What stands between the first opening tag and the next closing one; found without a search that could go back."""
    opening = re.search(f"<{name}>", reply, re.IGNORECASE)
    if opening is None:
        return ""
    closing = re.compile(f"</{name}>", re.IGNORECASE).search(reply, opening.end())
    return reply[opening.end() : closing.start()].strip() if closing else ""
