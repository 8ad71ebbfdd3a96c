"""Layout of a table of scores: the column of each field, and rows turned into fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from ..records import MemoryFile
from ..records.scale import UNDECLARED_SCALE, Scale
from ..records.score_kinds import ScoreKind
from .grades import majority
from .header import UNSAID, HeaderChoice
from .table_rows import NumberedRow

IN_ORDER = "#"
"""Name for the column of repeats of a table that has none: its rows are numbered in order."""

_REPEATED_FIELDS = ("item_id", "judge", "system", "trial", "order")
"""Fields in which repeats agree: rows with the same values are numbered as repeats."""


def names_apart(files: Sequence[Path | MemoryFile]) -> dict[int, str]:
    """Return each file's name by its `id`: the stem, with enough folders to be unique."""
    paths = [PurePath(file if isinstance(file, Path) else file.name).with_suffix("") for file in files]
    depth, names = 1, [path.name for path in paths]
    while len(set(names)) < len(set(paths)):
        depth += 1
        names = ["/".join(path.parts[-depth:]) for path in paths]
    return {id(file): name for file, name in zip(files, names, strict=True)}


@dataclass(frozen=True)
class TableForm:
    """Column and grade settings for files.

    Attributes:
        columns: Fields and columns as the user paired them, in either order.
        scores: Scales of scores by judge, or by column; the name "" stands for all judges that are not named.
        labels: Scale of labels, and of people's grades.
        apart: Whether a file without a judge column has the scores of one judge, named like the file.
        systems_apart: Whether a file without a system column has the scores of one system, named like the file.
        tags: Columns that are needed. If a run's table lacks one, the tags of its cases become columns.
        header: What the user said about the header of CSV files.
        score_kinds: Declared kinds of scores by judge; the name "" stands for all judges that are not named.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, Scale] = field(default_factory=dict[str, Scale])
    labels: Scale = UNDECLARED_SCALE
    apart: bool = False
    systems_apart: bool = False
    tags: Sequence[str] = ()
    header: HeaderChoice = UNSAID
    score_kinds: Mapping[str, ScoreKind] = field(default_factory=dict[str, ScoreKind])


@dataclass(frozen=True)
class Layout:
    """Fields of a table's columns.

    Attributes:
        columns: Column names by field, where they differ.
        scores: Score columns by judge, for a table without a judge column.
        numbered: Whether row numbers are the ids, since no column has any.
        people: Columns of people whose majority is the label.
        number_repeats: Whether rows of an item are numbered in order, as repeats.
        unused: Columns of no field, which may be ids.
        scale: Option for the scale of scores outside [0, 1], or "".
        system: System of all rows, if the file names it, or "".
        note: Description of the recognised columns, or "" if all are named like their fields.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, str] = field(default_factory=dict[str, str])
    numbered: bool = False
    people: tuple[str, ...] = ()
    number_repeats: bool = False
    unused: tuple[str, ...] = ()
    scale: str = ""
    system: str = ""
    note: str = ""

    def rows(self, rows: Iterator[NumberedRow], labels: Scale, *, first: int = 1) -> Iterator[NumberedRow]:
        """Convert rows to one row of fields per judge.

        Args:
            rows: Rows of the table.
            labels: Scale of people's grades.
            first: Number of the first row.
        """
        if not (self.scores or self.numbered or self.people or self.number_repeats or self.system):
            return rows
        return self._converted(rows, labels, first)

    def _converted(self, rows: Iterator[NumberedRow], labels: Scale, first: int) -> Iterator[NumberedRow]:
        has_one_score = len(self.scores) == 1 and "judge" not in self.scores.values()
        score_columns = set[str]() if has_one_score else set(self.scores.values())
        identity_columns = [self.columns.get(name, name) for name in _REPEATED_FIELDS]
        rows_so_far = Counter[tuple[str, ...]]()
        for number, (line, row) in enumerate(rows, first):
            fields: dict[str, Any] = {name: value for name, value in row.items() if name not in score_columns}
            if self.numbered:
                fields["item_id"] = number
            if self.system:
                fields["system"] = self.system
            if self.number_repeats:
                identity_values = tuple(str(row.get(name)) for name in identity_columns)
                rows_so_far[identity_values] += 1
                fields["repeat"] = rows_so_far[identity_values]
            if self.people:
                fields["label"] = majority([row.get(name) for name in self.people], labels)
            if not self.scores:
                yield line, fields
            for judge, column in self.scores.items():
                score = {} if has_one_score else {"score": row.get(column)}
                yield line, fields | score | {"judge": judge}
