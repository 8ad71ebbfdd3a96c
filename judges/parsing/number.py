"""Replies whose score is a bare number: the whole reply, or the last number after a heading."""

from __future__ import annotations

import re
from typing import Literal

from ...errors import DecodingError
from ..scale import Scale
from .reading import NUMBER, Reading, ReplyParser, bare_reply, one_score, reading_of, without_thoughts

_LONE = re.compile(f"({NUMBER})")
_SCORE = re.compile(rf"({NUMBER})(?: ?/ ?({NUMBER}))?")
_FIGURE = re.compile(
    r"""[A-Za-z_][A-Za-z_0-9]*+(?:[-.][A-Za-z_0-9]++)*+      # a name, such as S2 or v1.2: passed over
    | (?P<figure>
        [-+\u2212]?+\.?+\d++                                 # \d: any script's digits
        (?:[.,:\u2212\u2013-]\d++ | [ ]?/[ ]?\d++)*+         # 0,5  12:30  0-1  3/4
        (?:[A-Za-z_][A-Za-z_0-9]*+(?:[-+]\d++)?+)?+          # 1e-3  5x
        (?:\s?[%\uff05])?+
      )""",
    re.VERBOSE,
)
_DECORATION = " \t\r\n*_`\"'"
_BREAK = re.compile(r"[.:!?=|\n\])}\u3002\uff1a]")
_PAUSE = re.compile(r"[.,:;!?=|\n\])}\u3001\u3002\uff0c\uff1a\uff1b]")
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS_BETWEEN = 3
_HUNDRED = 100


def number_parser(
    scale: Scale, *, pick: Literal["alone", "last"] = "alone", after: str | None = None
) -> ReplyParser:
    """A parser of numbers.

    Args:
        scale: What scores are possible.
        pick: ``alone``: the reply (or what follows the heading) is nothing but the number. ``last``: the last number counts; it may
            be written as a fraction of the best score, ``0.75/1``.
        after: A heading; only what follows its last occurrence is read, and what stands before is the reason.

    Returns:
        The parser. Where the last number is written in a way that this does not read (``0,5``, ``1e-1``, ``5 %``), or looks like the
        best score that an earlier one was given out of (``0 out of 1``), the reply is unreadable; no earlier number takes its place.
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
        values = lone_number(bare_reply(reply)) if pick == "alone" else _last_number(reply, scale)
        return reading_of(one_score(values, scale, where), scale, reason)

    return parse


def lone_number(reply: str) -> list[float]:
    """The number that a reply consists of, apart from quotes, emphasis and a full stop; empty when there is more."""
    core = reply.strip(_DECORATION).removesuffix(".").strip(_DECORATION)
    found = _LONE.fullmatch(core)
    return [float(found[1])] if found else []


def _last_number(reply: str, scale: Scale) -> list[float]:
    before = last = None
    for figure in _FIGURE.finditer(reply):
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
    """What a number says; None when it is written in a way that may mean another."""
    found = _SCORE.fullmatch(figure.rstrip("%\uff05 ") if scale.maximum == _HUNDRED else figure)
    if found is None or (found[2] is not None and float(found[2]) != scale.maximum):
        return None
    return float(found[1])


def _in_doubt(before: re.Match[str], last: re.Match[str], between: str, scale: Scale) -> bool:
    """Whether the last number may only name an end of the scale: ``0 out of 1``, ``0 (from 0 to 1)``, ``0.5 on [0, 1]``."""
    score, earlier = _value(last[0], scale), _value(before[0], scale)
    if score not in {scale.minimum, scale.maximum} or score == earlier:
        return False
    if earlier is not None and earlier not in scale:
        return False
    words = len(_WORD.findall(between))
    return words <= _MOST_WORDS_BETWEEN and not (_PAUSE if words else _BREAK).search(between)
