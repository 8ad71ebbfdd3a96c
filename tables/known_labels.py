"""Columns of labels that are known, and questions where only the user knows.

The user may have to say which column is the label, which of its values are good, or what its words mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..records.scale import UNDECLARED_SCALE, Scale
from .asked_choices import AskedChoices, counted_values
from .column_names import LABEL_FIELDS, TABLE_FIELDS, normal
from .fault_columns import ask_direction, is_fault
from .grade_columns import GradeColumns
from .grades import UNKNOWN, is_error, no_grade, unknown_words
from .named_columns import map_options

_LABEL_NAMES_WITHOUT_JUDGES = frozenset(LABEL_FIELDS["label"]) - frozenset(TABLE_FIELDS["label"])
"""Names that mean labels in a table without judges: ``verdict``, ``value``."""


def ask_labels(asked: AskedChoices, grades: GradeColumns, scale: Scale) -> None:
    """Ask which column is the label if several could be, and which of its values are good."""
    if grades.contested:
        listed = " and ".join(
            f"{column!r} ({counted_values(grades.values(column))})" for column in grades.contested
        )
        asked.column("label", grades.contested, f"{listed} could each be the label")
    for column in filter(is_fault, label_names(grades)):
        ask_direction(asked, column, grades.values(column), scale, others=other_grades(grades, column))


def label_by_name(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], scale: Scale, path: object
) -> str | None:
    """Return the column of labels in a table of labels, or None if no name means one.

    Raises:
        ChoiceNeeded: Several columns could be the label.
    """
    grades = GradeColumns(rows, columns, (scale,), lambda _: False)
    grades.find_labels()
    if "label" not in grades.columns and not grades.contested:
        candidates = [
            column
            for column in grades.free()
            if normal(column) in _LABEL_NAMES_WITHOUT_JUDGES and grades.may_be_grades(column)
        ]
        if len(candidates) == 1:
            return candidates[0]
        grades.contested = candidates
    if grades.contested:
        asked = AskedChoices(rows)
        ask_labels(asked, grades, scale)
        raise asked.error(path=path, column="label")
    return grades.columns.get("label")


def other_grades(grades: GradeColumns, column: str) -> list[Any]:
    """Return the values of all other columns of grades that are not named after a fault."""
    others = [name for name in grades.present if name != column and not is_fault(name)]
    return [value for other in others if grades.may_be_scores(other) for value in grades.values(other)]


def require_one_label(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], scale: Scale, path: object
) -> None:
    """Require that no two columns of a table joined to cases could be the label by name.

    Raises:
        ChoiceNeeded: Several columns could be the label.
    """
    grades = GradeColumns(rows, columns, (scale,), lambda _: False)
    grades.find_labels()
    if grades.contested:
        asked = AskedChoices(rows)
        grades.people = []
        ask_labels(asked, grades, scale)
        raise asked.error(path=path, column="label")


def possible_labels(rows: Sequence[Mapping[str, Any]], free: Sequence[str]) -> list[str]:
    """Return the columns that could be labels by their values."""
    grades = GradeColumns(
        [{name: row.get(name) for name in free} for row in rows], {}, (UNDECLARED_SCALE,), lambda _: False
    )
    return [column for column in free if grades.may_be_scores(column)]


def label_names(grades: GradeColumns) -> list[str]:
    """Return the columns of labels: the only one, or one for each person."""
    label = grades.columns.get("label")
    return [*([] if label is None else [label]), *grades.people]


def require_known_labels(grades: GradeColumns, rows: Sequence[Mapping[str, Any]], scale: Scale) -> None:
    """Require that the column of labels is known, and which of its values are good.

    Raises:
        ChoiceNeeded: Only the user knows; the message has the options that ask.
    """
    asked = AskedChoices(rows)
    ask_labels(asked, grades, scale)
    if asked.choices:
        raise asked.error(column=[*label_names(grades), *grades.contested][0])


def require_known_words(
    grades: GradeColumns, rows: Sequence[Mapping[str, Any]], scales: Mapping[str, Scale]
) -> None:
    """Require that the words of labels and scores are known.

    A single unknown word among known ones is a bad cell, which is reported with its row; so is the text of an error.

    Args:
        grades: The columns.
        rows: First rows of the table.
        scales: Scale of the grades in each column.

    Raises:
        ChoiceNeeded: Only the user knows some of the words; the message has the options that ask.
    """
    asked, unused_fields = AskedChoices(rows), dict[str, str]()
    for column, scale in scales.items():
        values = grades.values(column)
        counts = Counter(map(str, values))
        words = {word: score for word, score in unknown_words(values, scale).items() if not is_error(word)}
        has_known_words = len(words) < len(counts)
        unknown_word_repeats = any(counts[word] > 1 for word in words)
        if words and grades.may_be_grades(column) and (unknown_word_repeats or not has_known_words):
            question = f"{column!r} has words that are not known: {counted_values(values)}"
            asked.words(column, words, question)
            unused_fields["label" if column in label_names(grades) else "score"] = ""
    if asked.choices:
        no_grades = f"if it holds no grades, {map_options(unused_fields)}; else "
        raise asked.error(remedy=f"{no_grades}replace each {UNKNOWN}, 1 for pass, 0 for fail, {no_grade()}")
