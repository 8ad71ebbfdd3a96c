"""`fiducial.read`: read other tools' files, tables and data frames.

The results are cases, outputs and verdicts.
"""

from __future__ import annotations

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
    only_records,
)
from ..formats.imported_scores import ScoreConverter
from ..formats.native_files import NativeFileError
from ..formats.readers import NAMES, find_format, read_all, read_deferred, read_one
from ..formats.references import References
from ..formats.table_formats import TABLES, records_of_table
from ..plugins import FORMATS
from ..records import Case, Output, Verdict
from ..report.text.import_text import import_lines
from ..spelling import command
from ..tables.alike_grades import AlikeGrades
from ..tables.frames import frame_rows, is_frame
from ..tables.gzipped import unpacked
from ..tables.header import OF_SECOND_TABLE
from .argument_checks import hinting_arguments, require_choice, require_declared
from .headers import HeaderReading, header_choice
from .label_sources import GivenScale, LabelReading, grade_scale, score_scales
from .paths import FilePath, input_path, written_path
from .reading_result import Reading

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
    references, options = _references_and_options(reading)
    if isinstance(given, (str, Path)) or hasattr(given, "__fspath__"):
        path = _unpacked_input(cast("FilePath", given))
        name = as_ or find_format(path, options.columns, options.header)
        _require_present(path)
        records = _with_references_left(read_all(name, [path], options), references, options.converter)
        return _require_nonempty(
            Reading(name, records, options.recognized, options.converter, as_named(path)), path
        )
    records = chain(records_of_table(_rows_of_table(given), Path("rows"), options), read_deferred(options))
    return _require_nonempty(
        Reading(
            "rows",
            _with_references_left(records, references, options.converter),
            options.recognized,
            options.converter,
            "rows",
        ),
        "rows",
    )


def _require_nonempty(reading: Reading, path: object) -> Reading:
    """Return the reading, or raise an InputError if it has no record, as `import_files` does."""
    if not (reading.cases or reading.outputs or reading.verdicts):
        require_records(reading.skipped[0] if reading.skipped else None, reading.format, path)
    return reading


def other_content(files: Sequence[FilePath]) -> str | None:
    """Return what the first file contains and the command that reads it, if it is no table.

    None for tables and unknown files.
    """
    try:
        name = find_format(_unpacked_input(files[0]))
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
    references, options = _references_and_options(reading)
    files = [_unpacked_input(path) for path in paths]
    for path in files:
        _require_present(path)
    name = as_ or find_format(files[0], options.columns, options.header)
    records = _with_references_left(read_all(name, files, options), references, options.converter)
    summary = write_folder(records, written_path(out), name, source=files[0], converter=options.converter)
    recognized = options.recognized
    record = ImportRecord.of(name, paths, recognized.fields, recognized.grades, reading)
    record.write(written_path(out))
    return msgspec.structs.replace(
        summary,
        columns=recognized.fields,
        tags=recognized.tags,
        guesses=recognized.guesses,
        raters=recognized.raters,
        asked=recognized.asked,
        ratings=recognized.ratings,
        pairing=recognized.pairing,
        unread={name: str(path) for name, path in recognized.unread.items()},
        unread_ids=recognized.unread_ids,
        own_folders=recognized.own_folders,
        cut_off=recognized.cut_off,
        attempts=recognized.attempts,
        file_systems=[*recognized.systems.values()],
    )


def explain_import(folder: FilePath) -> list[str]:
    """Return how an import read its columns, as a command that names them.

    Raises:
        InputError: The folder is no import.
    """
    return explanation(input_path(folder))


def _references_and_options(reading: DataReading) -> tuple[References | None, Options]:
    require_declared(reading, DataReading)
    unit, grade_by = reading.get("unit", "session"), reading.get("grade_by", "reference")
    columns, system, join = reading.get("map") or {}, reading.get("system"), reading.get("join")
    score_of_word, all_alike = reading.get("map_label"), reading.get("all_alike", False)
    grades = grade_scale(
        reading.get("label_scale"), reading.get("label_pass_at"), score_of_word, all_alike=all_alike
    )
    require_choice("unit", unit, ChatUnit)
    require_choice("grade_by", grade_by, GradeBy)
    references = None
    if join is not None:
        _require_present(path := _unpacked_input(join))
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
        converter=ScoreConverter(
            score_scales(reading.get("score_scale"), score_of_word, all_alike=all_alike), grades
        ),
        alike=AlikeGrades(grades),
    )
    if references is None:
        return None, options
    options.recognized.add_references(references.first_rows, references.fields)
    return references, replace(options, complete=references.complete, joined_columns=references.columns)


def _with_references_left(
    records: Iterable[ImportedRecord], references: References | None, converter: ScoreConverter
) -> Iterator[ImportedRecord]:
    """Yield the records, then an entry of ``skipped`` for each reference without a case.

    Raises:
        UsageError: A judge whose scale is given has no score.
    """
    for record in records if references is None else chain(records, references.left()):
        if isinstance(record, Skipped):
            yield msgspec.structs.replace(record, file=as_named(record.file))
        else:
            yield record
    converter.require_all_used()


def _unpacked_input(path: FilePath) -> Path:
    return unpacked(input_path(path))


def read_strictly(
    source: str, path: FilePath, *, criterion: str | None = None, system: str = LOGGED
) -> Iterator[Case | RevisedCase | Output | Verdict]:
    """Read a log completely, or raise at the first bad record.

    A context takes precedence over accepted answers; either is graded by a judge, not a checker.
    """
    options = Options(criterion=criterion, system=system, answers="open", unit="last")
    return only_records(read_one(source, _unpacked_input(path), options))


def _require_present(path: Path) -> None:
    if not path.exists():
        raise InputError("there is no such file or folder", path=path)


def _rows_of_table(table: Any) -> Iterator[FileRow]:
    if is_frame(table):
        table = frame_rows(table)
    elif isinstance(table, Mapping) or not isinstance(table, Iterable):
        kind = type(table).__name__  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        raise UsageError(f"expected a path, a data frame or rows, got {kind}")
    position = FilePosition(Path("rows"))
    for number, row in enumerate(cast("Iterable[Any]", table), start=1):
        value = dict(cast("Mapping[str, Any]", row)) if isinstance(row, Mapping) else row
        yield FileRow(value, position, f"row {number}", number)
