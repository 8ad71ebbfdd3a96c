"""Find numbers in replies: alone, first or last, or as a fraction of the best score.

Functions that return a list of scores return one score, or an empty list if there is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import DECORATION, NUMBER

_NUMBER = re.compile(f"({NUMBER})")
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
"""A figure (anything written with digits), or a name with digits in it. Possessive quantifiers keep the search linear."""
DECORATED = f"[{re.escape(DECORATION)}]"

_SENTENCE_BREAK = re.compile(r"[.:!?=|\n\])}\u3002\uff1a]")
_CLAUSE_BREAK = re.compile(r"[.,:;!?=|\n\])}\u3001\u3002\uff0c\uff1a\uff1b]")
_WORD = re.compile(r"[^\W\d_]+")
_MAX_WORDS_BETWEEN = 3
"""Maximum number of words between a score and the end of the scale that explains it, as in ``0 (on a scale to 1)``."""
_NEGATION_END = re.compile(r"(?:\bnot|n['\u2019]t|\bnever)[\s(\"'*`]{1,3}\Z", re.IGNORECASE)
_PERCENT = 100


class FoundNumber(NamedTuple):
    """Value of a number in a text, and its position."""

    value: float
    start: int
    end: int


def lone_number(reply: str) -> list[float]:
    """Return the number of a reply that is only a number, ignoring quotes and emphasis.

    Return no number for any other reply.
    """
    match = _NUMBER.fullmatch(strip_decoration(reply))
    return [float(match[1])] if match else []


def lone_score(reply: str, scale: Scale, *, fractions: bool) -> list[float]:
    """Return the score of a reply that is only a number, or a fraction of the best score."""
    return (fraction_of_best(strip_decoration(reply), scale) if fractions else []) or lone_number(reply)


def strip_decoration(text: str) -> str:
    """Remove quotes, emphasis and a full stop around a text."""
    return text.strip(DECORATION).removesuffix(".").strip(DECORATION)


_FRACTION = re.compile(rf"({NUMBER})\s?(?:(?P<of>/|out of|of)\s?({NUMBER})|[%\uff05])")
_LAST_FRACTION = re.compile(rf"(?<![\w.,/+-])({_FRACTION.pattern}){DECORATED}*+\.?+{DECORATED}*+\Z")


def fraction_of_best(text: str, scale: Scale) -> list[float]:
    """Return the score for a fraction of the best score, such as ``3/4`` or ``75 %``, else none."""
    match = _FRACTION.fullmatch(text)
    if match is None:
        return []
    numerator = float(match[1])
    denominator = float(match[3]) if match["of"] else float(_PERCENT)
    is_fraction = 0 <= numerator <= denominator and denominator > 0
    return [scale.maximum * numerator / denominator] if is_fraction else []


def first_number(text: str, scale: Scale, *, fractions: bool) -> list[float]:
    """Return the score that is the first line of a text, or begins it; or no score."""
    line = text.lstrip(DECORATION).partition("\n")[0]
    figure = _NUMBER_LIKE.match(line)
    value = None if figure is None or not figure["figure"] else _value(figure[0], scale)
    return lone_score(line, scale, fractions=fractions) or ([] if value is None else [value])


def last_number(text: str, scale: Scale, *, fractions: bool) -> FoundNumber | None:
    """Return the last number of a text, or the fraction of the best score at its end.

    Raises:
        DecodingError: The number has another notation, or it is not clear that it is the score.
    """
    match = _LAST_FRACTION.search(text) if fractions else None
    if match is not None and (values := fraction_of_best(match[1], scale)):
        return FoundNumber(values[0], match.start(1), match.end(1))
    previous = last = None
    for figure in _NUMBER_LIKE.finditer(text):
        if figure["figure"]:
            previous, last = last, figure
    if last is None:
        return None
    score = _value(last[0], scale)
    if score is None:
        raise DecodingError(f"the last number, {last[0][:40]!r}, cannot be read as a score ({scale})")
    if previous is not None and _may_name_scale_end(
        previous, last, text[previous.end() : last.start()], scale
    ):
        raise DecodingError(f"it is not clear whether {previous[0][:40]!r} or {last[0][:40]!r} is the score")
    return FoundNumber(score, last.start(), last.end())


def _value(figure: str, scale: Scale) -> float | None:
    """Return the value of a number, or None if its notation is ambiguous."""
    # "80 %" is 80 on a scale to 100, and "4/5" is 4 on a scale to 5.
    match = _SCORE.fullmatch(figure.rstrip("%\uff05 ") if scale.maximum == _PERCENT else figure)
    if match is None or (match[2] is not None and float(match[2]) != scale.maximum):
        return None
    return float(match[1])


def _may_name_scale_end(previous: re.Match[str], last: re.Match[str], between: str, scale: Scale) -> bool:
    """Return whether the last number may only name an end of the scale, as in ``0 out of 1``.

    It may if another score is at most three words before it, in the same clause (``0 (from 0 to 1)``) or with a negation between
    them (``0, not 1``).
    """
    # A number in the middle of the scale, or a repeated one, is hardly the name of an end.
    score, previous_score = _value(last[0], scale), _value(previous[0], scale)
    if score not in {scale.minimum, scale.maximum} or score == previous_score:
        return False
    if previous_score is not None and previous_score not in scale:
        return False
    words = _WORD.findall(between)
    if len(words) > _MAX_WORDS_BETWEEN:
        return False
    is_negated = _NEGATION_END.search(between) is not None
    return is_negated or not (_CLAUSE_BREAK if words else _SENTENCE_BREAK).search(between)
