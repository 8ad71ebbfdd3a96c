"""Maps of words that make every grade the same, so that nothing can be measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import InputError
from ..records.scale import Scale
from ..spelling import flag, spelled_pairs
from .grades import as_number, is_missing, plain_word

PEOPLE = ""
"""Name for the columns of several people together, whose majority is the label."""

_MAX_SHOWN_WORDS = 8


class AlikeGrades:
    """Check that the user's map of words leaves different scores in each column of grades.

    Columns whose values need no map may have one score only, as may a column with a single value.

    Args:
        scales: Scales with the user's words; any of them may allow grades that are all alike.
    """

    def __init__(self, *scales: Scale) -> None:
        self._words = {word: score for scale in scales for word, score in scale.words.items()}
        self._is_allowed = any(scale.all_alike for scale in scales)
        self._values: dict[str, dict[str, str]] = {}
        self._scores: dict[str, dict[float, int]] = {}

    @property
    def is_watching(self) -> bool:
        """True if the user mapped words, and did not allow grades that are all alike."""
        return bool(self._words) and not self._is_allowed

    def note(self, column: str, grades: Iterable[tuple[Any, float | None]]) -> None:
        """Note a column's grades: each value as written, with its score (None or NaN for none)."""
        if not self.is_watching:
            return
        scores = self._scores.setdefault(column, {})
        values = self._values.setdefault(column, {})
        for value, score in grades:
            if len(scores) > 1:  # enough is known about the column
                return
            if is_missing(value):
                continue
            values.setdefault(_word_of(value), str(value))
            if score is not None and score == score:  # noqa: PLR0124 - NaN
                scores[score] = scores.get(score, 0) + 1

    def refuse(self, path: object = None) -> None:
        """Refuse a column whose different values all get one score by the user's words.

        Raises:
            InputError: A column has different values, and one score for all.
        """
        for column, scores in self._scores.items():
            values = self._values[column]
            mapped = {shown: self._words[word] for word, shown in values.items() if word in self._words}
            if len(scores) != 1 or len(values) < 2 or not mapped:  # noqa: PLR2004 - one value has one score
                continue
            ((score, count),) = scores.items()
            verb = "pass" if score == 1.0 else "fail" if score == 0.0 else f"get {score:g}"
            shown = dict([*mapped.items()][:_MAX_SHOWN_WORDS])
            raise InputError(
                f"{spelled_pairs('map_label', shown)} makes all {count:,} grades {verb}; "
                f"give different words different scores, or add {flag('all_alike')}",
                path=path,
                field=column or None,
            )


def _word_of(value: Any) -> str:
    """Return a value as the user's map of words would name it."""
    if isinstance(value, bool):
        return str(value).lower()
    number = None if isinstance(value, str) else as_number(value)
    return plain_word(str(value)) if number is None else plain_word(f"{number:g}")
