"""Tables that arrive later, joined by id: references of cases, or labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..errors import ColumnsError
from .column_names import LABEL_FIELDS, map_options, normal, resolve
from .grades import GradeScale, UnknownGradeError
from .label_table import label_columns
from .memory_file import InputPath
from .table_rows import file_rows

_REFERENCES = ("expected_calls", "accepted_answers", "criterion", "context")
_LOOKED_AT = 512


class JoinedTable(NamedTuple):
    """Columns of a table that is joined to cases and outputs by id.

    Attributes:
        references: Columns with references.
        has_labels: True if other columns hold labels.
        of_references: The user's names of columns with references.
        of_labels: The user's names of the other columns.
        not_references: Columns with labels under a name that references have, too.
    """

    references: list[str]
    has_labels: bool
    of_references: dict[str, str]
    of_labels: dict[str, str]
    not_references: list[str]


def joined_table(path: InputPath, mapping: Mapping[str, str], grades: GradeScale) -> JoinedTable:
    """Recognize the columns of a table; ``gold`` and ``ground_truth`` by their values.

    Args:
        path: CSV, TSV, JSON, JSON Lines or Parquet.
        mapping: Columns whose names do not say what they are, in either order.
        grades: The meaning of its grades.

    Raises:
        ColumnsError: No column holds labels or references, or none holds ids.
        InputError: It cannot be read.
        UsageError: A name that the user gave is neither a field nor a column.
    """
    rows = [row for _, row in islice(file_rows(path), _LOOKED_AT)]
    present = list(dict.fromkeys(name for row in rows for name in row))
    of_references = {a: b for a, b in mapping.items() if {a, b} & {*_REFERENCES, "id"}}
    of_labels = {a: b for a, b in mapping.items() if not {a, b} & {*_REFERENCES}}
    names = resolve(present, of_references)
    candidates = [names[field] for field in _REFERENCES if field in names]
    named_by_user = {*of_references, *of_references.values()}
    graded = [name for name in candidates if name not in named_by_user and _holds_grades(rows, name, grades)]
    references = [name for name in candidates if name not in graded]
    others = [name for name in present if name not in references]
    try:
        label_columns(others, of_labels, path)
    except ColumnsError as error:
        if error.field == "label" and not references:
            raise _nothing_known(present, path) from None
        if error.field == "id":
            raise
        return JoinedTable(references, False, of_references, of_labels, graded)
    return JoinedTable(references, True, of_references, of_labels, graded)


def _holds_grades(rows: Iterable[Mapping[str, Any]], name: str, grades: GradeScale) -> bool:
    """Return whether a column whose name labels have, too, holds nothing but grades."""
    if normal(name) not in LABEL_FIELDS["label"]:
        return False
    try:
        scores = [grades.score(row.get(name)) for row in rows]
    except UnknownGradeError:
        return False
    return any(score is not None for score in scores)


def _nothing_known(present: Sequence[str], path: InputPath) -> ColumnsError:
    columns = ", ".join(map(repr, present))
    example = present[-1] if present else "COLUMN"
    return ColumnsError(
        f"no column is known to hold labels or references; the columns are {columns}; "
        f"name it with {map_options({'label': example})} or {map_options({'expected_calls': example})}",
        path=path,
        field="label",
    )
