"""References of cases in a table of their own, joined by id: expected calls, accepted answers, a criterion, a context, labels, tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import InputError
from ..records import nearest
from ..records.column_names import SESSIONS, resolve
from ..records.grades import PLAIN, GradeScale
from .arrow_rows import read_any_rows
from .example import Example
from .file_rows import Row
from .imported_records import UNREADABLE, Place, Skipped
from .known_columns import reference_example

_NAMES_KEPT = 1000


class References:
    """Table of references, labels and tags by case id.

    Args:
        path: CSV, JSON Lines, JSON or Parquet.
        columns: Names of columns, as for any table.
        grades: The meaning of people's grades.

    Raises:
        InputError: It cannot be read, or no column holds ids.
    """

    def __init__(self, path: Path, columns: Mapping[str, str], grades: GradeScale = PLAIN) -> None:
        self.path = path
        self._grades = grades
        self._by_id: dict[str, Example] = {}
        self._places: dict[str, Place] = {}
        self._skipped: list[Skipped] = []
        self._used = set[str]()
        self._seen: list[str] = []
        for row in read_any_rows(path):
            if isinstance(row, Skipped):
                self._skipped.append(row)
            else:
                self._take(row, columns)

    def complete(self, example: Example) -> None:
        """Add what the table says of an example; what the example says itself stays."""
        if len(self._seen) < _NAMES_KEPT:
            self._seen.append(example.id)
        told = self._by_id.get(example.id)
        if told is None:
            return
        self._used.add(example.id)
        if example.expected_calls is None:
            example.expected_calls = told.expected_calls
        example.accepted = example.accepted or told.accepted
        example.context = example.context or told.context
        example.criterion = example.criterion or told.criterion
        example.cluster = example.cluster or told.cluster
        example.tags = told.tags | example.tags
        example.opinions = [*example.opinions, *told.opinions]

    def left(self) -> Iterator[Skipped]:
        """Yield the rows that could not be read, and those of which there is no case.

        Raises:
            InputError: No row is of a case.
        """
        unused = [name for name in self._by_id if name not in self._used]
        if self._by_id and not self._used:
            hint = nearest(unused[0], self._seen) or f"; the first case is {next(iter(self._seen), '')!r}"
            raise InputError(f"no id in it is that of a case: {unused[0]!r}{hint}", path=self.path)
        yield from self._skipped
        for name in unused:
            yield self._places[name].passed_over("id", f"no case has the id {name!r}")

    def _take(self, row: Row, columns: Mapping[str, str]) -> None:
        try:
            names = resolve(row.node.value, columns)
            if "id" not in names and names.get("cluster") in SESSIONS:
                names["id"] = names.pop("cluster")
            if "id" not in names:
                known = ", ".join(map(str, row.node.value))
                raise InputError(
                    f"no column holds the ids of cases (columns: {known}); --map id=COLUMN names it",
                    path=self.path,
                )
            example, skipped = reference_example(row, names, self._grades)
        except UNREADABLE as error:
            self._skipped.append(row.place.skipped(error))
            return
        self._skipped += skipped
        if not example.id or example.id in self._by_id:
            reason = "the row has no id" if not example.id else f"a second row has the id {example.id!r}"
            self._skipped.append(row.place.passed_over("id", reason))
            return
        self._by_id[example.id] = example
        self._places[example.id] = row.place
