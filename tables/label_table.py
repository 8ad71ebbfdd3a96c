"""Tables of labels: people's grades by id, and perhaps by system and trial.

`label_table` reads a table of any form into rows of one form, `LabelRow`: one for each label, then people's majorities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import ColumnsError, InputError
from ..records.case import Record
from ..records.memory_file import InputPath, MemoryFile, memory_file
from ..records.output import ItemKey
from ..records.scale import UNDECLARED_SCALE, Scale
from ..records.verdict import Source, Verdict
from .alike_grades import PEOPLE, AlikeGrades
from .amount_columns import is_never_grades
from .asked_choices import AskedChoices
from .column_names import LABEL_FIELDS, is_session
from .fault_columns import ask_direction, require_label_direction
from .grades import UnknownGradeError, as_number, grade_score, is_missing, is_withdrawn, majority
from .header import UNSAID, HeaderChoice
from .id_columns import likely_id
from .json_rows import TableRow
from .known_labels import label_by_name, possible_labels
from .named_columns import column_named, columns_by_field, map_options, people_columns, shown_columns
from .standing_labels import MAJORITY, is_tie, majority_verdict
from .table_rows import NumberedRow, UnreadRows, as_whole, read_table_rows
from .unread_grades import UnreadGrades

SAMPLE_ROWS = 512
"""Number of first rows by which columns are found."""

_TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".parquet", ".arrow", ".json"})
"""Suffixes of files that are never verdicts."""


class LabelRow(Record, frozen=True, kw_only=True):
    """One label, perhaps without a system.

    Attributes:
        id: The case, or the item as ``case_id|system|trial``.
        by: The person, or the column.
        score: In [0, 1], or None if unknown.
        source: Type of the author.
        system: The system, or None if the row names none.
        trial: The attempt, or None if the row names none.
        reason: The person's comment.
        line: Its line in the file, or 0 if unknown.
        withdrawn: Whether the user declared its word to be no grade; such a row withdraws the person's earlier grades.
        added: The round in which it was added, from 1: the number of its file among several.
    """

    id: str
    by: str
    score: float | None
    source: Source = "human"
    system: str | None = None
    trial: int | None = None
    reason: str | None = None
    line: int = 0
    withdrawn: bool = False
    added: int = 1

    def on(self, key: ItemKey) -> Verdict:
        """Return the label of one output as a verdict."""
        if is_tie(self):
            return majority_verdict(key, {})
        return Verdict.on(key, by=self.by, source=self.source, score=self.score, reason=self.reason)

    @property
    def is_usable(self) -> bool:
        """True for a grade or a tie, False for an empty cell."""
        return self.score is not None or is_tie(self)


class LabelTable(MemoryFile):
    """Labels of a table, as JSON Lines of `LabelRow`.

    Args:
        name: Name of the table for messages.
        data: The lines.
        columns: The columns of the table that was read.
        unread: The rows that were skipped.
    """

    def __init__(
        self, name: str, data: bytes, columns: Iterable[str] = (), unread: UnreadRows | None = None
    ) -> None:
        super().__init__(name, data)
        self.columns = frozenset(columns)
        self.unread = unread or UnreadRows()


def is_verdicts(path: InputPath) -> bool:
    """Return whether a file of labels has verdicts, and is no table of grades."""
    if isinstance(path, LabelTable):
        return False
    if isinstance(path, Path) and not _TABLE_SUFFIXES.isdisjoint(path.suffixes[-2:]):
        return False
    first = next((row for row in read_table_rows(path) if isinstance(row, TableRow)), None)
    return first is None or "outcome" in first.value


def label_table(
    path: InputPath,
    grades: Scale,
    columns: Mapping[str, str],
    without: Collection[str] = (),
    by: str | None = None,
    *,
    skip: bool = False,
    header: HeaderChoice = UNSAID,
) -> LabelTable:
    """Read a table of labels; rows that cannot be read are skipped, and counted.

    Args:
        path: CSV, TSV, JSON, JSON Lines or Parquet.
        grades: The meaning of its grades.
        columns: A field and its column, or a column and its field (``--map``).
        without: Columns that hold no labels.
        by: Name of the person for rows that name none; by default the name of the label column.
        skip: Whether rows without an id are skipped, too, instead of raising an InputError.
        header: What the user said about the header of CSV.

    Raises:
        ColumnsError: No column can be the id or the label.
        InputError: The table cannot be read, or a value is not a grade.
        UsageError: A name that the user gave is neither a field nor a column.
    """
    unread = UnreadRows()
    rows = unread.without(read_table_rows(path, columns, header), path)
    first_numbered = list(islice(rows, SAMPLE_ROWS))
    first_rows = [row for _, row in first_numbered]
    all_columns = dict.fromkeys(name for row in first_rows for name in row)
    present = [name for name in all_columns if name not in without]
    names = label_columns(present, columns, path, first_rows, grades)
    require_label_direction(first_rows, names.get("label"), grades, path)
    people = () if "label" in names else people_columns(present, columns)
    alike = AlikeGrades(grades)
    labels = list(
        _labels_of_rows(
            chain(first_numbered, rows),
            names,
            people,
            grades,
            path,
            by=by or names.get("label", ""),
            skipped=unread if skip else None,
            alike=alike,
        )
    )
    if unread.first and not labels:
        raise unread.first
    alike.refuse(path)
    labels = standing_rows(labels)
    labels += majorities(labels)
    return LabelTable(str(path), memory_file(str(path), labels).read_bytes(), present, unread)


def label_columns(
    present: Sequence[str],
    mapping: Mapping[str, str],
    path: InputPath,
    rows: Sequence[Mapping[str, Any]] = (),
    scale: Scale = UNDECLARED_SCALE,
) -> dict[str, str]:
    """Return the column of each field of a table of labels, by its first rows.

    Raises:
        ChoiceNeeded: Several columns could be the label.
        ColumnsError: No column can be the id or the label.
        UsageError: A name that the user gave is neither a field nor a column.
    """
    applicable = {
        first: second
        for first, second in mapping.items()
        if column_named(present, first) or column_named(present, second)
    }
    names = columns_by_field(present, applicable, LABEL_FIELDS)
    session = next((name for name in present if is_session(name)), None)
    if "id" not in names and session is not None:
        names["id"] = session
    people = people_columns(present, applicable)
    named_by_user = columns_by_field(present, applicable, LABEL_FIELDS, use_aliases=False)
    if "label" not in named_by_user and len(people) < 2:  # noqa: PLR2004 - one person's column is the label
        usual = names.pop("label", None)
        present_cells = [{name: row[name] for name in present if name in row} for row in rows]
        label = label_by_name(present_cells, names, scale, path) or usual
        names |= {} if label is None else {"label": label}
    if "id" not in names:
        raise _no_column_for("id", present, names, path, rows)
    if "label" not in names and len(people) < 2:  # noqa: PLR2004 - several people's columns are all labels
        raise _no_column_for("label", present, names, path, rows)
    return names


def _no_column_for(
    field: str,
    present: Sequence[str],
    names: Mapping[str, str],
    path: InputPath,
    rows: Sequence[Mapping[str, Any]] = (),
) -> ColumnsError:
    free = [name for name in present if name not in names.values()]
    columns = shown_columns(present)
    problem = f"no column is known to be the {field}; the columns are {columns}"
    if field == "label" and (candidates := possible_labels(rows, free)):
        asked = AskedChoices(rows)
        asked.column("label", candidates, "which column is the label")
        if len(candidates) == 1:
            ask_direction(asked, candidates[0], asked.values(candidates[0]))
        return asked.error(problem, path=path, column=field)
    likely = likely_id(rows, free) if field == "id" else None
    free = [name for name in free if not is_never_grades(name)] if field == "label" else free
    options = map_options({field: likely or next(iter(free), "COLUMN")})
    error = ColumnsError(f"{problem}; name it with {options}", path=path, field=field)
    error.options = options
    return error


def _labels_of_rows(
    rows: Iterable[NumberedRow],
    names: Mapping[str, str],
    people: Sequence[str],
    grades: Scale,
    path: InputPath,
    *,
    by: str,
    skipped: UnreadRows | None = None,
    alike: AlikeGrades,
) -> Iterator[LabelRow]:
    """Yield the labels of each row; with one column per person, people's majority, too.

    A row without an id is added to ``skipped``; if that is None, the row is an error.
    """
    has_person_columns = "label" not in names
    remaining = iter(rows)
    for line, row in remaining:
        try:
            fields = _shared_fields(line, row, names, path)
        except InputError as error:
            if skipped is None or error.field != names["id"]:
                raise
            skipped.add(error)
            continue
        is_graded = False
        for column in people if has_person_columns else [names["label"]]:
            try:
                score = grade_score(row.get(column), grades)
            except UnknownGradeError:
                unread = UnreadGrades(chain([(line, row)], remaining), column, grades)
                raise unread.error("label_scale", path=path, line=line, field=column) from None
            alike.note(names.get("label", PEOPLE), [(row.get(column), score)])
            person = column if has_person_columns else _text(row.get(names.get("by", ""))) or by
            yield LabelRow(by=person, score=score, withdrawn=is_withdrawn(row.get(column), grades), **fields)
            is_graded |= score is not None
        if has_person_columns and is_graded:
            majority_score = majority([row.get(column) for column in people], grades)
            yield LabelRow(by=MAJORITY, source="construction", score=majority_score, **fields)


def _shared_fields(
    line: int, row: Mapping[str, Any], names: Mapping[str, str], path: InputPath
) -> dict[str, Any]:
    """Return the fields that all labels of a row have in common."""
    cell = {field: row.get(column) for field, column in names.items()}
    if is_missing(cell["id"]):
        raise InputError("expected an id, got nothing", path=path, line=line, field=names["id"])
    return {
        "id": str(as_whole(cell["id"])).strip(),
        "system": _text(cell.get("system")),
        "trial": _trial(cell.get("trial"), path, line, names.get("trial", "")),
        "reason": _text(cell.get("reason")),
        "line": line,
    }


def standing_rows(rows: Sequence[LabelRow]) -> list[LabelRow]:
    """Return the rows, leaving out grades that the same person withdrew in a later row.

    The majority on an output with a withdrawn grade is left out, too; `majorities` computes it again.
    """
    withdrawn: set[tuple[OutputName, str]] = set()
    standing: list[LabelRow] = []
    changed_outputs: set[OutputName] = set()
    for row in reversed(rows):  # later rows first, since they withdraw earlier ones
        output = OutputName(row.id, row.system, row.trial)
        if row.withdrawn:
            withdrawn.add((output, row.by))
        elif row.score is not None and (output, row.by) in withdrawn:
            changed_outputs.add(output)
            continue
        standing.append(row)
    return [
        row
        for row in reversed(standing)
        if row.by != MAJORITY or OutputName(row.id, row.system, row.trial) not in changed_outputs
    ]


def majorities(rows: Sequence[LabelRow]) -> Iterator[LabelRow]:
    """Yield the majority for each output that several people graded in separate rows."""
    by_output: dict[OutputName, dict[str, LabelRow]] = {}
    for row in rows:
        if row.is_usable:
            by_output.setdefault(OutputName(row.id, row.system, row.trial), {})[row.by] = row
    for by_person in by_output.values():
        if len(by_person) > 1 and MAJORITY not in by_person:
            majority_score = majority([row.score for row in by_person.values()], UNDECLARED_SCALE)
            last = [*by_person.values()][-1]
            yield msgspec.structs.replace(
                last, by=MAJORITY, source="construction", score=majority_score, reason=None
            )


def _text(value: Any) -> str | None:
    return None if is_missing(value) else str(as_whole(value))


def _trial(value: Any, path: InputPath, line: int, column: str) -> int | None:
    if is_missing(value):
        return None
    number = as_number(value)
    if number is None or not number.is_integer() or number < 0:
        raise InputError(f"expected a whole number from 0, got {value!r}", path=path, line=line, field=column)
    return int(number)


class OutputName(NamedTuple):
    """Names by which labels refer to an output.

    Attributes:
        id: The case, or the item of a table.
        system: The system, if there is one.
        trial: The attempt, if there is one.
    """

    id: str
    system: str | None = None
    trial: int | None = None
