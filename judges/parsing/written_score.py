"""Read replies with a numeric score: as the whole reply, after a heading, or in a tag."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import (
    DECORATION,
    NUMBER,
    QUOTES,
    ParsedReply,
    ReplyParser,
    bare_reply,
    checked_share,
    ends_quotation,
    one_score,
    reading_of,
    shown,
    without_thoughts,
)
from .score_tag import ScoreTag, between_tags, tagged_reason
from .second_score import SecondScore, is_equal
from .written_number import (
    DECORATED,
    first_number,
    fraction_of_best,
    last_number,
    lone_number,
    lone_score,
)

__all__ = ["fraction_of_best", "number_parser", "pieces_with_indexes", "tags_parser"]

_INDEX = re.compile(r"[0-9]{1,9}")
_IGNORED = r"(?:[\s*_`~.)\]]|</\w{1,20}>)*+"
_LINE_START = r"^[\s*_#`-]{0,12}+"
_UNIT = re.compile(rf"\A{_IGNORED}[^\W\d_]{{0,12}}+{_IGNORED}\Z")
"""One word at most, as in ``4 points``, and characters that are ignored."""
_STATED_FIRST = re.compile(rf"\A{DECORATED}*+({NUMBER})\s?(?:[.;:!?)\u2013\u2014]|,\s?[^\W\d_])")


def number_parser(
    scale: Scale,
    *,
    pick: Literal["alone", "last"] = "alone",
    after: str | None = None,
    fractions: bool = False,
    indexes: bool = False,
) -> ReplyParser:
    """Return a parser of numbers.

    Args:
        scale: Possible scores.
        pick: ``alone``: the reply, or the text after the heading, must be only the number. ``last``: the last number counts; it
            may be a fraction of the best score, ``0.75/1``.
        after: A heading; in other letters (``SCORE:`` for ``Score:``) it is read if it begins a line. Only the text after its last occurrence is parsed, and the text before it is the reason.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.
        indexes: Whether the details list the pieces in the text before the heading, with the indexes that support them.

    Returns:
        The parser. A reply is unreadable if its last number has another notation (``0,5``, ``1e-1``, ``5 %``), or names an end
        of the scale shortly after another score (``0 out of 1``); no earlier number is used instead. Other remarks after the
        score are not recognized: on a scale from 1 to 5, ``4 (5 is perfect, 1 is terrible)`` is read as 1. A reply is also
        unreadable if its number ends a quotation, or if several headings do not give the same score.
    """
    find = (_lone if pick == "alone" else _last)(scale, fractions=fractions, headed=after is not None)

    def parse(text: str) -> ParsedReply:
        reply = _unwrapped(without_thoughts(text))
        if after is None:
            return reading_of(find(reply, "alone in the reply" if pick == "alone" else "in the reply"), scale)
        heading = re.escape(after)
        if after not in reply:
            heading = rf"{_LINE_START}(?i:{heading})"
        *earlier, section = re.split(heading, reply, flags=re.MULTILINE | re.ASCII)
        if not earlier:
            raise DecodingError(f"no {after!r} in the reply, but {shown(reply)}")
        score = find(section, f"after {after!r}")
        before = after.join(earlier)
        _require_no_other_headings(earlier[1:], before, after, score, scale, fractions=fractions)
        reason = before.strip() or None
        reading = reading_of(score, scale, reason)
        pieces = pieces_with_indexes(reason) if indexes and reason else []
        return replace(reading, details={**reading.details, "citations": pieces}) if pieces else reading

    return parse


def _unwrapped(reply: str) -> str:
    """Remove quotation marks around a whole reply, if there are no others in it."""
    text = reply.strip()
    inner, marks = text[1:-1], (text[:1], text[-1:])
    return inner if all(mark in QUOTES and mark not in inner for mark in marks) else reply


def _lone(scale: Scale, *, fractions: bool, headed: bool) -> Callable[[str, str], float]:
    """Return a function that reads the number that a text consists of."""

    def find(text: str, where: str) -> float:
        values = lone_score(bare_reply(text), scale, fractions=fractions)
        ends = text.strip(" \t\r\n*_`.")
        if not values or (headed and (ends[0] in QUOTES) != (ends[-1] in QUOTES)):
            raise DecodingError(f"no score {where}, but {shown(text)}")
        return one_score(values, scale, where)

    return find


def _last(scale: Scale, *, fractions: bool, headed: bool) -> Callable[[str, str], float]:
    """Return a function that reads the last number of a text.

    It is no score if it ends a quotation, or if a score in words is behind it. After a heading, it is the only score, and the
    reply goes on with one word at most.
    """
    second = SecondScore.named("score", _reader(scale, fractions=fractions), scale)

    def find(text: str, where: str) -> float:
        number = last_number(text, scale, fractions=fractions)
        if number is None:
            raise DecodingError(f"no score {where}, but {shown(text)}")
        score = one_score([number.value], scale, where)
        before, behind = text[: number.start], text[number.end :]
        if ends_quotation(before, behind):
            raise DecodingError(
                f"the last number ends a quotation: {shown(before[-30:] + text[number.start :])}"
            )
        second.refuse(behind, score)
        if headed and _UNIT.match(behind.rstrip(DECORATION)) is None:
            raise DecodingError(f"text behind the score {where}: {shown(behind)}")
        if headed:
            stated = _STATED_FIRST.match(before)
            second.refuse(before if stated is None else f"{before}\n{stated[1]}", score)
        return score

    return find


def _reader(scale: Scale, *, fractions: bool) -> Callable[[str], float]:
    def read(text: str) -> float:
        if values := lone_score(text, scale, fractions=fractions):
            return values[0]
        raise DecodingError(f"no score, but {shown(text)}")

    return read


def _require_no_other_headings(
    sections: Sequence[str], before: str, heading: str, score: float, scale: Scale, *, fractions: bool
) -> None:
    """Refuse a heading in the text before the score that does not give the same score.

    One of the headings may stand in a quotation from the answer.
    """
    for section in sections:
        first = first_number(section, scale, fractions=fractions)
        if not any(is_equal(value, score, scale) for value in first):
            raise DecodingError(f"different scores after {heading!r}: {score:g} and {shown(section)}")
    headings = SecondScore.headed(heading, _reader(scale, fractions=fractions), scale)
    headings.refuse(before, score, lines=False)


def pieces_with_indexes(text: str) -> list[dict[str, Any]]:
    """Return the pieces of information in a text, with the indexes that support them.

    A line is such as ``1. It is white is supported by indexes: [1, 2]``.
    """
    pieces: list[dict[str, Any]] = []
    for line in text.splitlines():
        piece, mark, after = line.partition(" supported by index")
        if mark and "[" in after:
            name = piece.lstrip(" \t-*.)0123456789").rstrip().removesuffix(" is").strip()
            cited = after.partition("[")[2].partition("]")[0]
            pieces.append({"piece": name, "indexes": _INDEX.findall(cited)})
    return pieces


_CITATION = re.compile(
    r"[\[\uff3b\u3010]\s*[^\]\uff3d\u3011\s]|\bind(?:ex(?:es)?|ices)\b[\s:(]{0,4}\w", re.IGNORECASE
)
"""A list in brackets that is not empty, or the word "index" with a value."""


_USUAL_TAG, _USUAL_REASONS = "S2", ("S0", "S1")
"""Tags of the score and of reasons, also in replies to prompts that do not declare the latter."""


def tags_parser(
    scale: Scale,
    *,
    score_tag: str = "S2",
    reasons: Sequence[str] = (),
    fraction_of: str | None = None,
    cited: bool = False,
    fractions: bool = False,
) -> ReplyParser:
    """Return a parser of tagged replies.

    Tags match in any case. A reply that is only a score is read, too: without tags it is still unambiguous.

    Args:
        scale: Possible scores.
        score_tag: Name of the tag around the score, which stands once outside the reasons, with nothing behind it.
        reasons: Names of the tags around reasons.
        fraction_of: Name of the tag around each piece's mark, 1 or 0; if pieces are marked, the score must be the share of
            those that hold.
        cited: Whether each piece that holds must cite its support, in brackets before its mark.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.
    """
    where = f"between <{score_tag}> and </{score_tag}>"

    def read(content: str) -> float:
        return _number(content, where, scale if fractions else None)

    cut = reasons or (_USUAL_REASONS if score_tag == _USUAL_TAG else ())
    tag = ScoreTag(score_tag, cut, read, scale, SecondScore.named(score_tag, read, scale))
    marked = between_tags(fraction_of) if fraction_of else None

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        score = tag.find(reply)
        if score is None:
            score = one_score(lone_score(bare_reply(text), scale, fractions=fractions), scale, where)
        pieces = list(marked.finditer(reply)) if marked else []
        if not pieces:
            return reading_of(score, scale, tagged_reason(reply, reasons))
        marks = [_number(piece[1], f"as a piece's mark, {piece[0][:40]!r}") for piece in pieces]
        value = checked_share(scale.normalise(score), marks)
        if cited:
            _require_citations(reply, pieces, marks)
        return ParsedReply(value, tagged_reason(reply, reasons), {"pieces": len(marks)})

    return parse


def _number(content: str, where: str, fraction_of: Scale | None = None) -> float:
    values = lone_number(content) if fraction_of is None else lone_score(content, fraction_of, fractions=True)
    if not values:
        raise DecodingError(f"no score {where}, but {content.strip()[:40]!r}")
    return values[0]


def _require_citations(reply: str, pieces: Sequence[re.Match[str]], marks: Sequence[float]) -> None:
    """Refuse a piece marked as supported that cites nothing: the judge contradicts itself."""
    start = 0
    for piece, mark in zip(pieces, marks, strict=True):
        if mark and _CITATION.search(reply, start, piece.start()) is None:
            statement = reply[start : piece.start()].strip()
            raise DecodingError(f"a piece is marked {mark:g}, but names no index: {statement[-60:]!r}")
        start = piece.end()
