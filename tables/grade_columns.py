"""Search for the columns of people's and judges' grades, by their names and values.

Names alone do not decide: a column called `correct` may grade an answer, or say whether a judge chose rightly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ..records.scale import Scale
from .amount_columns import is_never_grades
from .column_names import (
    FIELDS,
    LABEL_FIELDS,
    RATING_NAMES,
    TABLE_FIELDS,
    is_label_like,
    is_metric,
    is_named_like_grades,
    is_person,
    is_score_like,
    names_judge,
    normal,
)
from .grades import (
    UnknownGradeError,
    as_number,
    grade_score,
    is_above_one,
    is_missing,
    looks_like_verdict,
)
from .table_rows import as_whole

MAX_GRADES = 12
"""Maximum number of different numbers outside the scale that may be grades, such as 1 to 5."""

_MAX_WORD_LENGTH = 30
"""Maximum characters of a word in a column of grades."""
_MAX_WORDS = 20
"""Maximum number of different words in a column of grades; a column with more is text."""


_WEAK_LABEL_NAMES = frozenset(
    {"grade", "annotation", "thumbs", "thumb", "thumbs_up", "gold", "ground_truth", "truth", "correct", "is_correct"}
)  # fmt: skip
"""Names of labels that count only if no other column is named like labels."""

_RESULT_NAMES = frozenset({"correct", "is_correct", "iscorrect", "judge_correct", "judge_is_correct"})
"""Names of labels that as often say whether a judge chose rightly."""

_CHOICE_WORDS = frozenset(
    {"answer", "choice", "choose", "decision", "label", "option", "pick", "picked", "preference", "selection", "verdict", "vote", "winner"}
)  # fmt: skip
"""Last words of the names of choices."""

_TEXT_NAMES = frozenset(
    name for field in ("query", "response", "accepted_answers", "context") for name in FIELDS[field]
)
"""Names of questions and answers, whose single letters (A, B) are no school's grades."""

_MIN_COMPARED_ROWS = 5
"""Minimum number of rows that show that a column compares two others."""


def are_scores(name: str, values: Iterable[Any], is_score: Callable[[Any], bool]) -> bool:
    """Return whether a column's values are scores, apart from those of calls that failed.

    At most half of them may have failed, unless the name says that the column has scores.
    """
    present = [value for value in values if not is_missing(value)]
    failures = [value for value in present if not is_score(value)]
    if is_metric(name) or len(failures) * 2 <= len(present):
        return True
    are_words = all(len(str(value)) <= _MAX_WORD_LENGTH for value in failures)
    return is_score_like(name) and are_words and len(failures) < len(present)


def _last_word(column: str) -> str:
    return normal(column).split("_")[-1]


def _is_above_one(value: Any) -> bool:
    number = as_number(value)
    return number is not None and math.isfinite(number) and is_above_one(number)


class GradeColumns:
    """Search for the columns of grades in one table.

    Args:
        rows: The first rows.
        columns: Known columns, by field.
        scales: Scales of scores and of labels.
        is_reserved: Function that returns whether a column of this name has no grades, whatever its values.

    Attributes:
        present: Names of all columns.
        columns: Columns by field: known ones, and those found so far.
        people: Columns of several people, if no column is the label.
        ignored: Columns that could be a judge's scores but are not used.
        contested: Columns that could each be the label by name, if there are several.
        unnamed: Columns whose values could be scores, and whose names do not say so.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        columns: Mapping[str, str],
        scales: Iterable[Scale],
        is_reserved: Callable[[str], bool],
    ) -> None:
        self._rows = rows
        self._scales = tuple(scales)
        self._is_reserved = is_reserved
        self.present = list(dict.fromkeys(name for row in rows for name in row))
        self.columns = dict(columns)
        self.people: list[str] = []
        self.ignored: list[str] = []
        self.contested: list[str] = []
        self.unnamed: list[str] = []
        self._taken = set(self.columns.values())

    def find_labels(self) -> None:
        """Find the column of labels, or those of several people."""
        if self.people:
            return
        if "label" not in self.columns:
            self._find_named_label()
        people = [column for column in self.free() if is_person(column) and self.may_be_grades(column)]
        if len(people) > 1:
            self.assign_people(people)
            self.contested = []
        if "label" not in self.columns and not self.people and len(people) == 1 and not self.contested:
            self.assign("label", people[0])
        if "label" not in self.columns and not (self.people or self.contested or self._names_judges()):
            ratings = [
                column
                for column in self.free()
                if normal(column) in RATING_NAMES and self.is_on_scale(column)
            ]
            if len(ratings) == 1:
                self.assign("label", ratings[0])

    def _find_named_label(self) -> None:
        """Find the column of labels by name, and note the candidates if there are several."""
        named = ["label"] if "label" in self.present and "label" not in self._taken else []
        named += [
            column
            for column in self.free()
            if column != "label"
            and self._is_label_name(column)
            and not is_person(column)
            and self.may_be_grades(column)
        ]
        named = [column for column in named if normal(column) not in _WEAK_LABEL_NAMES] or named
        clear = [column for column in named if column == "label" or self._is_clearly_grades(column)]
        candidates = clear or named
        if len(candidates) == 1:
            self.assign("label", candidates[0])
        self.contested = candidates if len(candidates) > 1 else []

    def _is_label_name(self, name: str) -> bool:
        normalized = normal(name)
        if self.is_result(name):
            return False
        return normalized in TABLE_FIELDS["label"] or is_label_like(name)

    def _is_clearly_grades(self, name: str) -> bool:
        if is_named_like_grades(name) or self.is_on_scale(name):
            return True
        return all(as_number(value) is not None for value in self.values(name))

    def is_result(self, name: str) -> bool:
        """Return whether a column says that a judge chose what it should have chosen."""
        if normal(name) not in _RESULT_NAMES:
            return False
        judges = [column for column in self.present if column != name and is_score_like(column)]
        choice_words = {_last_word(column) for column in judges} & _CHOICE_WORDS
        others = [column for column in self.present if column != name and column not in judges]
        # ``judge_choice`` beside ``gold_choice``: the column compares the two.
        if any(_last_word(column) in choice_words for column in others):
            return True
        return any(self._compares(name, judge, other) for judge in judges for other in others)

    def _compares(self, name: str, judge: str, other: str) -> bool:
        """Return whether a column is true exactly where two others are equal."""
        columns = (name, judge, other)
        rows = [row for row in self._rows if not any(is_missing(row.get(column)) for column in columns)]
        choices, targets = [str(row[judge]) for row in rows], [str(row[other]) for row in rows]
        is_constant = len(set(choices)) < 2 or len(set(targets)) < 2  # noqa: PLR2004 - a constant tells nothing
        if len(rows) < _MIN_COMPARED_ROWS or is_constant or set(choices) != set(targets):
            return False
        try:
            results = [grade_score(row[name], self._scales[-1]) for row in rows]
        except UnknownGradeError:
            return False
        return results == [float(choice == target) for choice, target in zip(choices, targets, strict=True)]

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
            several: Whether several columns may be scores, one for each judge.
            named: Columns of scores, whatever their names, if they are in the table.
            failures: Whether cells may hold an error instead of a score.
        """
        if failures:
            named = {*named, *filter(self.has_failures, self.free())}
        columns = self._score_columns(several=several, named=named)
        self.ignored = [
            column
            for column in self.free()
            if (is_score_like(column) or self._is_like_judges(column, columns)) and self.may_be_scores(column)
        ]
        return columns

    def _is_like_judges(self, name: str, judges: Sequence[str]) -> bool:
        models = list(filter(names_judge, judges))
        values = set(map(str, self.values(name))) if models else set[str]()
        return any(set(map(str, self.values(judge))) == values for judge in models)

    def _score_columns(self, *, several: bool, named: Collection[str]) -> list[str]:
        self.find_by_usual_name("score", self.may_be_scores)
        if "score" not in self.columns:
            candidates = [
                column
                for column in self.free()
                if column in named
                or (is_score_like(column) and self.may_be_scores(column))
                or self.is_judge(column)
            ]
            on_scale = [
                column for column in candidates if column in named or self.is_on_scale(column)
            ] or candidates
            if len(on_scale) > 1 and several:
                self.assign_judges(on_scale)
                return on_scale
            if len(on_scale) == 1:
                self.assign("score", on_scale[0])
        if "score" not in self.columns and "label" in self.columns:
            self.unnamed = [
                column
                for column in self.free()
                if not (is_label_like(column) or is_person(column))
                and self.may_be_scores(column)
                and self.is_on_scale(column)
            ]
        return [self.columns["score"]] if "score" in self.columns else []

    def is_judge(self, name: str) -> bool:
        """Return whether a column is named after a model or metric, in a table with labels."""
        has_labels = "label" in self.columns or bool(self.people)
        return has_labels and names_judge(name) and self.may_be_grades(name) and self.is_on_scale(name)

    def find_by_usual_name(self, field: str, suits: Callable[[str], bool]) -> None:
        """Find the column of a field by its usual names.

        Args:
            field: The field.
            suits: Function that returns whether a column's values could be those of the field.
        """
        if field in self.columns:
            return
        # A column with the field's own name counts whatever its values.
        if field in self.present and field not in self._taken:
            self.assign(field, field)
            return
        by_name = {normal(column): column for column in reversed(self.free())}
        for alias in TABLE_FIELDS[field]:
            if alias in by_name and suits(by_name[alias]):
                self.assign(field, by_name[alias])
                return

    def find_judge(self) -> None:
        """Find the column of judges' names; a column `judge` of grades is a judge's score instead."""
        if not self._judge_column_has_grades():
            self.find_by_usual_name("judge", self.may_be_names)
        elif "score" not in self.columns:
            self.assign("score", "judge")

    def _names_judges(self) -> bool:
        return "judge" in self.columns or any(
            normal(column) in TABLE_FIELDS["judge"] for column in self.free()
        )

    def _judge_column_has_grades(self) -> bool:
        """Return whether the column ``judge`` has grades, and no other column is called a score."""
        if "judge" not in self.present or "judge" in self._taken or "judge" in self.columns:
            return False
        if "score" in self.columns or any(normal(column) in TABLE_FIELDS["score"] for column in self.present):
            return False
        values = set(map(str, self.values("judge")))
        labels = [self.columns["label"]] if self.columns.get("label") else self.people
        equals_labels = any(values == set(map(str, self.values(label))) for label in labels)
        return len(values) > 1 and (equals_labels or self.is_on_scale("judge"))

    def assign(self, field: str, column: str) -> None:
        """Assign a column to a field."""
        self.columns[field] = column
        self._taken.add(column)

    def free(self) -> list[str]:
        """Return the columns that are not yet assigned to a field, a person or a judge."""
        return [
            column for column in self.present if column not in self._taken and not self._is_reserved(column)
        ]

    def values(self, name: str) -> list[Any]:
        """Return the values of a column, without empty cells."""
        return [row[name] for row in self._rows if name in row and not is_missing(row[name])]

    def may_be_names(self, name: str) -> bool:
        """Return whether a column's values could be names."""
        names = map(as_whole, self.values(name))
        return all(isinstance(value, str | int) and not isinstance(value, bool) for value in names)

    def is_on_scale(self, name: str) -> bool:
        """Return whether there are values, and each is a grade on a scale."""
        values = self.values(name)
        return bool(values) and all(map(self._is_readable, values))

    def has_failures(self, name: str) -> bool:
        """Return whether a column is named like scores and holds them, some of which failed."""
        if not is_score_like(name) or is_never_grades(name):
            return False
        values = self.values(name)
        failed = [value for value in values if not self._is_readable(value)]
        return (
            bool(failed)
            and not any(map(_is_above_one, failed))
            and are_scores(name, values, self._is_readable)
        )

    def may_be_grades(self, name: str) -> bool:
        """Return whether a column's values could be grades, on a known scale or another."""
        values = self.values(name)
        if (
            is_never_grades(name)
            or normal(name) in LABEL_FIELDS["by"]
            or not values
            or not all(isinstance(value, str | int | float) for value in values)
        ):
            return False
        unknown = {value for value in values if not self._is_readable(value)}
        if not unknown:
            return True
        if None not in map(as_number, unknown):
            return len(unknown) <= MAX_GRADES
        words = {str(value) for value in unknown}
        repeat_like_grades = len(words) <= min(_MAX_WORDS, max(2, len(values) // 2))
        return repeat_like_grades and all(len(word) <= _MAX_WORD_LENGTH for word in words)

    def may_be_scores(self, name: str) -> bool:
        """Return whether a column's values could be a judge's: grades, or words like verdicts."""
        if not self.may_be_grades(name):
            return False
        values = self.values(name)
        has_grades = any(self._is_readable(value) or as_number(value) is not None for value in values)
        if not has_grades and normal(name) in _TEXT_NAMES:
            return False
        is_choice = is_score_like(name) and _last_word(name) in _CHOICE_WORDS
        return (
            has_grades
            or is_choice
            or is_named_like_grades(name)
            or any(map(looks_like_verdict, map(str, values)))
        )

    def _is_readable(self, value: Any) -> bool:
        """Return whether a value is a grade on one of the scales."""
        for scale in self._scales:
            try:
                grade_score(value, scale)
            except UnknownGradeError:
                continue
            return True
        return False
