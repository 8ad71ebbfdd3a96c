"""Tables of references or labels that are joined to cases and outputs by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..errors import ChoiceNeeded, ColumnsError
from ..records.memory_file import InputPath
from ..records.scale import Scale
from .amount_columns import is_never_grades
from .column_names import LABEL_FIELDS, normal
from .fault_columns import label_direction
from .grades import UnknownGradeError, grade_score
from .header import UNSAID, HeaderChoice
from .label_table import SAMPLE_ROWS, label_columns
from .named_columns import columns_by_field, map_options, shown_columns
from .table_rows import UnreadRows, read_table_rows

_REFERENCE_FIELDS = ("expected_calls", "accepted_answers", "criterion", "context")


class JoinedTable(NamedTuple):
    """Columns of a table that is joined to cases and outputs by id.

    Attributes:
        references: Columns of references.
        has_labels: Whether other columns are labels.
        of_references: The user's mapping for reading references: of their columns and the id.
        of_labels: The user's mapping for reading labels: of all other columns.
        not_references: Columns of labels whose names could also mean references.
    """

    references: list[str]
    has_labels: bool
    of_references: dict[str, str]
    of_labels: dict[str, str]
    not_references: list[str]


def joined_table(
    path: InputPath, mapping: Mapping[str, str], grades: Scale, header: HeaderChoice = UNSAID
) -> JoinedTable:
    """Recognise the columns of a table.

    Columns such as ``gold`` and ``ground_truth`` may be references or labels; their values tell.

    Args:
        path: CSV, TSV, JSON, JSON Lines or Parquet.
        mapping: A field and its column, or a column and its field (``--map``).
        grades: The scale of its grades.
        header: What the user said about the header of CSV.

    Raises:
        ColumnsError: No column has labels or references, or none has ids.
        InputError: The table cannot be read.
        UsageError: A name that the user gave is neither a field nor a column.
    """
    numbered_rows = UnreadRows().without(read_table_rows(path, mapping, header), path)
    rows = [row for _, row in islice(numbered_rows, SAMPLE_ROWS)]
    present = list(dict.fromkeys(name for row in rows for name in row))
    of_references = {
        left: right for left, right in mapping.items() if {left, right} & {*_REFERENCE_FIELDS, "id"}
    }
    of_labels = {left: right for left, right in mapping.items() if not {left, right} & {*_REFERENCE_FIELDS}}
    names = columns_by_field(present, of_references)
    candidates = [names[field] for field in _REFERENCE_FIELDS if field in names]
    named_by_user = {*of_references, *of_references.values()}
    not_references = [
        name for name in candidates if name not in named_by_user and _has_only_grades(rows, name, grades)
    ]
    references = [name for name in candidates if name not in not_references]
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
    return JoinedTable(references, has_labels, of_references, of_labels, not_references)


def _has_only_grades(rows: Iterable[Mapping[str, Any]], name: str, grades: Scale) -> bool:
    """Return whether a column's name may mean labels, and all its values are grades."""
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
