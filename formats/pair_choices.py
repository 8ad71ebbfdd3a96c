"""Words and numbers of choices between two outputs, as the score of the first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..tables.column_names import normal
from ..tables.grades import as_number, is_missing, plain_word
from .pair_layouts import ENDS, OUTPUTS, SYSTEMS

TIE = 0.5
_TIE_WORDS = frozenset(
    {"tie", "ties", "tied", "draw", "equal", "equally_good", "same", "both", "both_good", "neither", "even"}
)
_BOTH_BAD_WORDS = frozenset(
    {"both_bad", "bothbad", "tie_bothbad", "tie_both_bad", "both_are_bad", "both_are_bad_tie"}
)
_FAILURE_WORDS = frozenset({"error", "err", "failed", "failure", "invalid", "timeout", "parse_error", "unparsable", "unknown", "nan", "na", "n_a", "none", "null"})  # fmt: skip
"""Words of a judge that failed to choose; the word stays in the reason."""

_COMPARISON = re.compile(r"\A[\[(\"' ]*(a|b|1|2)\s?(>>|>|=|==|<|<<|~|≈|≫|≪)\s?(a|b|1|2)[\])\"' ]*")
_BETTER_SUFFIX = re.compile(
    r"(?:_is)?(?:_(?:much|slightly|significantly|clearly))?_(?:better|best|wins|won|win|preferred)"
)
_FIRST_ENDS = frozenset(first for first, _ in ENDS)
_ORDINAL_WORDS = frozenset({"first", "1st"}), frozenset({"second", "2nd"})


class PairedChoice(NamedTuple):
    """A choice between two outputs.

    Attributes:
        score: 1 if the first is better, 0 if the second, 0.5 for a tie, or None if there is no choice.
        outcome: ``graded``, or the reason why there is no choice.
        is_named: Whether it names an output or a system, so that the order in which they were shown does not matter.
        both_bad: Whether it is a tie because both are bad.
        word: The word, as it is written.
    """

    score: float | None
    outcome: str = "graded"
    is_named: bool = False
    both_bad: bool = False
    word: Any = None


class ChoiceDialect(NamedTuple):
    """Meaning of the numbers and letters in a column of choices.

    Attributes:
        numbers: ``1`` if outputs are numbered 1 and 2, with 0 and 1.5 for ties; ``0`` if 0 and 1; "" if unknown.
        words: Scores that the user gave, by word.
    """

    numbers: str = ""
    words: Mapping[str, float | None] = {}


def choice_of(
    value: Any, dialect: ChoiceDialect, systems: tuple[str, str] | None = None
) -> PairedChoice | None:
    """Return the choice in a cell, or None if it is not known to be one.

    Args:
        value: The cell.
        dialect: The meaning of its column's numbers.
        systems: The names of both systems, which a cell may repeat.
    """
    if is_missing(value):
        return PairedChoice(None, "not_applicable")
    word = _word(value)
    if word in dialect.words:
        score = dialect.words[word]
        return PairedChoice(score, "graded" if score is not None else "not_applicable", word=value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    number = as_number(value)
    if number is not None:
        return _choice_of_number(number, value, dialect)
    return _choice_of_system(str(value), systems) or _choice_of_word(str(value))


def _word(value: Any) -> str:
    number = None if isinstance(value, bool) else as_number(value)
    return plain_word(str(value) if number is None else f"{number:g}")


def _choice_of_number(number: float, value: Any, dialect: ChoiceDialect) -> PairedChoice | None:
    if {"0", "1"} <= dialect.words.keys() and 0.0 < number < 1.0:
        zero, one = dialect.words["0"], dialect.words["1"]
        return None if zero is None or one is None else PairedChoice(zero + number * (one - zero), word=value)
    if dialect.numbers == "0":
        return PairedChoice(1.0 - number, word=value) if number in {0.0, 1.0} else None
    if dialect.numbers != "1":
        return None
    if number in {0.0, 1.5}:
        return PairedChoice(TIE, word=value)
    return PairedChoice(2.0 - number, word=value) if 1.0 <= number <= 2.0 else None  # noqa: PLR2004 - 1 for the first, 2 for the second


def _choice_of_system(text: str, systems: tuple[str, str] | None) -> PairedChoice | None:
    if systems is None or systems[0] == systems[1] or text.strip() not in systems:
        return None
    return PairedChoice(float(text.strip() == systems[0]), is_named=True, word=text)


def _choice_of_word(text: str) -> PairedChoice | None:
    if (comparison := _COMPARISON.fullmatch(text.strip().lower())) is not None:
        return _choice_of_comparison(comparison, text)
    plain = normal(text)
    if plain in _FAILURE_WORDS:
        return PairedChoice(None, "failed", word=text)
    if plain in _TIE_WORDS | _BOTH_BAD_WORDS:
        return PairedChoice(TIE, is_named=True, both_bad=plain in _BOTH_BAD_WORDS, word=text)
    return _choice_of_end(_BETTER_SUFFIX.sub("", plain), text)


def _choice_of_end(name: str, text: str) -> PairedChoice | None:
    """Return the choice of the output whose end a word names, alone or in ``response_a``."""
    for score, ends in zip((1.0, 0.0), _ORDINAL_WORDS, strict=True):
        if {name, name.partition("_")[0]} & ends:
            return PairedChoice(score, word=text)
    stem, mark, last = name.rpartition("_")
    is_named = bool(mark) and stem in OUTPUTS | SYSTEMS
    for first, second in ENDS:
        if last in {first, second} and (is_named or not mark):
            return PairedChoice(float(last == first), is_named=is_named, word=text)
    return None


def _choice_of_comparison(comparison: re.Match[str], text: str) -> PairedChoice | None:
    left, sign, right = comparison.groups()
    if left == right:
        return None
    if sign in {"=", "==", "~", "≈"}:
        return PairedChoice(TIE, word=text)
    better = left if sign in {">", ">>", "≫"} else right
    return PairedChoice(float(better in _FIRST_ENDS), word=text)


_NUMBERING_NAME = re.compile(
    r"(?:^|_)(?:winner|better|best|chosen|choice|pick|selected)(?:_|$)|_(?:id|idx|index)$"
)
"""Names of columns with the number of an output: ``better_response_id``. A preference of 1 may be a share instead."""


def dialect_of(
    name: str, values: Sequence[Any], end: str, words: Mapping[str, float | None]
) -> ChoiceDialect:
    """Return the meaning of the numbers in a column.

    Numbers have a meaning only if the outputs are numbered 1 and 2, or 0 and 1, and no number contradicts that.

    Args:
        name: The column.
        values: First cells of the column.
        end: End of the name of the first output's column.
        words: Scores that the user gave.
    """
    numbers = {
        number for value in values if not isinstance(value, bool) and (number := as_number(value)) is not None
    }
    if end == "0":
        are_output_numbers = numbers <= {0.0, 1.0} and _NUMBERING_NAME.search(normal(name)) is not None
        return ChoiceDialect("0" if are_output_numbers else "", words)
    fit_numbering = all(number == 0.0 or 1.0 <= number <= 2.0 for number in numbers)  # noqa: PLR2004 - 1 for the first, 2 for the second
    return ChoiceDialect("1" if end == "1" and fit_numbering and numbers - {0.0, 1.0, 1.5} else "", words)
