"""`fiducial.read`: read other tools' files, tables and data frames.

The results are cases, outputs and verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union, Unpack, cast

import msgspec

from ..errors import FiducialError, InputError, UsageError, as_named
from ..formats.file_rows import FileRow
from ..formats.folder import require_records, write_folder
from ..formats.import_options import Options
from ..formats.import_record import ImportRecord, explanation
from ..formats.import_summary import ImportSummary
from ..formats.imported_records import (
    LOGGED,
    FilePosition,
    ImportedRecord,
    RevisedCase,
    Skipped,
    lists_of,
    only_records,
)
from ..formats.imported_scores import ScoreConverter
from ..formats.native_files import NativeFileError
from ..formats.readers import NAMES, find_format, read_all, read_deferred, read_one
from ..formats.references import References
from ..formats.table_formats import TABLES, records_of_table
from ..plugins import FORMATS
from ..records import Case, Output, Verdict
from ..report.text.import_text import grade_hints, import_lines
from ..report.text.number_text import counted
from ..spelling import command
from ..tables.alike_grades import AlikeGrades
from ..tables.column_guesses import TableColumns
from ..tables.frames import frame_rows, is_frame
from ..tables.gzipped import unpacked
from ..tables.header import OF_SECOND_TABLE
from ..tables.named_columns import shown_columns
from .argument_checks import hinting_arguments, require_choice, require_declared
from .display import verdicts_frame
from .headers import HeaderReading, header_choice
from .label_sources import GivenScale, LabelReading, grade_scale, score_scales
from .paths import FilePath, input_path, written_path

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Readable",
    "Reading",
    "explain_import",
    "import_files",
    "import_lines",
    "is_source",
    "read",
    "read_strictly",
    "source_names",
]

GradeBy: TypeAlias = Literal["reference", "context"]
"""Part of a case by which answers are graded if it has both."""

ChatUnit: TypeAlias = Literal["session", "turn"]
"""Part of a log of chats that becomes one case."""

Readable: TypeAlias = Union[FilePath, "pd.DataFrame", "Iterable[Mapping[str, Any]]"]
"""A file or folder, a data frame, a ``datasets.Dataset``, or rows."""


def is_source(name: str) -> bool:
    """Return whether a built-in or registered format has this name."""
    return name in NAMES or name in FORMATS


def source_names() -> list[str]:
    """Return the names of the built-in and registered formats."""
    return [*NAMES, *FORMATS]


class Reading:
    """Records read from another tool's data.

    Args:
        name: The format that it was read as.
        records: The records, in any order.
        table: The columns of the tables that were read.
        converter: The scales of scores; verdicts of authors whose scale turned out to be unknown are withdrawn.
        source: The file, for entries of ``skipped``.

    Attributes:
        format: The format.
        cases: The cases.
        outputs: The outputs.
        verdicts: Verdicts of the tool's own scorers and of people.
        skipped: Rows that became no record, with file, line, field and reason.
        tags: Columns of a table that became tags, since they are not fields.
    """

    def __init__(
        self,
        name: str,
        records: Iterable[ImportedRecord],
        table: TableColumns | None = None,
        converter: ScoreConverter | None = None,
        source: object = None,
    ) -> None:
        self.format = name
        self.cases, self.outputs, self.verdicts, self.skipped = lists_of(records)
        if converter is not None:
            graded = Counter(verdict.by for verdict in self.verdicts if verdict.graded)
            withdrawn = [*converter.withdrawn(graded, source)]
            authors = {skipped.field for skipped in withdrawn}
            self.skipped += withdrawn
            self.verdicts[:] = [
                verdict for verdict in self.verdicts if not (verdict.graded and verdict.by in authors)
            ]
        self._table = table or TableColumns()
        self.tags = self._table.tags

    @property
    def found(self) -> Iterator[ImportedRecord]:
        """All records, cases first."""
        yield from self.cases
        yield from self.outputs
        yield from self.verdicts
        yield from self.skipped

    def save(self, folder: FilePath) -> ImportSummary:
        """Write the records as ``fiducial import`` does.

        Args:
            folder: Folder to write, created if missing.

        Raises:
            InputError: There are no records, or the folder cannot be written.
            UsageError: The folder holds a run.
        """
        return write_folder(self.found, written_path(folder), self.format)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per verdict."""
        return verdicts_frame(self.verdicts)

    def __repr__(self) -> str:
        kinds = ", ".join(
            f"{count} {kind}" for kind, count in Counter(case.kind for case in self.cases).items()
        )
        return (
            f"<read as {self.format}: {counted(len(self.cases), 'case')} ({kinds or 'none'}), {counted(len(self.outputs), 'output')}, "
            f"{counted(len(self.verdicts), 'verdict')}, {len(self.skipped):,} skipped{self._limits()}>"
        )

    def _limits(self) -> str:
        """Say why nothing was read, or what was only partly read."""
        nothing = self.skipped and not self.cases
        why = f", the first: {self.skipped[0].reason.partition(';')[0]}" if nothing else ""
        own = self._table.own_folders
        folders = f"; skipped {counted(own, 'folder')} made by fiducial" if own else ""
        return f"{why}{folders}{self._tagged()}{self._unread()}"

    def _unread(self) -> str:
        """Name the columns that look like grades and were not read."""
        names = self._table.unread
        return f"; not read, though grades or references by name: {shown_columns(names)}" if names else ""

    def _tagged(self) -> str:
        """Name the columns that became tags, and the argument that makes fields of them."""
        if not self.tags:
            return ""
        guesses = f"; name those that are fields: map={self._table.guesses!r}" if self._table.guesses else ""
        hints = grade_hints(self._table.asked, self._table.ratings, self._table.raters)
        grades = "".join(f"; {hint}" for hint in hints)
        return f"; read as tags: {shown_columns(self.tags)}{guesses}{grades}"


class DataReading(LabelReading, HeaderReading, total=False):
    """Options for reading data of another tool; see `read`."""

    criterion: str | None
    system: str | None
    unit: ChatUnit
    join: FilePath | None
    grade_by: GradeBy
    score_scale: GivenScale | None


@hinting_arguments({"format": "did you mean as_=?"})
def read(
    given: Readable,
    *,
    as_: str | None = None,
    map: Mapping[str, str] | None = None,  # noqa: A002 - as on the command line
    criterion: str | None = None,
    system: str | None = None,
    unit: ChatUnit = "session",
    join: FilePath | None = None,
    grade_by: GradeBy = "reference",
    label_scale: tuple[float, float] | None = None,
    label_pass_at: float | None = None,
    map_label: Mapping[str, float | None] | None = None,
    all_alike: bool = False,
    score_scale: GivenScale | None = None,
    header: bool | None = None,
    column_names: Sequence[str] | None = None,
) -> Reading:
    """Read data of another tool: cases, outputs and verdicts.

    Verdicts are read if there are scores; they have the scorers' own names.

    Args:
        given: A file or folder, a data frame, a ``datasets.Dataset``, or rows.
        as_: The format; by default detected from the content.
        map: Columns of a table by field, or fields by column: ``{"answer": "response"}``.
        criterion: Criterion of a good answer, for cases without any reference.
        system: Name of the system of all outputs; by default the file's, else ``logged``.
        unit: Make one case of a whole conversation, with the calls of all its turns, or one case per turn.
        join: A table with references of cases by their id: expected_calls, accepted_answers, criterion and others.
        grade_by: Grade answers by accepted answers where there are some (``reference``), or by the context before them (``context``), as a
            judge of groundedness does.
        label_scale: The worst and the best grade by people in a table, as they are written: ``(1, 5)``.
        label_pass_at: The worst grade that passes, as it is written.
        map_label: Scores of words in labels: ``{"grounded": 1}``.
        all_alike: Accept words that make all labels, or all scores of a judge, pass or all fail.
        score_scale: The worst and the best score of judges, as they are written; a mapping gives those of single judges.
        header: Whether the first row of CSV is a header; None takes it for one unless it looks like data.
        column_names: Names of the columns of CSV, in place of a header, or of its names if ``header`` is True.

    Returns:
        The records; ``format`` names the format, ``skipped`` lists rows that became no record.

    Raises:
        InputError: It cannot be read, its format is not recognized, or it has no record.
        UsageError: There is no such format, or field.
        MissingExtraError: A library is needed that is not installed.
    """
    reading = DataReading(
        map=map,
        criterion=criterion,
        system=system,
        unit=unit,
        join=join,
        grade_by=grade_by,
        label_scale=label_scale,
        label_pass_at=label_pass_at,
        map_label=map_label,
        all_alike=all_alike,
        score_scale=score_scale,
        header=header,
        column_names=column_names,
    )
    references, options = _options(reading)
    if isinstance(given, (str, Path)) or hasattr(given, "__fspath__"):
        path = _input(cast("FilePath", given))
        name = as_ or find_format(path, options.columns, options.header)
        _require_present(path)
        records = _joined(read_all(name, [path], options), references, options.converter)
        return _read_some(Reading(name, records, options.recognized, options.converter, as_named(path)), path)
    records = chain(records_of_table(_rows(given), Path("rows"), options), read_deferred(options))
    return _read_some(
        Reading(
            "rows",
            _joined(records, references, options.converter),
            options.recognized,
            options.converter,
            "rows",
        ),
        "rows",
    )


def _read_some(reading: Reading, path: object) -> Reading:
    """Return a reading; refuse one without a record, as an import into a folder does."""
    if not (reading.cases or reading.outputs or reading.verdicts):
        require_records(reading.skipped[0] if reading.skipped else None, reading.format, path)
    return reading


def other_content(files: Sequence[FilePath]) -> str | None:
    """Return what files other than tables hold, by the first, with the command that reads them.

    None for tables and unknown files.
    """
    try:
        name = find_format(_input(files[0]))
    except NativeFileError as error:
        return f"this file holds {error.use}"
    except FiducialError:
        return None
    if name in TABLES:
        return None
    if name == "pairs":
        return f"these are verdicts on pairs of outputs: `{command('compare', *files, by='system')}` gives win rates, `{command('calibrate', *files)}` agreement with people"
    return f"this is a file of {name}: `{command('import', *files, out='imported')}`, then `fiducial calibrate imported`"


def import_files(
    paths: Sequence[FilePath], out: FilePath, *, as_: str | None = None, **reading: Unpack[DataReading]
) -> ImportSummary:
    """Read files of one format, as `read` does, and write their records as a folder.

    It streams: for lines without a session, memory holds one key each.
    """
    references, options = _options(reading)
    files = [_input(path) for path in paths]
    for path in files:
        _require_present(path)
    name = as_ or find_format(files[0], options.columns, options.header)
    records = _joined(read_all(name, files, options), references, options.converter)
    written = write_folder(records, written_path(out), name, source=files[0], converter=options.converter)
    columns = options.recognized
    record = ImportRecord.of(name, paths, columns.fields, columns.grades, reading)
    record.write(written_path(out))
    return msgspec.structs.replace(
        written,
        columns=columns.fields,
        tags=columns.tags,
        guesses=columns.guesses,
        raters=columns.raters,
        asked=columns.asked,
        ratings=columns.ratings,
        pairing=columns.pairing,
        unread={name: str(path) for name, path in columns.unread.items()},
        unread_ids=columns.unread_ids,
        own_folders=columns.own_folders,
        cut_off=columns.cut_off,
        attempts=columns.attempts,
        file_systems=[*columns.systems.values()],
    )


def explain_import(folder: FilePath) -> list[str]:
    """Return how an import read its columns, as a command that names them.

    Raises:
        InputError: The folder is no import.
    """
    return explanation(input_path(folder))


def _options(reading: DataReading) -> tuple[References | None, Options]:
    require_declared(reading, DataReading)
    unit, grade_by = reading.get("unit", "session"), reading.get("grade_by", "reference")
    columns, system, join = reading.get("map") or {}, reading.get("system"), reading.get("join")
    words, alike = reading.get("map_label"), reading.get("all_alike", False)
    grades = grade_scale(reading.get("label_scale"), reading.get("label_pass_at"), words, all_alike=alike)
    require_choice("unit", unit, ChatUnit)
    require_choice("grade_by", grade_by, GradeBy)
    references = None
    if join is not None:
        _require_present(path := _input(join))
        references = References(path, columns, grades, header=OF_SECOND_TABLE)
    options = Options(
        columns=columns,
        criterion=reading.get("criterion"),
        system=system or LOGGED,
        joined=system,
        unit=unit,
        answers="accepted" if grade_by == "reference" else "open",
        grades=grades,
        header=header_choice(reading.get("header"), reading.get("column_names")),
        converter=ScoreConverter(score_scales(reading.get("score_scale"), words, all_alike=alike), grades),
        alike=AlikeGrades(grades),
    )
    if references is None:
        return None, options
    options.recognized.add_references(references.first_rows, references.fields)
    return references, replace(options, complete=references.complete, joined_columns=references.columns)


def _joined(
    records: Iterable[ImportedRecord], references: References | None, converter: ScoreConverter
) -> Iterator[ImportedRecord]:
    """Yield the records, then a skipped row for each reference without a case.

    Raises:
        UsageError: A judge whose scale is given has no score.
    """
    for record in records if references is None else chain(records, references.left()):
        if isinstance(record, Skipped):
            yield msgspec.structs.replace(record, file=as_named(record.file))
        else:
            yield record
    converter.require_all_used()


def _input(path: FilePath) -> Path:
    """Return the path to read from; see `input_path`, and `unpacked` for gzip files."""
    return unpacked(input_path(path))


def read_strictly(
    source: str, path: FilePath, *, criterion: str | None = None, system: str = LOGGED
) -> Iterator[Case | RevisedCase | Output | Verdict]:
    """Read a log completely, or raise at the first bad record.

    A context takes precedence over accepted answers; either is graded by a judge, not a checker.
    """
    options = Options(criterion=criterion, system=system, answers="open", unit="last")
    return only_records(read_one(source, _input(path), options))


def _require_present(path: Path) -> None:
    if not path.exists():
        raise InputError("there is no such file or folder", path=path)


def _rows(table: Any) -> Iterator[FileRow]:
    if is_frame(table):
        table = frame_rows(table)
    elif isinstance(table, Mapping) or not isinstance(table, Iterable):
        kind = type(table).__name__  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        raise UsageError(f"expected a path, a data frame or rows, got {kind}")
    position = FilePosition(Path("rows"))
    for number, row in enumerate(cast("Iterable[Any]", table), start=1):
        value = dict(cast("Mapping[str, Any]", row)) if isinstance(row, Mapping) else row
        yield FileRow(value, position, f"row {number}", number)
