"""Columns of grades in an imported table, found as in a table of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..records.column_names import TABLE_FIELDS, is_number_field, resolve
from ..records.grade_columns import GradeColumns
from ..records.grades import GradeScale
from .import_options import Options


class FoundGrades(NamedTuple):
    """Columns of grades found by a table's first rows, beside those known by field name.

    Attributes:
        label: The column of a person's grades.
        judges: Columns of judges' scores.
    """

    label: str | None = None
    judges: tuple[str, ...] = ()


def find_grades(rows: Sequence[Mapping[str, Any]], options: Options) -> FoundGrades:
    """Return the columns of grades, chosen as `calibrate` chooses them for a table of scores."""
    there = dict.fromkeys(name for row in rows for name in row)
    names = resolve(there, options.columns)
    known = {ours: names[ours] for ours in ("label", "score") if ours in names}
    fields = names.keys() - known.keys()
    taken = {names[field] for field in fields} | (
        TABLE_FIELDS.keys() - {"label", "score", "item_id", "judge"}
    )
    scales = (GradeScale(words=options.grades.words), options.grades)
    found = GradeColumns(rows, known, scales, lambda name: name in taken or is_number_field(name))
    for name in ("item_id", "judge"):
        found.find_usual(name, found.is_name)
    found.find_labels()
    judges = [] if "verdicts" in names else found.find_scores(several="judge" not in found.columns)
    return FoundGrades(
        None if "label" in known else found.columns.get("label"),
        tuple(each for each in judges if each != names.get("score") and found.fits(each)),
    )
