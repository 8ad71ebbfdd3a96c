"""Replies whose score is a bare number: the whole reply, or the last number after a heading."""

from __future__ import annotations

import re
from typing import Literal

from ...errors import DecodingError
from ..scale import Scale
from .reading import NUMBER, Reading, ReplyParser, one_score, without_thoughts

_LONE = re.compile(f"({NUMBER})")
_LAST = re.compile(rf"(?<![\w.])((?>{NUMBER}))(?:[ ]?/[ ]?((?>{NUMBER})))?(?!\w|\.[0-9])")
_DECORATION = " \t\r\n*_`\"'"


def number_parser(
    scale: Scale, *, pick: Literal["alone", "last"] = "alone", after: str | None = None
) -> ReplyParser:
    """A parser of numbers.

    Args:
        scale: What scores are possible.
        pick: ``alone``: the reply (or what follows the heading) is nothing but the number. ``last``: the last number counts.
        after: A heading; only what follows its last occurrence is read, and what stands before is the reason.

    Returns:
        The parser. A score may be written as a fraction of the best one, ``0.75/1``.
    """

    def parse(text: str) -> Reading:
        reply = without_thoughts(text)
        reason = None
        where = "alone in the reply" if pick == "alone" else "in the reply"
        if after is not None:
            before, heading, reply = reply.rpartition(after)
            if not heading:
                raise DecodingError(f"no {after!r} in the reply")
            reason, where = before.strip() or None, f"after {after!r}"
        values = lone_number(reply) if pick == "alone" else _last_number(reply, scale)
        return Reading(one_score(values, scale, where), reason)

    return parse


def lone_number(reply: str) -> list[float]:
    """The number that a reply consists of, apart from quotes, emphasis and a full stop; empty when there is more."""
    core = reply.strip(_DECORATION).removesuffix(".").strip(_DECORATION)
    found = _LONE.fullmatch(core)
    return [float(found[1])] if found else []


def _last_number(reply: str, scale: Scale) -> list[float]:
    last = None
    for last in _LAST.finditer(reply):  # noqa: B007 - the last one is wanted
        pass
    if last is None:
        return []
    if last[2] is not None and float(last[2]) != scale.maximum:
        raise DecodingError(f"the score {last[0]!r} is a fraction of something other than {scale.maximum:g}")
    return [float(last[1])]
