"""References, labels and tags of cases in a separate table, joined by id."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..records import Case, InputPath, nearest
from ..records.scale import UNDECLARED_SCALE, Scale
from ..tables.alike_grades import AlikeGrades
from ..tables.column_names import is_person, is_session, normal
from ..tables.fault_columns import label_direction
from ..tables.header import UNSAID, HeaderChoice
from ..tables.id_columns import likely_id
from ..tables.known_labels import require_one_label
from ..tables.named_columns import columns_by_field, map_options
from ..tables.table_rows import read_table_rows
from .example import Example
from .example_records import with_reference
from .file_rows import FileRow, imported_rows
from .imported_records import UNREADABLE, FilePosition, Skipped
from .json_values import is_object
from .known_columns import note_alike, reference_example
from .recognized_grades import LOOKED_AT, RecognizedGrades, unscaled_grades

_MAX_KEPT_IDS = 1000
"""Maximum number of cases' ids that are kept for hints in errors."""


class References:
    """Table of references, labels and tags by case id; spaces around ids do not count.

    Args:
        path: CSV, JSON Lines, JSON or Parquet.
        columns: Names of columns, as for any table.
        grades: The scale of people's grades.
        alone: Whether to read references only, without grades, scores and tags.
        without: Columns to ignore.
        header: What the user said about the header of CSV.

    Attributes:
        path: The table.
        columns: Names of its columns.
        fields: The column of each field.
        first_rows: Its first rows.

    Raises:
        ChoiceNeeded: Several columns could be the label.
        InputError: The table cannot be read, or no column has ids.
    """

    def __init__(
        self,
        path: InputPath,
        columns: Mapping[str, str],
        grades: Scale = UNDECLARED_SCALE,
        *,
        alone: bool = False,
        without: Collection[str] = (),
        header: HeaderChoice = UNSAID,
    ) -> None:
        self.path = path
        self._grades = grades
        self._alone = alone
        self._without = without
        self._by_id: dict[str, Example] = {}
        self._positions: dict[str, FilePosition] = {}
        self._skipped: list[Skipped] = []
        self._used = set[str]()
        self._example_ids: list[str] = []
        rows = list(imported_rows(read_table_rows(path, columns, header), Path(str(path))))
        values = [row.value for row in rows if isinstance(row, FileRow) and is_object(row.value)]
        names = list(dict.fromkeys(chain(*values)))
        self.columns = frozenset(names)
        self.fields = columns_by_field([name for name in names if name not in without], columns)
        self.first_rows = values[:LOOKED_AT]
        self._unclear_grades = self._find_grades(values)
        self._alike = AlikeGrades(grades)
        if not alone:
            named_by_user = columns_by_field(self.columns, columns, use_aliases=False)
            certain_fields = {
                field: name
                for field, name in self.fields.items()
                if field != "label" or field in named_by_user
            }
            require_one_label(self.first_rows, certain_fields, grades, path)
        for row in rows:
            if isinstance(row, Skipped):
                self._skipped.append(row)
            else:
                self._take(row, columns)
        self._alike.refuse(path)

    def complete(self, example: Example) -> None:
        """Add the table's reference to an example, whose own fields take precedence."""
        reference = self._reference_of(example.id)
        if reference is None:
            return
        if example.expected_calls is None:
            example.expected_calls = reference.expected_calls
        example.accepted = example.accepted or reference.accepted
        example.context = example.context or reference.context
        example.criterion = example.criterion or reference.criterion
        example.cluster = example.cluster or reference.cluster
        example.tags = reference.tags | example.tags
        example.scores = [*example.scores, *reference.scores]

    def complete_case(self, case: Case) -> Case:
        """Return a case with the table's reference, or unchanged if the table has none for it."""
        reference = self._reference_of(case.id)
        if reference is None:
            return case
        position = self._positions[case.id.strip()]
        try:
            completed, unchecked = with_reference(case, reference)
        except UNREADABLE as error:
            self._skipped.append(position.skipped(error))
            return case
        if unchecked is not None:
            self._skipped.append(position.skipped_part("expected_calls", unchecked))
        return completed

    def has_reference(self, case_id: str) -> bool:
        """Return whether the table has more of a case than its id, such as accepted answers."""
        example = self._by_id.get(case_id.strip())
        return example is not None and not _is_empty(example)

    def _reference_of(self, name: str) -> Example | None:
        """Return the table's reference of a case, and note that the case exists."""
        if len(self._example_ids) < _MAX_KEPT_IDS:
            self._example_ids.append(name)
        reference = self._by_id.get(name.strip())
        if reference is not None:
            self._used.add(name.strip())
        return reference

    def left(self) -> Iterator[Skipped]:
        """Yield the rows that could not be read, and the rows that match no case.

        Raises:
            InputError: No row matches a case.
        """
        unused = [name for name in self._by_id if name not in self._used]
        if self._by_id and not self._used:
            hint = (
                nearest(unused[0], self._example_ids)
                or f"; the first case is {next(iter(self._example_ids), '')!r}"
            )
            raise InputError(f"no id in it is that of a case: {unused[0]!r}{hint}", path=self.path)
        yield from self._skipped
        by_normal_id = {normal(name): name for name in self._example_ids if normal(name)}
        for name in unused:
            near_id = by_normal_id.get(normal(name))
            hint = f" (did you mean {near_id!r}?)" if near_id is not None else ""
            yield self._positions[name].skipped_part("id", f"no case has the id {name!r}{hint}")

    def _find_grades(self, values: list[dict[str, Any]]) -> RecognizedGrades:
        """Return the columns of grades whose scale or direction only the user knows."""
        people = (name for name in self.columns.difference(self._without) if is_person(name))
        grade_columns = [*filter(None, (self.fields.get("label"), self.fields.get("score"))), *people]
        questions = {name: label_direction(values, name, self._grades) for name in grade_columns}
        return RecognizedGrades(
            unscaled={}
            if self._grades.reads_numbers
            else unscaled_grades(values, grade_columns, self._grades),
            undirected={name: options for name, options in questions.items() if options},
        )

    def _take(self, row: FileRow, columns: Mapping[str, str]) -> None:
        """Keep the reference in a row under its id, or note why the row cannot be read."""
        if is_object(row.value) and not any(value is not None for value in row.value.values()):
            return  # spreadsheets leave blank rows
        try:
            column_by_field = columns_by_field(
                [name for name in row.node.value if name not in self._without], columns
            )
            if "id" not in column_by_field and is_session(column_by_field.get("cluster", "")):
                column_by_field["id"] = column_by_field.pop("cluster")
            if "id" not in column_by_field:
                columns_found = ", ".join(map(str, row.node.value))
                option = map_options({"id": likely_id(self.first_rows, row.node.value) or "COLUMN"})
                raise InputError(
                    f"no column holds the ids of cases (columns: {columns_found}); {option} names it",
                    path=self.path,
                )
            example, skipped, skipped_grades = reference_example(
                row, column_by_field, self._grades, self._unclear_grades
            )
            note_alike(self._alike, example.scores)
        except UNREADABLE as error:
            self._skipped.append(row.position.skipped(error))
            return
        self._skipped += skipped
        if self._alone:
            example.scores, example.tags = [], {}
        else:
            self._skipped += skipped_grades
        example.id = example.id.strip()
        if not example.id:
            self._skipped.append(row.position.skipped_part("id", "the row has no id"))
        elif example.id not in self._by_id:
            self._by_id[example.id] = example
            self._positions[example.id] = row.position
        else:
            self._take_again(example, row.position)

    def _take_again(self, example: Example, position: FilePosition) -> None:
        """Take a second row of an id: merge it with the first if either is empty, else skip it."""
        earlier = self._by_id[example.id]
        if example == earlier:
            return  # a table with a row per system repeats the reference in each
        if _is_empty(example) and not _is_empty(earlier):
            _add_tags(earlier, example)
        elif _is_empty(earlier) and not _is_empty(example):
            _add_tags(example, earlier)
            self._by_id[example.id] = example
            self._positions[example.id] = position
        else:
            self._skipped.append(position.skipped_part("id", self._contradiction(example, earlier)))

    def _contradiction(self, example: Example, earlier: Example) -> str:
        """Return the reason to skip a row whose id an earlier row has with other values."""
        line = self._positions[example.id].line
        earlier_row = "an earlier row" if line is None else f"line {line}"
        if example.scores == earlier.scores:
            return f"a second row has the id {example.id!r}, and other values than {earlier_row}; delete one"
        people = "give each person a column: annotator_1, annotator_2"
        return f"a second row has the id {example.id!r}, and another grade than {earlier_row}; delete one, or {people}"


def _is_empty(example: Example) -> bool:
    """Return whether a row has neither a reference nor a grade, but perhaps tags."""
    return not (
        example.expected_calls is not None
        or example.accepted
        or example.context
        or example.criterion
        or example.scores
    )


def _add_tags(example: Example, empty: Example) -> None:
    example.tags = empty.tags | example.tags
    example.cluster = example.cluster or empty.cluster
