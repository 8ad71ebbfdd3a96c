"""Parsed replies, and the functions and patterns that all parsers share.

A parser reads a reply's text into a `ParsedReply`, or raises DecodingError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...errors import DecodingError
from ...records.scale import Scale

NUMBER = r"[-+]?(?:[0-9]{1,9}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})"
"""Pattern of a decimal number; the bounds keep it from backtracking far."""

RAW_SCORE = "raw_score"
"""Evidence key of the score as the judge wrote it, if the scale is not 0 to 1."""

DECORATION = " \t\r\n*_`\"'"
"""Ignored characters around a score: white space, emphasis, quotes."""

QUOTES = "\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
"""Quotation marks."""

_THOUGHTS_START = re.compile(r"\A\s*<think(?:ing)?>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """Content of a parsed reply.

    Attributes:
        score: In [0, 1].
        reason: The judge's reason, if the reply has one.
        details: Other content, such as scores of single criteria.
    """

    score: float
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


ReplyParser: TypeAlias = Callable[[str], ParsedReply]
"""Function that parses a reply's text. It raises DecodingError if the reply has no score, or several."""


def without_thoughts(text: str) -> str:
    """Remove the thoughts before a reply, since scores in them are not the answer."""
    if _THOUGHTS_START.match(text) is None:
        return text
    end = _THOUGHTS_END.search(text)
    return "" if end is None else text[end.end() :]


def bare_reply(text: str) -> str:
    """Remove the thoughts before a reply that must be only the score.

    A reply may have the closing tag alone, if the server's chat template contains the opening one. The text before it counts as
    thoughts too, unless the tag is part of a quotation: then quotation marks around the rest do not match.
    """
    reply = without_thoughts(text).strip()
    if reply.startswith("{"):  # a tag in JSON is part of a text in it
        return reply
    ends = [match.end() for match in _THOUGHTS_END.finditer(reply)]
    if not ends:
        return reply
    rest = reply[ends[-1] :].strip()
    is_quoted = (rest[:1] in QUOTES) != (rest.rstrip(".")[-1:] in QUOTES)
    return reply if is_quoted else rest


_MAX_ROUNDING = 0.01 - 1e-9
"""A share may be rounded by less than this: judges write 0.33 for a third, and 0.67 or 0.66 for two thirds.

A difference of 0.01 is too much, even if floating-point arithmetic makes it a little less.
"""

_MAX_NAMED_SCORES = 5
"""Maximum number of scores that an error names."""


def share_of_marked(score: float, marks: Sequence[float]) -> float:
    """Return the share of pieces marked 1.

    Raises:
        DecodingError: The judge's score is another share.
    """
    if not marks or not {0.0, 1.0}.issuperset(marks):
        raise DecodingError(f"expected pieces marked 1 or 0, got {list(marks)[:5]}")
    share = sum(marks) / len(marks)
    if abs(score - share) >= _MAX_ROUNDING:
        raise DecodingError(f"the score is {score:g}, but {sum(marks):g} of {len(marks)} pieces hold")
    return share


def one_score(values: Iterable[float], scale: Scale, where: str) -> float:
    """Return the number that all values equal, as a score on the scale.

    Raises:
        DecodingError: There is no number, there are different numbers, or the number is not on the scale.
    """
    scores = sorted(set(values))  # a judge may repeat its score
    if not scores:
        raise DecodingError(f"no score {where}")
    if len(scores) > 1:
        names = ", ".join(f"{value:g}" for value in scores[:_MAX_NAMED_SCORES])
        more = f" and {len(scores) - _MAX_NAMED_SCORES} more" if len(scores) > _MAX_NAMED_SCORES else ""
        raise DecodingError(f"different scores {where}: {names}{more}")
    if scores[0] not in scale:
        raise DecodingError(f"the score {scores[0]:g} is not on the scale ({scale})")
    return scale.nearest(scores[0])


def reading_of(
    score: float, scale: Scale, reason: str | None = None, details: Mapping[str, Any] | None = None
) -> ParsedReply:
    """Return a parsed reply with the score in [0, 1]; the details keep a score on another scale."""
    raw_score = {} if scale.is_unit else {RAW_SCORE: score}
    return ParsedReply(scale.normalise(score), reason, {**raw_score, **(details or {})})


_QUOTATION_END = re.compile(rf"\A(?:[.!*_`]|</?\w{{1,20}}>)*+[{QUOTES}](?!\w)")


def ends_quotation(before: str, behind: str) -> bool:
    """Return whether a score is the end of a quotation, given the texts before and after it.

    A score that stands alone between quotation marks is not the end of a longer quotation.
    """
    return _QUOTATION_END.match(behind) is not None and before.rstrip("*_`")[-1:] not in [*QUOTES]


_MAX_SHOWN_LENGTH = 40
_MAX_JOINED_LENGTH = 400
"""Only so much of a text is joined to one line, since most of it is not shown."""


def excerpt(text: str) -> str:
    """Return the beginning of a text on one line, in quotes, for error messages."""
    return repr(" ".join(text[:_MAX_JOINED_LENGTH].split())[:_MAX_SHOWN_LENGTH])
