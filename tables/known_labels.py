"""Labels of which only the user knows the column, or which values are good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .asked_choices import AskedChoices, counted_values
from .column_names import LABEL_FIELDS, TABLE_FIELDS, normal
from .fault_columns import ask_direction, is_fault
from .grade_columns import GradeColumns
from .grades import UNKNOWN, GradeScale, no_grade, unknown_words

_ALONE = frozenset(LABEL_FIELDS["label"]) - frozenset(TABLE_FIELDS["label"])
"""Names of grades that mean labels where there are no judges: ``verdict``, ``value``."""


def ask_labels(asked: AskedChoices, grades: GradeColumns, scale: GradeScale) -> None:
    """Ask which column is the label if several contest it, and which of its values are good."""
    if grades.contested:
        listed = " and ".join(
            f"{each!r} ({counted_values(grades.values(each))})" for each in grades.contested
        )
        asked.column("label", grades.contested, f"{listed} could each be the label")
    for column in label_names(grades):
        ask_direction(asked, column, grades.values(column), scale, others=other_grades(grades, column))


def label_by_name(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], scale: GradeScale, path: object
) -> str | None:
    """Return the column of labels in a table of labels; None if no name means one.

    Raises:
        ChoiceNeeded: Several could be.
    """
    grades = GradeColumns(rows, columns, (scale,), lambda _: False)
    grades.find_labels()
    if "label" not in grades.columns and not grades.contested:
        further = [each for each in grades.free() if normal(each) in _ALONE and grades.may_be_grades(each)]
        if len(further) == 1:
            return further[0]
        grades.contested = further
    if grades.contested:
        asked = AskedChoices(rows)
        ask_labels(asked, grades, scale)
        raise asked.error(path=path, column="label")
    return grades.columns.get("label")


def other_grades(grades: GradeColumns, column: str) -> list[Any]:
    """Return the values of other columns of grades, which are not named after a fault."""
    others = [each for each in grades.present if each != column and not is_fault(each)]
    return [value for each in others if grades.may_be_scores(each) for value in grades.values(each)]


def label_names(grades: GradeColumns) -> list[str]:
    """Return the columns of labels that were found: one, or one for each person."""
    label = grades.columns.get("label")
    return [*([] if label is None else [label]), *grades.people]


def require_known_labels(grades: GradeColumns, rows: Sequence[Mapping[str, Any]], scale: GradeScale) -> None:
    """Refuse labels of which only the user knows the column, or which values are good.

    A word that occurs once beside known ones is a bad cell, which its row reports.

    Raises:
        ChoiceNeeded: It is one; the message has the options that ask for it.
    """
    asked = AskedChoices(rows)
    ask_labels(asked, grades, scale)
    for column in label_names(grades):
        values = grades.values(column)
        words = unknown_words(values, scale)
        counts = Counter(map(str, values))
        is_known = len(words) < len(counts)
        if (
            words
            and grades.may_be_grades(column)
            and not (is_known and max(map(counts.__getitem__, words)) == 1)
        ):
            question = f"{column!r} has words that are not known: {counted_values(values)}"
            asked.words(column, words, question)
    if asked.choices:
        names = [*label_names(grades), *grades.contested]
        raise asked.error(
            remedy=f"replace each {UNKNOWN}, a word's with 1 for pass, 0 for fail, {no_grade()}",
            column=names[0],
        )
