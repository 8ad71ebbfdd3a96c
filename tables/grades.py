"""Grades as people and tools write them, as numbers in [0, 1]."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any

from ..errors import UsageError
from ..records.made_scores import mean_score, reaches, rounded_score
from ..records.scale import Scale
from ..spelling import either, spelled_pairs, spelled_scale

WORDS: Mapping[str, float] = {
    **dict.fromkeys(
        ("yes", "y", "true", "t", "pass", "passed", "correct", "right", "good", "ok", "okay", "grounded", "supported",
         "faithful", "relevant", "valid", "accept", "accepted", "acceptable", "thumbs up",
         "up", "👍", "accurate", "factual", "harmless", "helpful", "safe", "truthful", "not hallucinated", "no hallucination", "not toxic",
         "non toxic", "nontoxic", "not harmful", "success", "successful", "solved", "approved"),
        1.0,
    ),
    **dict.fromkeys(
        ("no", "n", "false", "f", "fail", "failed", "incorrect", "wrong", "bad", "not ok", "not grounded", "ungrounded",
         "unsupported", "not supported", "unfaithful", "not faithful", "irrelevant", "not relevant", "invalid", "reject",
         "rejected", "unacceptable", "not correct", "not good", "thumbs down", "down", "👎",
         "hallucinated", "hallucination", "harmful", "inaccurate", "toxic", "unhelpful", "unsafe", "untruthful", "fabricated", "not accurate",
         "not factual", "not helpful", "not safe", "unsuccessful", "not solved", "not approved"),
        0.0,
    ),
}  # fmt: skip
"""Scores of words that mean pass or fail."""

_TURNED = {word: 1.0 - WORDS[word] for word in ("yes", "y", "true", "t", "no", "n", "false", "f")}
"""Scores of words that say whether a thing is so, where it had better not be."""

_NO_GRADE: Mapping[str, None] = dict.fromkeys(
    ("", "n/a", "na", "nan", "null", "<na>", "#n/a", "not applicable", "not rated", "not graded", "unrated", "-",
     "\u2013", "\u2014")
)  # fmt: skip
"""Texts that stand for an empty cell."""

_ERROR_TEXT = re.compile(r"\b(?:error|exception|timeout|timed out)\b")
"""What a grader writes instead of a score if its call failed."""

FAILURES = frozenset({"failed"})
"""Words that are a grade beside other words, and tell of a failed grader beside numbers."""

_VERDICT = re.compile(
    r"\b(?:pass|fail|(?:in)?correct|right|wrong|good|bad|excellent|great|fine|fair|poor|high|medium|low|average|partial|mostly|"
    r"(?:in)?accurate|(?:in)?complete|(?:un)?grounded|hallucinat|(?:un)?support|(?:ir)?relevant|(?:un)?faithful|(?:un)?safe|harmful|"
    r"ja|nein|oui|non|s[ií]|richtig|falsch|korrekt|vrai|faux|verdadero|falso|да|нет|"
    r"(?:un)?helpful|(?:un)?accept|reject|(?:dis)?agree|(?:in)?valid|better|worse|positive|negative|neutral|meh|unsure|unclear)"
    r"|\A[a-f][+-]?\Z"
)
"""Beginning of a word that is at home in grades, or a school's grade."""

_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,9},(?!\d{3}\Z)|0,)\d{1,20}")
"""A number with a decimal comma. Three digits after the comma may be thousands, except after a zero."""

_SEPARATORS = re.compile(r"[\s_-]+")


def is_missing(value: object) -> bool:
    """Return whether a cell has no value: null, empty, or NaN, a data frame's null.

    The text "nan" is a value: it may be a name.
    """
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, int):  # which may be too large for `isnan`
        return False
    return value is None or (isinstance(value, Real) and math.isnan(value))


ROUNDING = 1e-6
"""Distance from the end of a scale, as a share of it, that is taken for an error of rounding."""


def is_above_one(number: float) -> bool:
    """Return whether a number shows a scale that does not end at 1; 1.0000000000000002 does not."""
    return number > 1.0 + ROUNDING


class UnknownGradeError(ValueError):
    """A word that is not a grade, or a number that is not on the scale.

    Attributes:
        value: The value as it is written.
    """

    def __init__(self, value: object, message: str) -> None:
        super().__init__(message)
        self.value = value


def grade_score(value: object, scale: Scale, *, beside_numbers: bool = False) -> float | None:
    """Return a grade as a number in [0, 1], or None if the cell is empty.

    Args:
        value: The grade as it is written.
        scale: Its scale.
        beside_numbers: Whether the other grades are numbers, beside which `FAILURES` are no grades.

    Raises:
        UnknownGradeError: It is neither a known word nor a number on the scale.
    """
    if isinstance(value, str) and (scale.words or not _is_digits(value)):
        word = plain_word(value)
        if beside_numbers and word in FAILURES and word not in scale.words:
            raise UnknownGradeError(value, "a grade or a failure")
        for scores in (scale.words, _truth_words(scale), WORDS, _NO_GRADE):
            if word in scores:
                return scores[word]
        percent = _percentage(value)
        if percent is not None:  # the per cent sign implies the scale, unless the user declared one
            return grade_score(percent, scale if scale.reads_numbers else _PERCENT)
    elif isinstance(value, bool):
        word = str(value).lower()
        return scale.words.get(word, _truth_words(scale).get(word, float(value)))
    number = _grade_number(value)
    if number is None:
        raise UnknownGradeError(value, "an unknown grade")
    if math.isnan(number):
        return None
    if has_word(scale, number):
        return scale.words[plain_word(f"{number:g}")]
    return _number_score(number, scale, value)


def _truth_words(scale: Scale) -> Mapping[str, float]:
    """Return the scores of words for 1 and 0 on a scale on which 1 is worst."""
    return _TURNED if scale.is_declared and scale.ends == (1.0, 0.0) else {}


def _number_score(number: float, scale: Scale, value: object) -> float:
    share = scale.share(number)
    is_on_scale = -ROUNDING <= share <= 1.0 + ROUNDING
    if scale.pass_at is not None and (is_on_scale or not scale.is_declared):
        is_high_best = scale.better == "high"
        return float(reaches(number, scale.pass_at) if is_high_best else reaches(scale.pass_at, number))
    if not is_on_scale:
        worst, best = scale.ends
        raise UnknownGradeError(value, f"not from {worst:g} to {best:g}")
    return min(max(rounded_score(share), 0.0), 1.0)


def is_withdrawn(value: object, scale: Scale) -> bool:
    """Return whether a value was declared to be no grade, as an empty cell is not."""
    if is_missing(value) or None not in scale.words.values():
        return False
    number = None if isinstance(value, str | bool) else _grade_number(value)
    word = plain_word(str(value) if number is None else f"{number:g}")
    return word in scale.words and scale.words[word] is None


def has_word(scale: Scale, number: float) -> bool:
    """Return whether a number has a score among the words of a scale."""
    return bool(scale.words) and plain_word(f"{number:g}") in scale.words


_PERCENT = Scale(0.0, 100.0)


def plain_word(text: str) -> str:
    """Return a word without capitals, with single spaces for underscores and hyphens inside it."""
    bare = text.strip().lower()
    return bare if bare.startswith("-") else _SEPARATORS.sub(" ", bare)


def _is_digits(text: str) -> bool:
    """Return whether a text begins and ends with a digit, as no known word does; most cells do."""
    return text[:1].isdecimal() and text[-1].isdecimal()


def looks_like_verdict(text: str) -> bool:
    """Return whether a text looks like a grade in words: ``partially correct``, ``B+``."""
    return _VERDICT.search(plain_word(text)) is not None


def _percentage(text: str) -> float | None:
    """Return the number before a per cent sign, or None for any other text."""
    bare = text.strip()
    number = as_number(bare[:-1].strip()) if bare.endswith("%") else None
    return None if number is None or not math.isfinite(number) else number


def _grade_number(value: Any) -> float | None:
    """Return a grade as a number: NaN for an empty cell, None for a word or an infinity."""
    if value is None:
        return math.nan
    number = as_number(value)
    if number is None:
        return None
    if isinstance(value, str) and not math.isfinite(number):
        return None
    return None if math.isinf(number) else number


def majority(grades: Sequence[Any], scale: Scale) -> float | None:
    """Return the score that most people gave, or the mean if some are fractions; None for a tie."""
    try:
        scores = [score for grade in grades if (score := grade_score(grade, scale)) is not None]
    except UnknownGradeError:
        return None  # the error is reported for the person's column
    if not scores:
        return None
    share = mean_score(scores)
    if not set(scores) <= {0.0, 1.0}:
        return share
    return None if share == 0.5 else float(share > 0.5)  # noqa: PLR2004 - a tie


UNKNOWN = "?"
"""Value of an option that the user has to choose."""

OPEN_ENDS = f"{UNKNOWN}:{UNKNOWN}"
"""Scale of which only the user knows the worst and the best grade."""

_SHOWN = 8
_USUAL_ENDS = (5, 10, 100)


def usual_ends(grades: Sequence[float]) -> str:
    """Return the likely scale of some grades as an option's value: ``1:5``."""
    high = next((end for end in _USUAL_ENDS if max(grades) <= end), max(grades))
    low = 0 if high > 10 or min(grades) < 1 else 1  # noqa: PLR2004 - points up to 10 begin with 1, percent with 0
    return f"{low}:{high:g}"


def which_is_best(ends: str) -> str:
    """Return the ways to write a scale: `` (1:5 if 5 is best, 5:1 if 1 is)``; empty if open."""
    if ends == OPEN_ENDS:
        return ""
    low, high = ends.split(":")
    return f" ({ends} if {high} is best, {high}:{low} if {low} is)"


def asked_scale(name: str, ends: str, judge: str | None = None) -> str:
    """Return the option for a scale with open ends, and the two ways to write it."""
    return f"{spelled_scale(name, OPEN_ENDS, judge)}{which_is_best(ends)}"


def ends_question(column: str, ends: str) -> str:
    """Return the question for the ends of a scale: ``1:5`` if 5 is best, and turned round."""
    low, high = ends.split(":")
    return f"{column!r} has grades above 1; say its worst and best, {low}:{high} if {high} is best, {high}:{low} if {low} is"


_SIDES = frozenset({"left", "right"})
"""Words for a choice, of which one alone would be a grade."""


def are_sides(words: Iterable[str]) -> bool:
    """Return whether words are those of a choice between left and right."""
    return set(map(plain_word, words)) >= _SIDES


def is_error(text: str) -> bool:
    """Return whether a text tells of a failed grader: ``ERROR: timeout``."""
    return _ERROR_TEXT.search(plain_word(text)) is not None


def unknown_words(values: Iterable[Any], scale: Scale) -> dict[str, object]:
    """Return the words that are no grade, each with ``?``; empty beside numbers."""
    words: dict[str, object] = {}
    values = [*values]
    sides = {value: UNKNOWN for value in values if isinstance(value, str) and plain_word(value) in _SIDES}
    if are_sides(sides) and not scale.words.keys() >= _SIDES:
        words |= sides
    for value in values:
        try:
            grade_score(value, scale)
        except UnknownGradeError:
            if isinstance(value, str):
                words.setdefault(value, UNKNOWN)
        if not isinstance(value, bool) and as_number(value) is not None:
            return {}
    return words


def map_label_options(words: Iterable[str]) -> str:
    """Return options that map words to scores, with ``?`` for each score."""
    return spelled_pairs("map_label", open_scores(words))


def open_scores(words: Iterable[str], *, errors: bool = False) -> dict[str, object]:
    """Return words with ``?`` for the scores that only the user knows.

    Args:
        words: The words; only the first few are listed.
        errors: Whether the words are among a judge's numbers, so that an error's text is no grade.
    """
    scores: dict[str, object] = {}
    for word in islice(words, _SHOWN):
        scores[word] = None if errors and is_error(word) else UNKNOWN
    return scores


def no_grade() -> str:
    """Return the words for a word that stands for no grade."""
    return either("nothing behind the = for no grade", "None for no grade")


def require_chosen_scores(words: Mapping[str, Any]) -> None:
    """Refuse a ``?`` that was left in a proposed option.

    Raises:
        UsageError: A word's score is still ``?``.
    """
    unknown = {word: UNKNOWN for word, score in words.items() if score == UNKNOWN}
    if unknown:
        raise UsageError(
            f"replace each ? in {spelled_pairs('map_label', unknown)} with a score, 1 for pass, 0 for fail, {no_grade()}"
        )


def as_number(value: Any) -> float | None:
    """Return a value as a number; a decimal comma is accepted. None if it is not a number."""
    if isinstance(value, str) and "," in value and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
