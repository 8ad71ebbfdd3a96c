"""Columns of people's and judges' grades, found by name and content."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from .column_names import (
    FIELDS,
    TABLE_FIELDS,
    is_label_like,
    is_metric,
    is_named_like_grades,
    is_person,
    is_score_like,
    normal,
)
from .grades import (
    GradeScale,
    UnknownGradeError,
    as_number,
    is_above_one,
    is_missing,
    looks_like_verdict,
)
from .table_rows import as_whole

MOST_GRADES = 12
"""Maximum number of different numbers outside the scale that may be grades, such as 1 to 5."""

_LONGEST_WORD = 30
_MOST_WORDS = 20
"""Maximum number of different words in a column of grades; a column with more holds texts."""


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
"""Names of columns with grades by a product's users. Many hold texts or scores, so all values must be grades, and no
column may name a judge."""


def is_rating(name: str) -> bool:
    """Return whether a column's name means grades by people: ``thumbs``, ``user_rating``."""
    plain = normal(name)
    return plain in _RATINGS or plain in FIELDS["label"] or is_label_like(name)


def are_scores(name: str, values: Iterable[Any], is_score: Callable[[Any], bool]) -> bool:
    """Return whether values of a column are scores, some of which may have failed.

    Unless its name says more, no more values may have failed than not.
    """
    present = [value for value in values if not is_missing(value)]
    failed = [value for value in present if not is_score(value)]
    if is_metric(name) or len(failed) * 2 <= len(present):
        return True
    are_words = all(len(str(value)) <= _LONGEST_WORD for value in failed)
    return is_score_like(name) and are_words and len(failed) < len(present)


def _shows_scale(value: Any) -> bool:
    """Return whether a value is a number that shows another scale than from 0 to 1."""
    number = as_number(value)
    return number is not None and math.isfinite(number) and is_above_one(number)


class GradeColumns:
    """Search for the columns of grades in one table.

    Args:
        rows: The first rows.
        columns: Known columns, by field.
        scales: Scales of scores and of labels.
        is_reserved: Function that tells whether a column of this name never holds grades, whatever its values.

    Attributes:
        present: Names of all columns.
        columns: Columns by field: the known ones, and those that were found.
        people: Columns of several people, if no column is the label.
        ignored: Columns that could hold a judge's scores but are not used.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        columns: Mapping[str, str],
        scales: Iterable[GradeScale],
        is_reserved: Callable[[str], bool],
    ) -> None:
        self._rows = rows
        self._scales = tuple(scales)
        self._is_reserved = is_reserved
        self.present = list(dict.fromkeys(name for row in rows for name in row))
        self.columns = dict(columns)
        self.people: list[str] = []
        self.ignored: list[str] = []
        self._taken = set(self.columns.values())

    def find_labels(self) -> None:
        """Find the column of labels, or those of several people."""
        if self.people:
            return
        self.find_by_usual_name("label", self.may_be_grades)
        people = [each for each in self.free() if is_person(each) and self.may_be_grades(each)]
        if len(people) > 1:
            self.assign_people(people)
        if "label" not in self.columns and not self.people:  # one person is the label
            self._find_by_likeness("label", is_label_like)
        if "label" not in self.columns and not self.people and "judge" not in self.columns:
            rated = [each for each in self.free() if normal(each) in _RATINGS and self.is_on_scale(each)]
            if len(rated) == 1:
                self.assign("label", rated[0])

    def assign_people(self, people: Iterable[str]) -> None:
        """Assign columns to several people, one each."""
        self.people = list(people)
        self._taken |= set(self.people)

    def assign_judges(self, judges: Iterable[str]) -> None:
        """Assign columns to several judges, one each."""
        self._taken |= set(judges)

    def find_scores(self, *, several: bool, named: Collection[str] = (), failures: bool = False) -> list[str]:
        """Return the columns of judges' scores; empty if none is clear.

        Args:
            several: Whether several columns may be scores, each of a judge.
            named: Columns that hold scores whatever their names, if they are in the table.
            failures: Whether some cells of a column may have failed.
        """
        if failures:
            named = {*named, *filter(self.has_failures, self.free())}
        columns = self._score_columns(several=several, named=named)
        self.ignored = [each for each in self.free() if is_score_like(each) and self.may_be_scores(each)]
        return columns

    def _score_columns(self, *, several: bool, named: Collection[str]) -> list[str]:
        self.find_by_usual_name("score", self.may_be_scores)
        if "score" not in self.columns:
            like = [
                each
                for each in self.free()
                if each in named or (is_score_like(each) and self.may_be_scores(each))
            ]
            on_scale = [each for each in like if each in named or self.is_on_scale(each)] or like
            if len(on_scale) > 1 and several:
                self.assign_judges(on_scale)
                return on_scale
            if len(on_scale) == 1:
                self.assign("score", on_scale[0])
        if "score" not in self.columns and "label" in self.columns:
            candidates = [each for each in self.free() if self.may_be_grades(each) and self.is_on_scale(each)]
            if len(candidates) == 1:
                self.assign("score", candidates[0])
        return [self.columns["score"]] if "score" in self.columns else []

    def find_by_usual_name(self, field: str, suits: Callable[[str], bool]) -> None:
        """Find the column of a field by its usual names."""
        if field in self.columns:
            return
        # A column with the field's own name counts whatever its values.
        if field in self.present and field not in self._taken:
            self.assign(field, field)
            return
        by_name = {normal(each): each for each in reversed(self.free())}
        for alias in TABLE_FIELDS[field]:
            if alias in by_name and suits(by_name[alias]):
                self.assign(field, by_name[alias])
                return

    def assign(self, field: str, column: str) -> None:
        """Assign a column to a field."""
        self.columns[field] = column
        self._taken.add(column)

    def free(self) -> list[str]:
        """Return the columns that no field has yet."""
        return [each for each in self.present if each not in self._taken and not self._is_reserved(each)]

    def values(self, name: str) -> list[Any]:
        """Return the values of a column, without empty cells."""
        return [row[name] for row in self._rows if name in row and not is_missing(row[name])]

    def may_be_names(self, name: str) -> bool:
        """Return whether a column's values could be names."""
        names = map(as_whole, self.values(name))
        return all(isinstance(each, str | int) and not isinstance(each, bool) for each in names)

    def is_on_scale(self, name: str) -> bool:
        """Return whether there are values, and each is a grade on a scale."""
        values = self.values(name)
        return bool(values) and all(map(self._is_readable, values))

    def has_failures(self, name: str) -> bool:
        """Return whether a column is named like scores and holds them, some of which failed."""
        values = self.values(name)
        failed = [value for value in values if not self._is_readable(value)]
        return (
            is_score_like(name)
            and bool(failed)
            and not any(map(_shows_scale, failed))
            and are_scores(name, values, self._is_readable)
        )

    def may_be_grades(self, name: str) -> bool:
        """Return whether a column's values could be grades, on a known scale or another."""
        values = self.values(name)
        if not values or not all(isinstance(value, str | int | float) for value in values):
            return False
        unknown = {value for value in values if not self._is_readable(value)}
        if not unknown:
            return True
        if None not in map(as_number, unknown):
            return len(unknown) <= MOST_GRADES
        words = {str(value) for value in unknown}
        return len(words) <= min(_MOST_WORDS, max(2, len(values) // 2)) and all(
            len(each) <= _LONGEST_WORD for each in words
        )

    def may_be_scores(self, name: str) -> bool:
        """Return whether values could be a judge's: grades, or words like verdicts."""
        if not self.may_be_grades(name):
            return False
        values = self.values(name)
        known = any(self._is_readable(value) or as_number(value) is not None for value in values)
        return known or is_named_like_grades(name) or any(map(looks_like_verdict, map(str, values)))

    def _find_by_likeness(self, field: str, is_like: Callable[[str], bool]) -> None:
        candidates = [each for each in self.free() if is_like(each) and self.may_be_grades(each)]
        on_scale = [each for each in candidates if self.is_on_scale(each)] or candidates
        if len(on_scale) == 1:
            self.assign(field, on_scale[0])

    def _is_readable(self, value: Any) -> bool:
        for scale in self._scales:
            try:
                scale.score(value)
            except UnknownGradeError:
                continue
            return True
        return False
