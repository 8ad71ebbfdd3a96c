"""Layout of a table of scores: which columns are which fields, and rows in terms of fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...records.grades import PLAIN, GradeScale, majority
from ...records.score_scales import UNIT_SCORES, ScoreScales
from ...records.table_rows import NumberedRow


@dataclass(frozen=True)
class TableForm:
    """Column and grade settings for files.

    Attributes:
        columns: Field and column names, in either order.
        scores: Scales of scores.
        labels: Scale of labels, and of people's grades.
        apart: Whether each file without a judge column has the scores of one judge, named like the file.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: ScoreScales = UNIT_SCORES
    labels: GradeScale = PLAIN
    apart: bool = False


@dataclass(frozen=True)
class Layout:
    """Fields of a table's columns.

    Attributes:
        columns: Column names by field, if they differ.
        scores: Score columns by judge, for a table without a judge column.
        numbered: Whether rows have no ids, so that row numbers are used.
        people: Columns of people whose majority is the label.
        note: Description of the recognised columns; empty if all are named like their fields.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, str] = field(default_factory=dict[str, str])
    numbered: bool = False
    people: tuple[str, ...] = ()
    note: str = ""

    def rows(
        self, rows: Iterator[NumberedRow], labels: GradeScale, *, first: int = 1
    ) -> Iterator[NumberedRow]:
        """Convert rows to one row of fields per judge; ``first`` is the number of the first row."""
        if not (self.scores or self.numbered or self.people):
            return rows
        return self._converted(rows, labels, first)

    def _converted(
        self, rows: Iterator[NumberedRow], labels: GradeScale, first: int
    ) -> Iterator[NumberedRow]:
        single = len(self.scores) == 1
        score_columns = set[str]() if single else set(self.scores.values())
        for number, (line, row) in enumerate(rows, first):
            fields: dict[str, Any] = {name: value for name, value in row.items() if name not in score_columns}
            if self.numbered:
                fields["item_id"] = number
            if self.people:
                fields["label"] = majority([row.get(name) for name in self.people], labels)
            if not self.scores:
                yield line, fields
            for judge, column in self.scores.items():
                score = {} if single else {"score": row.get(column)}
                yield line, fields | score | {"judge": judge}
