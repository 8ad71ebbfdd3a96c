"""Parsed replies, and helpers of all parsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...errors import DecodingError
from ...records.scale import Scale

NUMBER = r"[-+]?(?:[0-9]{1,9}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})"
"""A decimal number, as a regular expression that cannot backtrack far."""

RAW_SCORE = "raw_score"
"""Key in evidence of the number that the judge gave on a scale other than 0 to 1."""

DECORATION = " \t\r\n*_`\"'"
"""Characters around a score that are ignored."""

QUOTES = "\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
"""Quotation marks."""

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


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
"""Function that parses a reply's text; it raises DecodingError unless the reply has exactly one score."""


def without_thoughts(text: str) -> str:
    """Remove the leading thoughts of reasoning models, whose scores are only considered."""
    if _THOUGHT.match(text) is None:
        return text
    end = _THOUGHT_END.search(text)
    return "" if end is None else text[end.end() :]


def bare_reply(text: str) -> str:
    """Return a reply that must be only the score, without leading thoughts.

    If the server's chat template holds the opening tag, the reply has only the closing one. It ends the thoughts here, since
    such a reply holds nothing but the score; in other replies it may be a quotation after the score. A quotation mark that
    closes behind the tag shows that the tag is quoted.
    """
    reply = without_thoughts(text).strip()
    if reply.startswith("{"):
        return reply
    ends = [match.end() for match in _THOUGHT_END.finditer(reply)]
    bare = reply[ends[-1] :].strip() if ends else reply
    return reply if ends and (bare[:1] in QUOTES) != (bare.rstrip(".")[-1:] in QUOTES) else bare


_ROUNDING = 0.01 - 1e-9
"""Limit on the rounding of a share: judges write 0.33 for a third, and 0.67 or 0.66 for two."""

_LISTED = 5
"""Maximum number of different scores that a message names."""


def checked_share(score: float, marks: Sequence[float]) -> float:
    """Return the share of pieces marked 1; an error if it differs from the judge's score."""
    if not marks or not {0.0, 1.0}.issuperset(marks):
        raise DecodingError(f"expected pieces marked 1 or 0, got {list(marks)[:5]}")
    share = sum(marks) / len(marks)
    if abs(score - share) >= _ROUNDING:
        raise DecodingError(f"the score is {score:g}, but {sum(marks):g} of {len(marks)} pieces hold")
    return share


def one_score(values: Iterable[float], scale: Scale, where: str) -> float:
    """Return the only score of several numbers, on the scale; equal numbers count once."""
    scores = sorted(set(values))
    if not scores:
        raise DecodingError(f"no score {where}")
    if len(scores) > 1:
        listed = ", ".join(f"{value:g}" for value in scores[:_LISTED])
        more = f" and {len(scores) - _LISTED} more" if len(scores) > _LISTED else ""
        raise DecodingError(f"different scores {where}: {listed}{more}")
    if scores[0] not in scale:
        raise DecodingError(f"the score {scores[0]:g} is not on the scale ({scale})")
    return scale.nearest(scores[0])


def reading_of(
    score: float, scale: Scale, reason: str | None = None, details: Mapping[str, Any] | None = None
) -> ParsedReply:
    """Return a parsed reply with a score in [0, 1]; the details hold a score on another scale."""
    raw_score = {} if scale.is_unit else {RAW_SCORE: score}
    return ParsedReply(scale.normalise(score), reason, {**raw_score, **(details or {})})


_QUOTATION_ENDS = re.compile(rf"\A(?:[.!*_`]|</?\w{{1,20}}>)*+[{QUOTES}](?!\w)")


def ends_quotation(before: str, behind: str) -> bool:
    """Return whether a score stands at the end of a quotation, by the texts around it.

    A score that is alone in quotation marks is none.
    """
    return _QUOTATION_ENDS.match(behind) is not None and before.rstrip("*_`")[-1:] not in [*QUOTES]


_SHOWN, _MOST = 40, 400


def shown(text: str) -> str:
    """Return the beginning of a text on one line, in quotes, for messages."""
    return repr(" ".join(text[:_MOST].split())[:_SHOWN])
