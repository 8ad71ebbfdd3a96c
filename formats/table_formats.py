"""Formats of tables: CSV, TSV, JSON, Parquet and Hugging Face folders.

`records_of_table` reads rows by their columns; other formats that are tables use it, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..errors import ChoiceNeeded, InputError
from ..tables.column_errors import missing_columns
from ..tables.column_names import HEADERS, SESSIONS
from ..tables.fault_columns import is_fault
from ..tables.named_columns import known_fields, people_columns, person_column
from ..tables.table_rows import read_table_rows
from .arrow_rows import read_any_rows, read_arrow_rows, read_csv_rows
from .example_records import records_of
from .exchanges import exchange_of, is_exchange
from .file_rows import JSON_SUFFIXES, FileRow, convert_rows, files_in, files_of, imported_rows
from .import_options import Options
from .imported_records import ImportedRecord, Skipped
from .json_values import is_object
from .known_columns import instruction_input, row_example
from .openai_chat import exchange_records
from .recognized_grades import LOOKED_AT, RecognizedGrades, recognize_grades
from .repeated_ids import require_one_question
from .unanswered import Unanswered
from .unasked import UnaskedCases
from .wide_rows import answer_columns, require_clear, row_per_answer, with_one_answer

_NOTHING_LOST = "nothing"
_DATA_SUFFIXES = (".arrow", ".parquet", ".jsonl", ".csv", ".tsv")
_DATASET_FILES = ("dataset_info.json", "state.json", "dataset_dict.json")
"""Files that ``datasets`` writes beside the data it saves."""


_SEPARATE_ITEM_FIELDS = (
    "id",
    "accepted_answers",
    "expected_calls",
    "tool_calls",
    "context",
    "criterion",
    "score",
    "verdicts",
    "trial",
    "label",
)
"""Fields that make a row a separate item, even if it names a session."""


@lru_cache(HEADERS)
def _may_be_turns(columns: tuple[str, ...]) -> bool:
    return not known_fields(columns, ()).keys() & set(_SEPARATE_ITEM_FIELDS) and not set(SESSIONS).isdisjoint(
        columns
    )


def _is_turn_of_a_session(
    row: Mapping[str, Any], mapping: Mapping[str, str], graded: RecognizedGrades
) -> bool:
    """Return whether a row is one exchange of a session.

    A row with an id, references or scores of its own is a separate item.
    """
    return (
        not mapping
        and _may_be_turns(tuple(row))
        and not any(row.get(name) is not None for name in (graded.label or "", *graded.judges))
        and is_exchange(dict(row))
        and any(row.get(name) is not None for name in SESSIONS)
    )


def records_of_table(
    rows: Iterable[FileRow | Skipped], path: Path, options: Options
) -> Iterator[ImportedRecord]:
    """Read rows by their columns.

    Args:
        rows: The rows.
        path: Their file, for errors.
        options: Options, which may name columns.

    Raises:
        ColumnsError: No row has a question, and the rows are useless without one.
        InputError: No row has a mapped column.
        UsageError: A field may belong to any of several answers in a row.
    """
    rows = iter(rows)
    first_rows = list(islice(rows, LOOKED_AT))
    first_values = [row.value for row in first_rows if isinstance(row, FileRow) and is_object(row.value)]
    graded = _recognized(first_values, options, path)
    header = list(dict.fromkeys(chain(*first_values)))
    answers = answer_columns(header, options.columns)
    if len(answers) > 1:
        require_clear(header, answers, options, graded)
        rows_of_one_answer = row_per_answer(chain(first_rows, rows), answers, options)
        yield from records_of_table(rows_of_one_answer, path, with_one_answer(options))
        return
    fields = _note_columns(first_values, options, graded)
    require_one_question(first_values, fields, path)
    columns_seen: set[str] = set()
    unanswered, unasked = Unanswered(), UnaskedCases()

    def checked_rows() -> Iterator[FileRow | Skipped]:
        for number, row in enumerate(chain(first_rows, rows)):
            if isinstance(row, FileRow) and is_object(row.value):
                # Only the first rows decided that grades are from 0 to 1.
                if number >= LOOKED_AT and any(graded.unit):
                    graded.require_early_scale(row, options.grades)
                if not row.value.keys() <= columns_seen:
                    columns_seen.update(map(str, row.value))
            yield row

    yield from convert_rows(checked_rows(), lambda row: _records(row, options, graded, unanswered, unasked))
    yield from unanswered.left(path)
    problem = (
        missing_columns(columns_seen | options.joined_columns, options.columns) if columns_seen else None
    )
    if problem is not None:
        raise InputError(problem, path=path)
    options.alike.refuse(path)
    unasked.refuse(fields, options.recognized.guesses, columns_seen, path)


def _note_columns(
    rows: Sequence[Mapping[str, Any]], options: Options, graded: RecognizedGrades
) -> dict[str, str]:
    """Return the columns of fields; note them, and those that become tags, for the summary."""
    header = tuple(dict.fromkeys(name for row in rows for name in row))
    fields = dict(known_fields(header, tuple(options.columns.items())))
    fields.pop("label", None)
    if graded.label is not None:
        fields["label"] = graded.label
    person = person_column(header) if "label" in fields else None
    input_column = instruction_input(header, fields)
    people = people_columns(header, options.columns)
    options.recognized.grades["score"] += graded.judges
    options.recognized.grades["label"] += people if len(people) > 1 else ()
    options.recognized.add(rows, fields, [*graded.judges, *people, *filter(None, [person, input_column])])
    if len(graded.unnamed) == 1 and not is_fault(graded.unnamed[0]):
        options.recognized.guesses["score"] = graded.unnamed[0]
    return fields


def _recognized(rows: Sequence[Mapping[str, Any]], options: Options, path: Path) -> RecognizedGrades:
    """Return the columns of grades; an error names the file."""
    try:
        return recognize_grades(rows, options)
    except ChoiceNeeded as error:
        error.path = path
        raise


def _records(
    row: FileRow,
    options: Options,
    graded: RecognizedGrades,
    unanswered: Unanswered,
    unasked: UnaskedCases,
) -> Iterator[ImportedRecord]:
    if (
        options.unit != "last"
        and is_object(row.value)
        and _is_turn_of_a_session(row.value, options.columns, graded)
    ):
        yield from exchange_records(exchange_of(row), row, options)
        return
    example, skipped = row_example(row, options, graded)
    yield from skipped
    if options.recognized.systems and example.system is None:
        example.system = options.recognized.systems.get(row.position.path)
    records = list(records_of(example, row.position, options))
    if unasked.pending:
        unasked.note(records)
    yield from unanswered.take(records)


class _Table(ABC):
    """A `Format` whose files are tables."""

    NAME: str
    ABOUT: str
    LOST: str

    def recognises(self, glimpse: Any) -> bool:
        """Return False, since a file is read as a table only if no other format recognises it."""
        del glimpse
        return False

    def read(self, path: Path, options: Options) -> Iterator[ImportedRecord]:
        return records_of_table(self.rows(path, options), path, options)

    @abstractmethod
    def rows(self, path: Path, options: Options) -> Iterator[FileRow | Skipped]:
        """Yield the rows of a file, or of the files in a folder."""


class _Csv(_Table):
    """CSV and TSV, columns by name."""

    NAME = "csv"
    ABOUT = "CSV and TSV, read as pandas reads them; blank rows are no rows"
    LOST = _NOTHING_LOST

    def rows(self, path: Path, options: Options) -> Iterator[FileRow | Skipped]:
        return read_csv_rows(path, options.header)


class _Json(_Table):
    """Rows of JSON, an object each, columns by name."""

    NAME = "json"
    ABOUT = "objects in an array, under a key or one a line; data frames"
    LOST = _NOTHING_LOST

    def rows(self, path: Path, options: Options) -> Iterator[FileRow | Skipped]:
        return (
            row
            for file in files_of(path, JSON_SUFFIXES)
            for row in imported_rows(read_table_rows(file, options.columns), file)
        )


class _Parquet(_Table):
    """Parquet, columns by name."""

    NAME = "parquet"
    ABOUT = "Parquet"
    LOST = "bytes, null keys of structs"

    def rows(self, path: Path, options: Options) -> Iterator[FileRow | Skipped]:
        del options
        return (row for file in files_of(path, (".parquet",)) for row in read_arrow_rows(file))


class _HuggingFace(_Table):
    """Hugging Face ``datasets`` folders: saved by ``save_to_disk``, or files of a repository."""

    NAME = "hf"
    ABOUT = "folders saved by `datasets`; repositories with Parquet, JSON Lines or CSV"
    LOST = "names of splits, bytes, null keys of structs"

    def rows(self, path: Path, options: Options) -> Iterator[FileRow | Skipped]:
        files = files_in(path, _DATA_SUFFIXES) if path.is_dir() else [path]
        # `datasets` keeps results of its own in cache files; reading a device or a pipe might never end.
        data_files = [file for file in files if not file.name.startswith("cache-") and file.is_file()]
        if not data_files:
            raise InputError(f"holds no file of data ({', '.join(_DATA_SUFFIXES)})", path=path)
        return (row for file in data_files for row in read_any_rows(file, header=options.header))


TABLES: dict[str, _Table] = {table.NAME: table for table in (_Csv(), _Parquet(), _Json(), _HuggingFace())}
"""Table formats by name."""


def is_folder_of_datasets(path: Path) -> bool:
    """Return whether a folder was saved by ``datasets``, or has a README with Parquet files."""
    if any((path / mark).exists() for mark in _DATASET_FILES):
        return True
    return (path / "README.md").exists() and any(file.suffix == ".parquet" for file in path.rglob("*"))
