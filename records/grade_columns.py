"""Columns of people's and judges' grades, found by name and content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .column_names import FIELDS, TABLE_FIELDS, is_label_like, is_person, is_score_like, normal
from .grades import GradeScale, UnknownGradeError, as_number, is_missing

MOST_GRADES = 12
"""Numbers outside the scale are grades only if so few different ones occur, such as 1 to 5."""

_LONGEST_WORD = 30
_MOST_WORDS = 20
"""A column with more different words is a text, not a grade."""


_RATINGS = (
    "rating",
    "user_rating",
    "feedback",
    "user_feedback",
    "vote",
    "liked",
    "ok",
    "is_ok",
    "okay",
    "approved",
)
"""Columns of grades by users of a product, if all values are grades and no judge is named; often they are texts, or scores."""


def is_rating(name: str) -> bool:
    """Return whether a name means grades by people, such as ``thumbs`` or ``user_rating``."""
    plain = normal(name)
    return plain in _RATINGS or plain in FIELDS["label"] or is_label_like(name)


class GradeColumns:
    """Finder of the columns of one table.

    Args:
        rows: The first rows.
        columns: Columns that are known, by name of their field.
        scales: What may be read as a grade: the meaning of scores, and that of labels.
        reserved: Names of columns that never hold grades, whatever their values.

    Attributes:
        present: Names of all columns.
        columns: Those that are known or were found, by name of their field.
        people: Columns of several people, if no column is the label.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        columns: Mapping[str, str],
        scales: Iterable[GradeScale],
        reserved: Callable[[str], bool],
    ) -> None:
        self._rows = rows
        self._scales = tuple(scales)
        self._reserved = reserved
        self.present = list(dict.fromkeys(name for row in rows for name in row))
        self.columns = dict(columns)
        self.people: list[str] = []
        self._taken = set(self.columns.values())

    def find_labels(self) -> None:
        """Find the column of labels, or those of several people."""
        if self.people:
            return
        self.find_usual("label", self.is_grade)
        people = [each for each in self.free() if is_person(each) and self.is_grade(each)]
        if len(people) > 1:
            self.take_people(people)
        if "label" not in self.columns and not self.people:  # one person is the label
            self._find_like("label", is_label_like)
        if "label" not in self.columns and not self.people and "judge" not in self.columns:
            rated = [each for each in self.free() if normal(each) in _RATINGS and self.fits(each)]
            if len(rated) == 1:
                self.take("label", rated[0])

    def take_people(self, people: Iterable[str]) -> None:
        """Name the columns of several people's labels."""
        self.people = list(people)
        self._taken |= set(self.people)

    def find_scores(self, *, several: bool) -> list[str]:
        """Return the columns of judges' scores; none if nothing tells.

        Args:
            several: Whether several columns may be scores, each of a judge.
        """
        self.find_usual("score", self.is_grade)
        if "score" not in self.columns:
            like = [each for each in self.free() if is_score_like(each) and self.is_grade(each)]
            fitting = [each for each in like if self.fits(each)] or like
            if len(fitting) > 1 and several:
                self._taken |= set(fitting)
                return fitting
            if len(fitting) == 1:
                self.take("score", fitting[0])
        if "score" not in self.columns and "label" in self.columns:
            candidates = [each for each in self.free() if self.is_grade(each) and self.fits(each)]
            if len(candidates) == 1:
                self.take("score", candidates[0])
        return [self.columns["score"]] if "score" in self.columns else []

    def find_usual(self, ours: str, suits: Callable[[str], bool]) -> None:
        """Find the column of a field by its usual names."""
        if ours in self.columns:
            return
        if ours in self.present and ours not in self._taken:  # its own name counts, whatever is in it
            self.take(ours, ours)
            return
        by_name = {normal(each): each for each in reversed(self.free())}
        for alias in TABLE_FIELDS[ours]:
            if alias in by_name and suits(by_name[alias]):
                self.take(ours, by_name[alias])
                return

    def take(self, ours: str, theirs: str) -> None:
        """Name the column of a field."""
        self.columns[ours] = theirs
        self._taken.add(theirs)

    def free(self) -> list[str]:
        """Return the columns that are none of a field yet."""
        return [each for each in self.present if each not in self._taken and not self._reserved(each)]

    def values(self, name: str) -> list[Any]:
        """Return the values of a column, without empty cells."""
        return [row[name] for row in self._rows if name in row and not is_missing(row[name])]

    def is_name(self, name: str) -> bool:
        """Return whether a column's values could be names."""
        return all(
            isinstance(value, str | int) and not isinstance(value, bool) for value in self.values(name)
        )

    def fits(self, name: str) -> bool:
        """Return whether every value is a grade on the scale."""
        values = self.values(name)
        return bool(values) and all(map(self._can_be_read, values))

    def is_grade(self, name: str) -> bool:
        """Return whether a column's values could be grades, known or not."""
        values = self.values(name)
        if not values or not all(isinstance(value, str | int | float) for value in values):
            return False
        unknown = {value for value in values if not self._can_be_read(value)}
        if not unknown:
            return True
        if None not in map(as_number, unknown):
            return len(unknown) <= MOST_GRADES
        words = {str(value) for value in unknown}
        return len(words) <= min(_MOST_WORDS, max(2, len(values) // 2)) and all(
            len(each) <= _LONGEST_WORD for each in words
        )

    def _find_like(self, ours: str, like: Callable[[str], bool]) -> None:
        found = [each for each in self.free() if like(each) and self.is_grade(each)]
        fitting = [each for each in found if self.fits(each)] or found
        if len(fitting) == 1:
            self.take(ours, fitting[0])

    def _can_be_read(self, value: Any) -> bool:
        for scale in self._scales:
            try:
                scale.score(value)
            except UnknownGradeError:
                continue
            return True
        return False
