"""Labels of which only the user knows the column, or which values are good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..records.scale import UNDECLARED_SCALE, Scale
from .asked_choices import AskedChoices, counted_values
from .column_names import LABEL_FIELDS, TABLE_FIELDS, map_options, normal
from .fault_columns import ask_direction, is_fault
from .grade_columns import GradeColumns
from .grades import UNKNOWN, is_error, no_grade, unknown_words

_ALONE = frozenset(LABEL_FIELDS["label"]) - frozenset(TABLE_FIELDS["label"])
"""Names of grades that mean labels where there are no judges: ``verdict``, ``value``."""


def ask_labels(asked: AskedChoices, grades: GradeColumns, scale: Scale) -> None:
    """Ask which column is the label if several contest it, and which of its values are good."""
    if grades.contested:
        listed = " and ".join(
            f"{each!r} ({counted_values(grades.values(each))})" for each in grades.contested
        )
        asked.column("label", grades.contested, f"{listed} could each be the label")
    for column in filter(is_fault, label_names(grades)):
        ask_direction(asked, column, grades.values(column), scale, others=other_grades(grades, column))


def label_by_name(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], scale: Scale, path: object
) -> str | None:
    """Return the column of labels in a table of labels, or None if no name means one.

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
    return [value for other in others if grades.may_be_scores(other) for value in grades.values(other)]


def require_one_label(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], scale: Scale, path: object
) -> None:
    """Refuse a table beside cases of which several columns could be the label by name.

    Raises:
        ChoiceNeeded: Several could be.
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
    return [each for each in free if grades.may_be_scores(each)]


def label_names(grades: GradeColumns) -> list[str]:
    """Return the columns of labels that were found: one, or one for each person."""
    label = grades.columns.get("label")
    return [*([] if label is None else [label]), *grades.people]


def require_known_labels(grades: GradeColumns, rows: Sequence[Mapping[str, Any]], scale: Scale) -> None:
    """Refuse labels of which only the user knows the column, or the direction of a fault.

    Raises:
        ChoiceNeeded: It is one; the message has the options that ask for it.
    """
    asked = AskedChoices(rows)
    ask_labels(asked, grades, scale)
    if asked.choices:
        raise asked.error(column=[*label_names(grades), *grades.contested][0])


def require_known_words(
    grades: GradeColumns, rows: Sequence[Mapping[str, Any]], scales: Mapping[str, Scale]
) -> None:
    """Refuse columns of labels and scores with words that only the user knows.

    A word that occurs once beside known ones is a bad cell, which its row reports, as is the text of an error.

    Args:
        grades: The columns.
        rows: First rows of the table.
        scales: Meaning of the grades in each column.

    Raises:
        ChoiceNeeded: There are some; the message has the options that ask for them.
    """
    asked, unread = AskedChoices(rows), dict[str, str]()
    for column, scale in scales.items():
        values = grades.values(column)
        counts = Counter(map(str, values))
        words = {each: score for each, score in unknown_words(values, scale).items() if not is_error(each)}
        is_known = len(words) < len(counts)
        repeats = any(counts[word] > 1 for word in words)
        if words and grades.may_be_grades(column) and (repeats or not is_known):
            question = f"{column!r} has words that are not known: {counted_values(values)}"
            asked.words(column, words, question)
            unread["label" if column in label_names(grades) else "score"] = ""
    if asked.choices:
        none = f"if it holds no grades, {map_options(unread)}; else "
        raise asked.error(remedy=f"{none}replace each {UNKNOWN}, 1 for pass, 0 for fail, {no_grade()}")
