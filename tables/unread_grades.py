"""Errors for values that are no grades, with the options that make them readable."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..records.scale import Scale
from ..spelling import spelled_pairs
from .asked_choices import AskedChoices
from .column_names import is_named_like_grades
from .grades import (
    UnknownGradeError,
    as_number,
    grade_score,
    looks_like_verdict,
    no_grade,
    open_scores,
    usual_ends,
)

_MAX_SHOWN_VALUES = 8
_MAX_VALUE_CHARS = 60
_MAX_EXAMPLE_ROWS = 3


class UnreadGrades:
    """Values of a column that are not grades.

    Args:
        rows: Rows of the table, beginning with the first that has such a value.
        column: The column.
        scale: The scale of its grades.
        has_grades: Whether earlier rows have grades.
    """

    def __init__(
        self,
        rows: Iterable[tuple[int, Mapping[str, Any]]],
        column: str,
        scale: Scale,
        *,
        has_grades: bool = False,
    ) -> None:
        self.counts = Counter[str]()
        self.values: dict[str, Any] = {}
        self._column, self._scale, self._has_grades = column, scale, has_grades
        self._rows: list[Mapping[str, Any]] = []
        self._readable_zero: list[float] = []
        for _, row in rows:
            try:
                score = grade_score(row.get(column), scale)
                self._has_grades |= score is not None
                # A 0 that was readable shows that another scale begins at 0, too.
                if score == 0.0 and as_number(row.get(column)) == 0.0:
                    self._readable_zero = [0.0]
            except UnknownGradeError as error:
                shown = repr(error.value)
                if shown not in self.values and len(self._rows) < _MAX_EXAMPLE_ROWS:
                    self._rows.append(row)
                self.counts[shown] += 1
                self.values.setdefault(shown, error.value)

    def error(
        self, name: str, judge: str | None = None, *, path: object = None, line: int | None = None, field: str
    ) -> InputError:
        """Return the error, with open arguments if these would make the values readable.

        Args:
            name: The setting of the column's scale.
            judge: The judge whose scale the setting gives, or None for all judges.
            path: The file.
            line: The line of the first value.
            field: The column to name.
        """
        listed = ", ".join(
            f"{_short(shown)}{'' if count == 1 else f' ({count:,} times)'}"
            for shown, count in list(self.counts.items())[:_MAX_SHOWN_VALUES]
        )
        more = (
            ""
            if len(self.counts) <= _MAX_SHOWN_VALUES
            else f" and {len(self.counts) - _MAX_SHOWN_VALUES:,} other values"
        )
        worst, best = self._scale.ends
        expected = f"from {worst:g} to {best:g}" if self._scale.is_declared else "in [0, 1]"
        problem = f"expected a number {expected} or null, got {listed}{more}"
        asked = AskedChoices(self._rows, first=self._column)
        remedy = self._ask(asked, name, judge)
        if not asked.choices:
            return InputError(f"{problem}; {remedy}", path=path, line=line, field=field)
        return asked.error(problem, remedy, path=path, line=line, column=field)

    def _ask(self, asked: AskedChoices, name: str, judge: str | None) -> str:
        """Ask what the values mean, and return the words before the options."""
        words = [
            value for value in self.values.values() if isinstance(value, str) and as_number(value) is None
        ]
        numbers = [number for value in self.values.values() if (number := as_number(value)) is not None]
        finite = [number for number in numbers if math.isfinite(number)]
        if not words and (len(finite) < len(self.values) or not finite):
            return "replace these values with numbers, or with words such as pass and fail"
        has_grades = self._has_grades or bool(finite)
        is_score, shown_name = name == "score_scale", judge or self._column
        is_verdict = is_named_like_grades(shown_name) or any(map(looks_like_verdict, words))
        if words and is_score and not (has_grades or is_verdict):
            return f"{shown_name!r} does not look like a judge's score. Name the score column: {spelled_pairs('map', {'score': 'COLUMN'})}"
        remedies: list[str] = []
        if words:
            scores = open_scores(words, errors=is_score and has_grades)
            correct = (
                "correct these cells, or say what each word means"
                if is_score and has_grades
                else "say what it means"
            )
            if not is_score and not has_grades:
                none = spelled_pairs("map", {"label": ""})
                correct = f"if it holds no grades, {none}; else {correct}"
            remedies.append(f"{correct}, 1 for pass, 0 for fail, {no_grade()}")
            asked.words(self._column, scores, "")
        if finite:
            remedies.append(self._scale_remedy(finite))
            asked.scale(name, self._column, "", judge)
        return "; ".join(remedies)

    def _scale_remedy(self, finite: Sequence[float]) -> str:
        """Return the words that ask for a scale with room for these numbers and the known ends."""
        ends = [*finite, *self._readable_zero, *(self._scale.ends if self._scale.is_declared else ())]
        furthest = max(map(abs, ends))
        likely_ends = usual_ends(ends) if min(ends) >= 0 else f"{-furthest:g}:{furthest:g}"
        low, high = likely_ends.split(":")
        return f"for another scale say its worst and best grade, {likely_ends} if {high} is best, {high}:{low} if {low} is"


def _short(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[: _MAX_VALUE_CHARS - 3]}..."
