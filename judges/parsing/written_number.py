"""Find numbers in replies: a number alone, a fraction of the best score, the last number."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import DECORATION, NUMBER

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
DECORATED = f"[{re.escape(DECORATION)}]"

_BREAK = re.compile(r"[.:!?=|\n\])}\u3002\uff1a]")
_PAUSE = re.compile(r"[.,:;!?=|\n\])}\u3001\u3002\uff0c\uff1a\uff1b]")
_WORD = re.compile(r"[^\W\d_]+")
_MAX_WORDS_BETWEEN = 3
_DENIED = re.compile(r"(?:\bnot|n['\u2019]t|\bnever)[\s(\"'*`]{1,3}\Z", re.IGNORECASE)
_HUNDRED = 100


class FoundNumber(NamedTuple):
    """Value of a number in a text, and where it stands."""

    value: float
    start: int
    end: int


def lone_number(reply: str) -> list[float]:
    """Return the number that a reply consists of; empty if the reply holds more.

    Quotes, emphasis and a full stop around it are ignored.
    """
    match = _LONE.fullmatch(undecorated(reply))
    return [float(match[1])] if match else []


def lone_score(reply: str, scale: Scale, *, fractions: bool) -> list[float]:
    """Return the number, or fraction of the best score, that a reply consists of."""
    return (fraction_of_best(undecorated(reply), scale) if fractions else []) or lone_number(reply)


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


def first_number(text: str, scale: Scale, *, fractions: bool) -> list[float]:
    """Return the score that the first line of a text consists of, or begins with."""
    line = text.lstrip(DECORATION).partition("\n")[0]
    figure = _NUMBER_LIKE.match(line)
    value = None if figure is None or not figure["figure"] else _value(figure[0], scale)
    return lone_score(line, scale, fractions=fractions) or ([] if value is None else [value])


def last_number(text: str, scale: Scale, *, fractions: bool) -> FoundNumber | None:
    """Return the last number, or the fraction of the best score that ends a text.

    Raises:
        DecodingError: It has another notation, or another number may be the score.
    """
    match = _LAST_FRACTION.search(text) if fractions else None
    if match is not None and (values := fraction_of_best(match[1], scale)):
        return FoundNumber(values[0], match.start(1), match.end(1))
    before = last = None
    for figure in _NUMBER_LIKE.finditer(text):
        if figure["figure"]:
            before, last = last, figure
    if last is None:
        return None
    score = _value(last[0], scale)
    if score is None:
        raise DecodingError(f"the last number, {last[0][:40]!r}, cannot be read as a score ({scale})")
    if before is not None and _in_doubt(before, last, text[before.end() : last.start()], scale):
        raise DecodingError(f"it is not clear whether {before[0][:40]!r} or {last[0][:40]!r} is the score")
    return FoundNumber(score, last.start(), last.end())


def _value(figure: str, scale: Scale) -> float | None:
    """Return the value of a number, or None if its notation is ambiguous."""
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
    if len(words) > _MAX_WORDS_BETWEEN:
        return False
    is_denied = _DENIED.search(between) is not None  # 0, not 1
    return is_denied or not (_PAUSE if words else _BREAK).search(between)
