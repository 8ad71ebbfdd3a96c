"""Parsers of replies with a number as score.

`number_parser` reads a reply that is a number, or the number after a heading; `tags_parser` reads one in a tag.
"""

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
    ends_quotation,
    excerpt,
    one_score,
    reading_of,
    share_of_marked,
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
_CLOSING_MARKS = r"(?:[\s*_`~.)\]]|</\w{1,20}>)*+"
_HEADING_START = r"^[\s*_#`-]{0,12}+"
_UNIT = re.compile(rf"\A{_CLOSING_MARKS}[^\W\d_]{{0,12}}+{_CLOSING_MARKS}\Z")
"""Text that may follow a score: at most one word, as in ``4 points``, and closing marks."""
_STATED_FIRST = re.compile(rf"\A{DECORATED}*+({NUMBER})\s?(?:[.;:!?)\u2013\u2014]|,\s?[^\W\d_])")
"""A number at the beginning, as in ``1. The answer is right``: the judge may state its score first."""


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
        after: A heading. Only the text after its last occurrence is parsed; the text before it is the reason. In other letters
            (``SCORE:`` for ``Score:``) it only counts at the beginning of a line.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.
        indexes: Whether the details list the pieces in the text before the heading, with the indexes that support them.

    Returns:
        The parser. A reply is unreadable if its last number has another notation (``0,5``, ``1e-1``, ``5 %``), or is an end of the
        scale shortly after another score (``0 out of 1``). Then no earlier number is used instead. A reply is also unreadable if
        its number ends a quotation, or if several headings give different scores. Other remarks after the score are not
        recognized: on a scale from 1 to 5, ``4 (5 is perfect, 1 is terrible)`` is read as 1.
    """
    finder_of = _lone_number_finder if pick == "alone" else _last_number_finder
    find = finder_of(scale, fractions=fractions, headed=after is not None)

    def parse(text: str) -> ParsedReply:
        reply = _without_outer_quotes(without_thoughts(text))
        if after is None:
            return reading_of(find(reply, "alone in the reply" if pick == "alone" else "in the reply"), scale)
        heading = re.escape(after)  # the exact heading counts anywhere
        if after not in reply:
            heading = rf"{_HEADING_START}(?i:{heading})"
        *earlier_sections, section = re.split(heading, reply, flags=re.MULTILINE | re.ASCII)
        if not earlier_sections:
            raise DecodingError(f"no {after!r} in the reply, but {excerpt(reply)}")
        score = find(section, f"after {after!r}")
        before = after.join(earlier_sections)
        _require_no_other_headings(earlier_sections[1:], before, after, score, scale, fractions=fractions)
        reason = before.strip() or None
        reading = reading_of(score, scale, reason)
        pieces = pieces_with_indexes(reason) if indexes and reason else []
        return replace(reading, details={**reading.details, "citations": pieces}) if pieces else reading

    return parse


def _without_outer_quotes(reply: str) -> str:
    text = reply.strip()
    inner, marks = text[1:-1], (text[:1], text[-1:])
    return inner if all(mark in QUOTES and mark not in inner for mark in marks) else reply


def _lone_number_finder(scale: Scale, *, fractions: bool, headed: bool) -> Callable[[str, str], float]:
    """Return a function that reads a text which is only a number."""

    def find(text: str, where: str) -> float:
        values = lone_score(bare_reply(text), scale, fractions=fractions)
        # After a heading, one quotation mark alone belongs to a quotation around the heading.
        ends = text.strip(" \t\r\n*_`.")
        if not values or (headed and (ends[0] in QUOTES) != (ends[-1] in QUOTES)):
            raise DecodingError(f"no score {where}, but {excerpt(text)}")
        return one_score(values, scale, where)

    return find


def _last_number_finder(scale: Scale, *, fractions: bool, headed: bool) -> Callable[[str, str], float]:
    """Return a function that reads the last number of a text.

    It is not a score if it ends a quotation, or if a score in words follows. After a heading, it must be the only score, and at most
    one word may follow.
    """
    second = SecondScore.named("score", _value_reader(scale, fractions=fractions), scale)

    def find(text: str, where: str) -> float:
        number = last_number(text, scale, fractions=fractions)
        if number is None:
            raise DecodingError(f"no score {where}, but {excerpt(text)}")
        score = one_score([number.value], scale, where)
        before, behind = text[: number.start], text[number.end :]
        if ends_quotation(before, behind):
            raise DecodingError(
                f"the last number ends a quotation: {excerpt(before[-30:] + text[number.start :])}"
            )
        second.refuse(behind, score)
        if headed and _UNIT.match(behind.rstrip(DECORATION)) is None:
            raise DecodingError(f"text behind the score {where}: {excerpt(behind)}")
        if headed:
            stated = _STATED_FIRST.match(before)
            # On a line of its own, the first number counts as a second score if it differs.
            second.refuse(before if stated is None else f"{before}\n{stated[1]}", score)
        return score

    return find


def _value_reader(scale: Scale, *, fractions: bool) -> Callable[[str], float]:
    def read(text: str) -> float:
        if values := lone_score(text, scale, fractions=fractions):
            return values[0]
        raise DecodingError(f"no score, but {excerpt(text)}")

    return read


def _require_no_other_headings(
    sections: Sequence[str], before: str, heading: str, score: float, scale: Scale, *, fractions: bool
) -> None:
    """Refuse an earlier heading that gives another score: either may be quoted from the answer."""
    for section in sections:
        numbers = first_number(section, scale, fractions=fractions)
        if not any(is_equal(value, score, scale) for value in numbers):
            raise DecodingError(f"different scores after {heading!r}: {score:g} and {excerpt(section)}")
    headings = SecondScore.headed(heading, _value_reader(scale, fractions=fractions), scale)
    headings.refuse(before, score, lines=False)


def pieces_with_indexes(text: str) -> list[dict[str, Any]]:
    """Return the pieces of information that a text lists, each with the indexes that support it.

    A line is like ``1. It is white is supported by indexes: [1, 2]``.
    """
    pieces: list[dict[str, Any]] = []
    for line in text.splitlines():
        piece, mark, after = line.partition(" supported by index")
        if mark and "[" in after:
            statement = piece.lstrip(" \t-*.)0123456789").rstrip().removesuffix(" is").strip()
            cited = after.partition("[")[2].partition("]")[0]
            pieces.append({"piece": statement, "indexes": _INDEX.findall(cited)})
    return pieces


_CITATION = re.compile(
    r"[\[\uff3b\u3010]\s*[^\]\uff3d\u3011\s]|\bind(?:ex(?:es)?|ices)\b[\s:(]{0,4}\w", re.IGNORECASE
)
"""A citation: a bracket that is not empty, or the word "index" with a value."""


_USUAL_TAG, _USUAL_REASONS = "S2", ("S0", "S1")
"""Tags of the score and of reasons in the usual prompts. The reasons are cut out even if a prompt does not declare them."""


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

    Tags are matched ignoring case. A reply that is only a score, without tags, is read too, since it is unambiguous.

    Args:
        scale: Possible scores.
        score_tag: Name of the tag around the score. It must occur once outside the reasons, and be the end of the reply.
        reasons: Names of the tags around reasons.
        fraction_of: Name of the tag around the mark, 1 or 0, of each piece of information. If pieces are marked, the score must be
            the share of pieces that are marked 1.
        cited: Whether each piece that is marked 1 must cite its support, in brackets before its mark.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.
    """
    where = f"between <{score_tag}> and </{score_tag}>"

    def read(content: str) -> float:
        return _number(content, where, scale if fractions else None)

    reason_tags = reasons or (_USUAL_REASONS if score_tag == _USUAL_TAG else ())
    tag = ScoreTag(score_tag, reason_tags, read, scale, SecondScore.named(score_tag, read, scale))
    mark_pattern = between_tags(fraction_of) if fraction_of else None

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        score = tag.find(reply)
        if score is None:
            score = one_score(lone_score(bare_reply(text), scale, fractions=fractions), scale, where)
        pieces = list(mark_pattern.finditer(reply)) if mark_pattern else []
        if not pieces:
            return reading_of(score, scale, tagged_reason(reply, reasons))
        marks = [_number(piece[1], f"as a piece's mark, {piece[0][:40]!r}") for piece in pieces]
        value = share_of_marked(scale.normalise(score), marks)
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
    """Refuse a piece that is marked as supported but cites nothing, a contradiction."""
    start = 0
    for piece, mark in zip(pieces, marks, strict=True):
        if mark and _CITATION.search(reply, start, piece.start()) is None:
            statement = reply[start : piece.start()].strip()
            raise DecodingError(f"a piece is marked {mark:g}, but names no index: {statement[-60:]!r}")
        start = piece.end()
