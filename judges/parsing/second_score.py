"""Refuse a reply in which something else looks like a second score."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import excerpt

NUMERAL = (
    r"[-+]?[0-9.]++(?:[.,/][0-9]++)*+(?:[ ]?[%\uff05])?+"
    r"|(?:zero|none|null|nil|one(?! of\b)|two|three|four|five|six|seven|eight|nine|ten)\b"
)
"""Pattern of a number in digits of any notation, or in words."""

_WORD_START, _WORD_END = r"(?<![^\W_])", r"(?![^\W_])"
_NO_CONDITION = r"(?!\s{1,3}(?:if|when|only|unless|would|means)\b)"
"""Lookahead that excludes a score with a condition: a judge that writes ``1 if it is right`` repeats the instructions."""

_LAST_NUMBER = re.compile(
    r"(?:[.!?:]\s{1,4}|>\s{0,4})([*_`\"']{0,4}[-+]?[0-9][0-9.,/]{0,20}[*_`\"'.\s]{0,8})\Z"
)
_MAX_SEARCHED_END = 80
"""Characters at the end of a text in which a last number is looked for."""
_MAX_ROUNDING = 0.01
"""Scores that differ by less than this share of the scale count as equal: 0.67 and 2/3."""


@dataclass(frozen=True, slots=True)
class SecondScore:
    """Search for a second score, next to the one that was read.

    Attributes:
        labelled: Pattern of a label and its value, which is the first group: ``S2: 0``.
        read: Function that reads a value; it raises DecodingError for other texts.
        scale: Possible scores.
    """

    labelled: re.Pattern[str]
    read: Callable[[str], float]
    scale: Scale

    @classmethod
    def named(cls, name: str, read: Callable[[str], float], scale: Scale, values: str = NUMERAL) -> Self:
        """Look for values after this name, or after "score"."""
        label = rf"{_WORD_START}(?:{re.escape(name)}|score){_WORD_END}[\s*_`\"']{{0,6}}(?:[:=]|is\b)"
        return cls(_labelled(label, values), read, scale)

    @classmethod
    def headed(cls, heading: str, read: Callable[[str], float], scale: Scale) -> Self:
        """Look for values after a heading at the beginning of a line, in any markup."""
        words = r"[\W_]{1,4}".join(map(re.escape, re.findall(r"[^\W_]+", heading)))
        # A heading without words matches nothing: `(?!)` always fails.
        label = rf"^[^\w\n]{{0,12}}{words}{_WORD_END}[*_ ]{{0,4}}[:=\n]" if words else r"(?!)"
        return cls(_labelled(label, NUMERAL), read, scale)

    def refuse(self, text: str, score: float, *, lines: bool = True) -> None:
        """Refuse a text with another score: after a label, alone on a line, or alone at the end.

        After a label, any other value counts as another score; alone, only a score on the scale does.

        Raises:
            DecodingError: The text has another score.
        """
        for match in self.labelled.finditer(text):
            if not self._is_equal(match[1], score):
                raise _error(match[0])
        if not lines:
            return
        # "... is right. 1" at the end of a text, without a line of its own.
        ending = _LAST_NUMBER.search(text[-_MAX_SEARCHED_END:])
        for line in [*text.splitlines(), *([ending[1]] if ending else [])]:
            if self._is_score(line) and not self._is_equal(line, score):
                raise _error(line)

    def _is_score(self, written: str) -> bool:
        try:
            return self.read(written) in self.scale
        except DecodingError:
            return False

    def _is_equal(self, written: str, score: float) -> bool:
        # On a scale to 100, "80 %" is the score 80.
        for text in (written, written.rstrip(" %\uff05")):
            with suppress(DecodingError):
                return is_equal(self.read(text), score, self.scale)
        return False


def is_equal(value: float, score: float, scale: Scale) -> bool:
    """Return whether a number equals a score, apart from rounding."""
    if scale.step is None:
        return abs(value - score) < _MAX_ROUNDING * (scale.maximum - scale.minimum)
    return value in scale and scale.nearest(value) == score


def _labelled(label: str, values: str) -> re.Pattern[str]:
    return re.compile(rf"{label}[^\w\n.+-]{{0,8}}((?>{values})){_NO_CONDITION}", re.IGNORECASE | re.MULTILINE)


def _error(written: str) -> DecodingError:
    return DecodingError(f"something else looks like the score: {excerpt(written)}")
