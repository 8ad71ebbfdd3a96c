"""Grades as people and tools write them, read as scores in [0, 1] by `grade_score`."""

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

_REVERSED_TRUTH_WORDS = {
    word: 1.0 - WORDS[word] for word in ("yes", "y", "true", "t", "no", "n", "false", "f")
}
"""Scores of words for true and false on a scale whose worst grade is 1: of a fault, "yes" is bad."""

_EMPTY_WORDS: Mapping[str, None] = dict.fromkeys(
    ("", "n/a", "na", "nan", "null", "<na>", "#n/a", "not applicable", "not rated", "not graded", "unrated", "-",
     "\u2013", "\u2014")
)  # fmt: skip
"""Texts that stand for an empty cell."""

_ERROR_TEXT = re.compile(r"\b(?:error|exception|timeout|timed out)\b")
"""Words of an error that a grader wrote instead of a score."""

FAILURES = frozenset({"failed"})
"""Words that are grades among words; among numbers they say that the grader failed."""

_VERDICT_WORD = re.compile(
    r"\b(?:pass|fail|(?:in)?correct|right|wrong|good|bad|excellent|great|fine|fair|poor|high|medium|low|average|partial|mostly|"
    r"(?:in)?accurate|(?:in)?complete|(?:un)?grounded|hallucinat|(?:un)?support|(?:ir)?relevant|(?:un)?faithful|(?:un)?safe|harmful|"
    r"ja|nein|oui|non|s[ií]|richtig|falsch|korrekt|vrai|faux|verdadero|falso|да|нет|"
    r"(?:un)?helpful|(?:un)?accept|reject|(?:dis)?agree|(?:in)?valid|better|worse|positive|negative|neutral|meh|unsure|unclear)"
    r"|\A[a-f][+-]?\Z"
)
"""Beginning of a word that is common in grades, or a school's grade (A to F)."""

_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,9},(?!\d{3}\Z)|0,)\d{1,20}")
"""A number with a decimal comma. Three digits after the comma may be thousands, except after a zero."""

_SEPARATORS = re.compile(r"[\s_-]+")
"""Characters between the words of a grade."""


def is_missing(value: object) -> bool:
    """Return whether a cell has no value: null, empty, or NaN, a data frame's null.

    The text "nan" is a value: it may be a name.
    """
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, int):  # an int may be too large for `isnan`
        return False
    return value is None or (isinstance(value, Real) and math.isnan(value))


ROUNDING = 1e-6
"""Share of a scale by which a number may lie outside and still count as rounded."""


def is_above_one(number: float) -> bool:
    """Return whether a number is above 1 by more than rounding, so that its scale is another."""
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
        beside_numbers: Whether the column's other grades are numbers, so that `FAILURES` are no grades.

    Raises:
        UnknownGradeError: The grade is neither a known word nor a number on the scale.
    """
    # Most cells are numbers as text, for which no word need be looked up.
    if isinstance(value, str) and (scale.words or not _is_number_like(value)):
        word = plain_word(value)
        if beside_numbers and word in FAILURES and word not in scale.words:
            raise UnknownGradeError(value, "a grade or a failure")
        for scores in (scale.words, _truth_words(scale), WORDS, _EMPTY_WORDS):
            if word in scores:
                return scores[word]
        percent = _percentage(value)
        if percent is not None:  # the sign means a scale from 0 to 100, unless the user declared another
            return grade_score(percent, scale if scale.reads_numbers else _PERCENT_SCALE)
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
    return _REVERSED_TRUTH_WORDS if scale.is_declared and scale.ends == (1.0, 0.0) else {}


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
    """Return whether the user declared a value to be no grade; False for an empty cell."""
    if is_missing(value) or None not in scale.words.values():
        return False
    number = None if isinstance(value, str | bool) else _grade_number(value)
    word = plain_word(str(value) if number is None else f"{number:g}")
    return word in scale.words and scale.words[word] is None


def has_word(scale: Scale, number: float) -> bool:
    """Return whether the user gave a number a score of its own, like a word."""
    return bool(scale.words) and plain_word(f"{number:g}") in scale.words


_PERCENT_SCALE = Scale(0.0, 100.0)


def plain_word(text: str) -> str:
    """Return a word in lower case, with a space for underscores and hyphens inside: ``not ok``."""
    bare = text.strip().lower()
    # A leading hyphen is a minus sign, or an empty cell.
    return bare if bare.startswith("-") else _SEPARATORS.sub(" ", bare)


def _is_number_like(text: str) -> bool:
    """Return whether a text begins and ends with a digit, as no known word does."""
    return text[:1].isdecimal() and text[-1].isdecimal()


def looks_like_verdict(text: str) -> bool:
    """Return whether a text looks like a grade in words: ``partially correct``, ``B+``."""
    return _VERDICT_WORD.search(plain_word(text)) is not None


def _percentage(text: str) -> float | None:
    bare = text.strip()
    number = as_number(bare[:-1].strip()) if bare.endswith("%") else None
    return None if number is None or not math.isfinite(number) else number


def _grade_number(value: Any) -> float | None:
    """Return a grade as a number: NaN for an empty cell, None for a word or infinity."""
    if value is None:
        return math.nan
    number = as_number(value)
    if number is None:
        return None
    if isinstance(value, str) and not math.isfinite(number):
        return None
    return None if math.isinf(number) else number


def majority(grades: Sequence[Any], scale: Scale) -> float | None:
    """Return the score that most people gave, or None for a tie; the mean if any is a fraction."""
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
"""Value that the user has to replace in a proposed option."""

OPEN_ENDS = f"{UNKNOWN}:{UNKNOWN}"
"""Value of an option for a scale whose ends the user has to choose."""

_MAX_SHOWN_WORDS = 8
_USUAL_BEST = (5, 10, 100)
"""Best grades of the usual scales: five stars, ten points and per cent."""


def usual_ends(grades: Sequence[float]) -> str:
    """Return the likely scale of some grades as an option's value: ``1:5``."""
    highest = next((end for end in _USUAL_BEST if max(grades) <= end), max(grades))
    lowest = 0 if highest > 10 or min(grades) < 1 else 1  # noqa: PLR2004 - points up to 10 begin with 1, percent with 0
    return f"{lowest}:{highest:g}"


def which_is_best(ends: str) -> str:
    """Return the two ways to write a scale: `` (1:5 if 5 is best, 5:1 if 1 is)``."""
    if ends == OPEN_ENDS:
        return ""
    low, high = ends.split(":")
    return f" ({ends} if {high} is best, {high}:{low} if {low} is)"


def asked_scale(name: str, ends: str, judge: str | None = None) -> str:
    """Return the option for a scale with ``?:?``, and the two ways to complete it."""
    return f"{spelled_scale(name, OPEN_ENDS, judge)}{which_is_best(ends)}"


def ends_question(column: str, ends: str) -> str:
    """Return the question for the ends of a scale: ``1:5`` if 5 is best, ``5:1`` if 1 is."""
    low, high = ends.split(":")
    return f"{column!r} has grades above 1; say its worst and best, {low}:{high} if {high} is best, {high}:{low} if {low} is"


_SIDE_WORDS = frozenset({"left", "right"})
"""Words for a choice between two answers; "right" alone would be a grade."""


def are_sides(words: Iterable[str]) -> bool:
    """Return whether words include both ``left`` and ``right``, a choice between two answers."""
    return set(map(plain_word, words)) >= _SIDE_WORDS


def is_error(text: str) -> bool:
    """Return whether a text is the error of a failed grader: ``ERROR: timeout``."""
    return _ERROR_TEXT.search(plain_word(text)) is not None


def unknown_words(values: Iterable[Any], scale: Scale) -> dict[str, object]:
    """Return the words that are no grade, each with ``?``; empty if any value is a number."""
    words: dict[str, object] = {}
    values = [*values]
    sides = {
        value: UNKNOWN for value in values if isinstance(value, str) and plain_word(value) in _SIDE_WORDS
    }
    if are_sides(sides) and not scale.words.keys() >= _SIDE_WORDS:
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
        errors: Whether the judge's other grades are numbers, so that the text of an error is no grade.
    """
    scores: dict[str, object] = {}
    for word in islice(words, _MAX_SHOWN_WORDS):
        scores[word] = None if errors and is_error(word) else UNKNOWN
    return scores


def no_grade() -> str:
    """Return how to say that a word is no grade, on the command line or in Python."""
    return either("nothing behind the = for no grade", "None for no grade")


def require_chosen_scores(words: Mapping[str, Any]) -> None:
    """Require that no ``?`` was left in a proposed option.

    Raises:
        UsageError: A word's score is still ``?``.
    """
    unknown = {word: UNKNOWN for word, score in words.items() if score == UNKNOWN}
    if unknown:
        raise UsageError(
            f"replace each ? in {spelled_pairs('map_label', unknown)} with a score, 1 for pass, 0 for fail, {no_grade()}"
        )


def as_number(value: Any) -> float | None:
    """Return a value as a number, also with a decimal comma, or None if it is no number."""
    if isinstance(value, str) and "," in value and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
