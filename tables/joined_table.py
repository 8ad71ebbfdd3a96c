"""Tables of references or labels that are joined to cases and outputs by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..errors import ChoiceNeeded, ColumnsError
from ..records.memory_file import InputPath
from ..records.scale import Scale
from .amount_columns import is_never_grades
from .column_names import LABEL_FIELDS, columns_by_field, map_options, normal, shown_columns
from .fault_columns import label_direction
from .grades import UnknownGradeError, grade_score
from .header import UNSAID, HeaderChoice
from .label_table import SAMPLE_ROWS, label_columns
from .table_rows import UnreadRows, read_table_rows

_REFERENCES = ("expected_calls", "accepted_answers", "criterion", "context")


class JoinedTable(NamedTuple):
    """Columns of a table that is joined to cases and outputs by id.

    Attributes:
        references: Columns with references.
        has_labels: True if other columns hold labels.
        of_references: The user's mapping of columns with references, and of the id.
        of_labels: The user's mapping of all other columns.
        not_references: Columns of labels whose name could also mean references.
    """

    references: list[str]
    has_labels: bool
    of_references: dict[str, str]
    of_labels: dict[str, str]
    not_references: list[str]


def joined_table(
    path: InputPath, mapping: Mapping[str, str], grades: Scale, header: HeaderChoice = UNSAID
) -> JoinedTable:
    """Recognize the columns of a table; ``gold`` and ``ground_truth`` by their values.

    Args:
        path: CSV, TSV, JSON, JSON Lines or Parquet.
        mapping: A field and its column, or a column and its field (``--map``).
        grades: The meaning of its grades.
        header: What the user said about the header of CSV.

    Raises:
        ColumnsError: No column holds labels or references, or none holds ids.
        InputError: It cannot be read.
        UsageError: A name that the user gave is neither a field nor a column.
    """
    rows = [
        row
        for _, row in islice(UnreadRows().without(read_table_rows(path, mapping, header), path), SAMPLE_ROWS)
    ]
    present = list(dict.fromkeys(name for row in rows for name in row))
    of_references = {one: other for one, other in mapping.items() if {one, other} & {*_REFERENCES, "id"}}
    of_labels = {one: other for one, other in mapping.items() if not {one, other} & {*_REFERENCES}}
    names = columns_by_field(present, of_references)
    candidates = [names[field] for field in _REFERENCES if field in names]
    named_by_user = {*of_references, *of_references.values()}
    graded = [name for name in candidates if name not in named_by_user and _holds_grades(rows, name, grades)]
    references = [name for name in candidates if name not in graded]
    others = [name for name in present if name not in references]
    has_labels = True
    try:
        label_columns(others, of_labels, path, rows, grades)
    except ChoiceNeeded:
        raise
    except ColumnsError as error:
        if error.field == "label" and not references:
            raise _no_known_column(present, path, rows) from None
        if error.field == "id":
            raise
        has_labels = False
    return JoinedTable(references, has_labels, of_references, of_labels, graded)


def _holds_grades(rows: Iterable[Mapping[str, Any]], name: str, grades: Scale) -> bool:
    """Return whether a column has a name that labels may have, and holds only grades."""
    if normal(name) not in LABEL_FIELDS["label"]:
        return False
    try:
        scores = [grade_score(row.get(name), grades) for row in rows]
    except UnknownGradeError:
        return False
    return any(score is not None for score in scores)


def _no_known_column(
    present: Sequence[str], path: InputPath, rows: Iterable[Mapping[str, Any]]
) -> ColumnsError:
    columns = shown_columns(present)
    example = next((name for name in reversed(present) if not is_never_grades(name)), "COLUMN")
    asked = label_direction(rows, example)
    label = f"{map_options({'label': example})} {asked}".rstrip()
    return ColumnsError(
        f"no column is known to hold labels or references; the columns are {columns}; "
        f"name it with {label} or {map_options({'expected_calls': example})}",
        path=path,
        field="label",
    )
