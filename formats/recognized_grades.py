"""Columns of grades in an imported table, recognised as in a table of scores."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..records.column_names import (
    TABLE_FIELDS,
    is_number_field,
    is_person,
    is_score_like,
    normal,
    people_columns,
    people_named_by_user,
    resolve,
)
from ..records.grade_columns import GradeColumns
from ..records.grades import GradeScale, UnknownGradeError, as_number, usual_ends
from .file_rows import FileRow
from .import_options import Options

LOOKED_AT = 512
"""Rows by which columns of grades are found."""


class RecognizedGrades(NamedTuple):
    """Columns of grades recognised by a table's first rows, besides those known by name.

    Attributes:
        label: The column of a person's grades.
        judges: Columns of judges' scores.
        unscaled: Columns of grades with numbers above 1 and no scale, with their likely one, ``1:5``. In these, 1 may be the worst grade.
        unit: Columns whose numbers are at most 1 so far and have no scale: of labels, and of scores.
    """

    label: str | None = None
    judges: tuple[str, ...] = ()
    unscaled: Mapping[str, str] = {}
    unit: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    def refuse_late_scale(self, row: FileRow, grades: GradeScale) -> None:
        """Refuse a number above 1 in a column that was read as grades from 0 to 1.

        Raises:
            InputError: There is one; of the grades before it 1 may be the worst.
        """
        labels, scores = self.unit
        for column in (*labels, *scores):
            number = as_number(row.value.get(column))
            if number is None or not math.isfinite(number) or number <= 1.0 or grades.has_word(number):
                continue
            remedy = f"add --label-scale {usual_ends([number])}"
            if column not in labels:
                told = shlex.quote(f"label={column}")
                remedy = (
                    f"if people gave them, {remedy.replace('add', f'add --map {told}')}; else rescale them"
                )
            raise InputError(
                f"{number:g} is above 1, and all before it were read as grades from 0 to 1; {remedy}",
                path=row.position.path,
                line=row.position.line,
                field=column,
            )


def recognize_grades(rows: Sequence[Mapping[str, Any]], options: Options) -> RecognizedGrades:
    """Return the columns of grades, chosen as `calibrate` chooses them for a table of scores."""
    header = dict.fromkeys(name for row in rows for name in row)
    names = resolve(header, options.columns)
    mapped = {ours: names[ours] for ours in ("label", "score") if ours in names}
    fields = names.keys() - mapped.keys()
    people = people_columns(header, options.columns)
    taken = (
        {names[field] for field in fields}
        | {*people_named_by_user(header, options.columns)}
        | (TABLE_FIELDS.keys() - {"label", "score", "item_id", "judge"})
    )
    scales = (GradeScale(words=options.grades.words), options.grades)
    columns = GradeColumns(rows, mapped, scales, lambda name: name in taken or is_number_field(name))
    for name in ("item_id", "judge"):
        columns.find_by_usual_name(name, columns.may_be_names)
    columns.find_labels()
    judges = [] if "verdicts" in names else columns.find_scores(several="judge" not in columns.columns)
    graded = (columns.columns.get("label"), names.get("score"), *people)
    told = people_named_by_user(header, options.columns)
    judging = tuple(
        each for each in judges if each != names.get("score") and _is_judge(each, columns, scales[0])
    )
    unscaled = unscaled_grades(rows, graded, options.grades)
    known = options.grades.ends is not None or options.grades.pass_at is not None
    people = {*filter(None, (columns.columns.get("label"), *people))}
    scores = {*filter(None, (names.get("score"), *judging))} - people
    return RecognizedGrades(
        None if "label" in mapped or told else columns.columns.get("label"),
        judging,
        unscaled,
        (frozenset(), frozenset())
        if known
        else (frozenset(people - unscaled.keys()), frozenset(scores - unscaled.keys())),
    )


def _is_judge(name: str, columns: GradeColumns, scale: GradeScale) -> bool:
    """Return whether a column holds a judge's scores.

    All must be readable, and words count only if the column's name says so.
    Words under any other name are as often a second person's.
    """
    if is_person(name):
        return False
    values = columns.values(name)
    try:
        known = [scale.score(value) for value in values]
    except UnknownGradeError:
        return False
    named = is_score_like(name) or normal(name) in TABLE_FIELDS["score"]
    return bool(known) and (named or all(as_number(value) is not None for value in values))


def unscaled_grades(
    rows: Sequence[Mapping[str, Any]], columns: Iterable[str | None], grades: GradeScale
) -> dict[str, str]:
    """Return the columns with numbers above 1 and no scale, with their likely one, ``1:5``.

    A number below 0 shows no scale, since it often marks an error.
    """
    if grades.ends is not None or grades.pass_at is not None:
        return {}
    scales: dict[str, str] = {}
    for column in dict.fromkeys(filter(None, columns)):
        values = [row.get(column) for row in rows]
        numbers = [
            number for value in values if (number := as_number(value)) is not None and math.isfinite(number)
        ]
        if any(number > 1.0 and not grades.has_word(number) for number in numbers):
            scales[column] = usual_ends(numbers)
    return scales
