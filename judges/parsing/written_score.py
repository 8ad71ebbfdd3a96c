"""Read replies with a numeric score: as the whole reply, after a heading, or in a tag."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ...errors import DecodingError
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

_LONE = re.compile(f"({NUMBER})")
_SCORE = re.compile(rf"({NUMBER})(?: ?/ ?({NUMBER}))?")
_NUMBER_LIKE = re.compile(
    r"""[A-Za-z_][A-Za-z_0-9]*+(?:[-.][A-Za-z_0-9]++)*+      # a name such as S2 or v1.2 is skipped
    | (?P<figure>
        [-+\u2212]?+\.?+\d++                                 # \d: any script's digits
        (?:[.,:\u2212\u2013-]\d++ | [ ]?/[ ]?\d++)*+         # 0,5  12:30  0-1  3/4
        (?:[A-Za-z_][A-Za-z_0-9]*+(?:[-+.]\d++)*+)?+        # 1e-3  5x  0_1.1
        (?:\s?[%\uff05])?+
        [\u00bc-\u00be\u2150-\u215f\u2189]?+                # 1\u00bd
      | [\u00bc-\u00be\u2150-\u215f\u2189]
      )""",
    re.VERBOSE,
)
DECORATION = " \t\r\n*_`\"'"
"""Characters around a score that are ignored."""
DECORATED = f"[{re.escape(DECORATION)}]"

_BREAK = re.compile(r"[.:!?=|\n\])}\u3002\uff1a]")
_PAUSE = re.compile(r"[.,:;!?=|\n\])}\u3001\u3002\uff0c\uff1a\uff1b]")
_INDEX = re.compile(r"[0-9]{1,9}")
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS_BETWEEN = 3
_DENIED = re.compile(r"(?:\bnot|n['\u2019]t|\bnever)[\s(\"'*`]{1,3}\Z", re.IGNORECASE)
_HUNDRED = 100


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
        after: A heading; only the text after its last occurrence is parsed, and the text before it is the reason.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.
        indexes: Whether the details list the pieces in the text before the heading, with the indexes that support them.

    Returns:
        The parser. A reply is unreadable if its last number has another notation (``0,5``, ``1e-1``, ``5 %``), or names an end
        of the scale shortly after another score (``0 out of 1``); no earlier number is used instead. Other remarks after the
        score are not recognized: on a scale from 1 to 5, ``4 (5 is perfect, 1 is terrible)`` is read as 1.
    """

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        reason = None
        where = "alone in the reply" if pick == "alone" else "in the reply"
        if after is not None:
            before, heading, reply = reply.rpartition(after)
            if not heading:
                raise DecodingError(f"no {after!r} in the reply, but {' '.join(reply.split())[:40]!r}")
            reason, where = before.strip() or None, f"after {after!r}"
        values = (
            _lone_score(bare_reply(reply), scale, fractions=fractions)
            if pick == "alone"
            else _last_fraction(reply, scale, fractions=fractions) or _last_number(reply, scale)
        )
        if not values:
            raise DecodingError(f"no score {where}, but {' '.join(reply.split())[:40]!r}")
        reading = reading_of(one_score(values, scale, where), scale, reason)
        pieces = pieces_with_indexes(reason) if indexes and reason else []
        return replace(reading, details={**reading.details, "citations": pieces}) if pieces else reading

    return parse


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


def lone_number(reply: str) -> list[float]:
    """Return the number that a reply consists of; empty if the reply holds more.

    Quotes, emphasis and a full stop around it are ignored.
    """
    match = _LONE.fullmatch(undecorated(reply))
    return [float(match[1])] if match else []


def undecorated(text: str) -> str:
    """Remove quotes, emphasis and a full stop around a text."""
    return text.strip(DECORATION).removesuffix(".").strip(DECORATION)


_FRACTION = re.compile(rf"({NUMBER})\s?(?:(?P<of>/|out of|of)\s?({NUMBER})|[%\uff05])")
_LAST_FRACTION = re.compile(rf"(?<![\w.,/+-])({_FRACTION.pattern}){DECORATED}*+\.?+{DECORATED}*+\Z")


def fraction_of_best(text: str, scale: Scale) -> list[float]:
    """Return the score that a fraction of the best score means; empty for other texts."""
    match = _FRACTION.fullmatch(text)
    if match is None:
        return []
    part, whole = float(match[1]), float(match[3]) if match["of"] else float(_HUNDRED)
    return [scale.maximum * part / whole] if 0 <= part <= whole and whole > 0 else []


def _lone_score(reply: str, scale: Scale, *, fractions: bool) -> list[float]:
    return (fraction_of_best(undecorated(reply), scale) if fractions else []) or lone_number(reply)


def _last_fraction(reply: str, scale: Scale, *, fractions: bool) -> list[float]:
    """Return the fraction at the end of a reply; empty if it ends with something else."""
    match = _LAST_FRACTION.search(reply) if fractions else None
    return [] if match is None else fraction_of_best(match[1], scale)


def _last_number(reply: str, scale: Scale) -> list[float]:
    before = last = None
    for figure in _NUMBER_LIKE.finditer(reply):
        if figure["figure"]:
            before, last = last, figure
    if last is None:
        return []
    score = _value(last[0], scale)
    if score is None:
        raise DecodingError(f"the last number, {last[0][:40]!r}, cannot be read as a score ({scale})")
    if before is not None and _in_doubt(before, last, reply[before.end() : last.start()], scale):
        raise DecodingError(f"it is not clear whether {before[0][:40]!r} or {last[0][:40]!r} is the score")
    return [score]


def _value(figure: str, scale: Scale) -> float | None:
    """Return the value of a number; None if its notation is ambiguous."""
    match = _SCORE.fullmatch(figure.rstrip("%\uff05 ") if scale.maximum == _HUNDRED else figure)
    if match is None or (match[2] is not None and float(match[2]) != scale.maximum):
        return None
    return float(match[1])


def _in_doubt(before: re.Match[str], last: re.Match[str], between: str, scale: Scale) -> bool:
    """Return whether the last number may only name an end of the scale, as in ``0 out of 1``.

    It may if another score is at most three words before it, without a pause (``0 (from 0 to 1)``) or with a denial
    (``0, not 1``).
    """
    score, earlier = _value(last[0], scale), _value(before[0], scale)
    if score not in {scale.minimum, scale.maximum} or score == earlier:
        return False
    if earlier is not None and earlier not in scale:
        return False
    words = _WORD.findall(between)
    if len(words) > _MOST_WORDS_BETWEEN:
        return False
    is_denied = _DENIED.search(between) is not None  # 0, not 1
    return is_denied or not (_PAUSE if words else _BREAK).search(between)


_DIGIT = re.compile(r"\d")
_CITATION = re.compile(
    r"[\[\uff3b\u3010]\s*[^\]\uff3d\u3011\s]|\bind(?:ex(?:es)?|ices)\b[\s:(]{0,4}\w", re.IGNORECASE
)
"""A list in brackets that is not empty, or the word "index" with a value."""


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
        score_tag: Name of the tag around the score.
        reasons: Names of the tags around reasons.
        fraction_of: Name of the tag around each piece's mark, 1 or 0; if pieces are marked, the score must be the share of
            those that hold.
        cited: Whether each piece that holds must cite its support, in brackets before its mark.
        fractions: Whether the score may be a fraction of the best one: ``3/4``, ``75 %``, ``0.75 out of 1``.

    Returns:
        The parser. Every number between score tags must be readable and the same, and every mark must be 1 or 0.
    """
    scored = between_tags(score_tag)
    marked = between_tags(fraction_of) if fraction_of else None
    where = f"between <{score_tag}> and </{score_tag}>"

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        # Content without a digit, such as a repeated instruction, is not a second score.
        contents = [match[1] for match in scored.finditer(reply) if _DIGIT.search(match[1])]
        values = [
            _number(content, where, scale if fractions else None) for content in contents
        ] or _lone_score(bare_reply(text), scale, fractions=fractions)
        score = one_score(values, scale, where)
        pieces = list(marked.finditer(reply)) if marked else []
        if not pieces:
            return reading_of(score, scale, tagged_reason(reply, reasons))
        marks = [_number(piece[1], f"as a piece's mark, {piece[0][:40]!r}") for piece in pieces]
        value = checked_share(scale.normalise(score), marks)
        if cited:
            _refuse_uncited(reply, pieces, marks)
        return ParsedReply(value, tagged_reason(reply, reasons), {"pieces": len(marks)})

    return parse


_LETTERS = re.IGNORECASE | re.ASCII
"""Tags match in any case, but not with letters of other alphabets that look alike."""


def between_tags(name: str) -> re.Pattern[str]:
    """Return a pattern of the text between tags of a name, in any case."""
    return re.compile(f"<{name}>([^<]*+)</{name}>", _LETTERS)


def _number(content: str, where: str, fraction_of: Scale | None = None) -> float:
    values = (
        lone_number(content) if fraction_of is None else _lone_score(content, fraction_of, fractions=True)
    )
    if not values:
        raise DecodingError(f"no score {where}, but {content.strip()[:40]!r}")
    return values[0]


def _refuse_uncited(reply: str, pieces: Sequence[re.Match[str]], marks: Sequence[float]) -> None:
    """Refuse a piece marked as supported that cites nothing: the judge contradicts itself."""
    start = 0
    for piece, mark in zip(pieces, marks, strict=True):
        if mark and _CITATION.search(reply, start, piece.start()) is None:
            statement = reply[start : piece.start()].strip()
            raise DecodingError(f"a piece is marked {mark:g}, but names no index: {statement[-60:]!r}")
        start = piece.end()


def tagged_reason(reply: str, names: Sequence[str]) -> str | None:
    """Return the text between the first tags of each name; None if there is none."""
    texts = (_between(reply, name) for name in names)
    return "\n".join(filter(None, texts)) or None


def _between(reply: str, name: str) -> str:
    """Return the text between the first opening tag and the next closing one.

    The search cannot backtrack.
    """
    opening = re.search(f"<{name}>", reply, _LETTERS)
    if opening is None:
        return ""
    closing = re.compile(f"</{name}>", _LETTERS).search(reply, opening.end())
    return reply[opening.end() : closing.start()].strip() if closing else ""
