"""Replies that put score and reasons between tags: ``<S1>why</S1> <S2>1</S2>``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..scale import Scale
from .number import lone_number
from .reading import NUMBER, Reading, ReplyParser, checked_share, one_score, without_thoughts

_DECORATION = r"[\s*_`\"']{0,16}"


def tags_parser(
    scale: Scale, *, score: str = "S2", reasons: Sequence[str] = (), fraction_of: str | None = None
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

    Returns:
        The parser.
    """
    scored = _tagged_number(score)
    marked = _tagged_number(fraction_of) if fraction_of else None

    def parse(text: str) -> Reading:
        reply = without_thoughts(text)
        values = [float(number) for number in scored.findall(reply)]
        if not values:
            values = lone_number(reply)
        where = f"between <{score}> and </{score}>"
        value = one_score(values, scale, where)
        marks = [float(number) for number in marked.findall(reply)] if marked else []
        if marks:
            return Reading(checked_share(value, marks), _reason(reply, reasons), {"pieces": len(marks)})
        return Reading(value, _reason(reply, reasons))

    return parse


def _tagged_number(name: str) -> re.Pattern[str]:
    return re.compile(f"<{name}>{_DECORATION}({NUMBER}){_DECORATION}</{name}>", re.IGNORECASE)


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
