"""Rows of a foreign table of scores, brought into the form of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...records.grades import PLAIN, GradeScale, majority
from ...records.table_rows import NumberedRow


@dataclass(frozen=True)
class TableForm:
    """Column and grade settings for files.

    Attributes:
        columns: What columns are, in either order.
        scores: The meaning of scores.
        labels: The meaning of labels, and of what people say.
        apart: Whether files without a column of judges are each of a judge of its own, named like the file.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: GradeScale = PLAIN
    labels: GradeScale = PLAIN
    apart: bool = False


@dataclass(frozen=True)
class Layout:
    """The meaning of a table's columns.

    Attributes:
        columns: Their names by the names of the contract, if they differ.
        scores: Score columns by judge, for a table without a judge column.
        numbered: Whether rows have no ids, so that their numbers stand for these.
        people: Columns of people whose majority is the label.
        note: The columns found, in words; empty if all have the names of the contract.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, str] = field(default_factory=dict[str, str])
    numbered: bool = False
    people: tuple[str, ...] = ()
    note: str = ""

    def rows(
        self, rows: Iterator[NumberedRow], labels: GradeScale, *, first: int = 1
    ) -> Iterator[NumberedRow]:
        """Convert rows to the contract's form, one for each judge.

        ``first`` is the number of the first row.
        """
        if not (self.scores or self.numbered or self.people):
            return rows
        return self._laid_out(rows, labels, first)

    def _laid_out(self, rows: Iterator[NumberedRow], labels: GradeScale, first: int) -> Iterator[NumberedRow]:
        single = len(self.scores) == 1
        others = set(self.scores.values()) if not single else set[str]()
        for number, (line, row) in enumerate(rows, first):
            laid: dict[str, Any] = {name: value for name, value in row.items() if name not in others}
            if self.numbered:
                laid["item_id"] = number
            if self.people:
                laid["label"] = majority([row.get(name) for name in self.people], labels)
            if not self.scores:
                yield line, laid
            for judge, column in self.scores.items():
                scored = laid if single else laid | {"score": row.get(column)}
                yield line, scored | {"judge": judge}
