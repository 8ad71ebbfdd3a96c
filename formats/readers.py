"""Formats by name, and detection of a file's format by its content.

A format is a module with the members of `Format`; it is imported when a file needs it. Users register further formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast

from ..errors import FiducialError, InputError, RecordError, UnknownFormatError, UsageError, readable
from ..plugins import FORMATS
from ..records import Verdict, nearest
from ..tables.column_errors import has_only_grades, text_columns, unknown_columns
from ..tables.csv_file import SUFFIXES, require_no_workbook
from ..tables.header import UNSAID, HeaderChoice
from ..tables.json_rows import UnreadRow, is_document
from ..tables.json_tables import content_fields, rows_in
from ..tables.named_columns import columns_by_field
from .arrow_rows import read_arrow_rows, read_csv_rows
from .custom_format import read_custom
from .exchanges import is_exchange
from .file_rows import JSON_SUFFIXES, FileRow, files_in, own_folders, read_rows
from .file_systems import systems_by_file
from .import_options import Options
from .imported_records import ImportedRecord, Skipped, within_size_limit
from .json_values import is_list, is_object
from .junit_xml import is_junit
from .native_files import require_foreign_file, require_no_run_folder
from .pair_layouts import may_name_pairs
from .refused_layouts import require_unknown_layout
from .table_formats import TABLES, is_folder_of_datasets


class Format(Protocol):
    """Interface of a format module."""

    NAME: str
    """Name as a user types it."""
    ABOUT: str
    """Kinds of files that are read."""
    LOST: str
    """Content that is lost, since cases, outputs and verdicts have no place for it."""

    def recognises(self, glimpse: Any) -> bool:
        """Return whether the first JSON value of a file is of this format."""
        ...

    def read(self, path: Path, options: Options) -> Iterator[ImportedRecord]:
        """Read a file, or a folder of files that belong together.

        Raises:
            InputError: A file cannot be read.
            MissingExtraError: A library is needed and not installed.
        """
        ...


_MODULES: dict[str, str] = {
    "inspect": "inspect_logs",
    "healthbench": "healthbench",
    "rubric": "rubric_rows",
    "langsmith": "langsmith",
    "promptfoo": "promptfoo",
    "otlp": "otlp",
    "mlflow": "mlflow",
    "langfuse": "langfuse",
    "tau": "tau_bench",
    "crewai": "crewai",
    "mt-bench": "mt_bench",
    "toolbench": "toolbench",
    "devai": "agent_judge",
    "openai": "openai_chat",
    "phoenix": "phoenix",
    "deepeval": "deepeval",
    "pydantic-evals": "pydantic_evals",
    "ragas": "ragas",
    "braintrust": "braintrust",
    "azure": "azure_rows",
    "junit": "junit_xml",
    "pairs": "pairwise_rows",
}
"""Modules of the formats that recognise their files, by name, in order of detection."""

NAMES = (*_MODULES, *TABLES)
"""Names of the built-in formats."""

_MAX_GLIMPSES = 20
"""Maximum number of values of a file that are examined to detect its format."""

_START_BYTES = 1 << 16
"""Size of a file's start in which columns of pairs are searched for, before any row is parsed."""

_MAX_FIRST_ROWS = 512
"""Number of first rows by which a table is recognised as one of pairs."""

_MAX_SHOWN_KEYS = 8
"""Maximum number of keys that an error names."""

_YAML_SUFFIXES = (".yaml", ".yml")
_TEXT_SUFFIXES = (*JSON_SUFFIXES, *_YAML_SUFFIXES)
_DATA_SUFFIXES = (".eval", ".parquet", ".xml", *SUFFIXES, *_TEXT_SUFFIXES)

_SUFFIXES_IN_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "csv": SUFFIXES,
    "parquet": (".parquet",),
    "inspect": (".eval", ".json"),
    "pydantic-evals": (".json", *_YAML_SUFFIXES),
    "junit": (".xml",),
    "hf": _DATA_SUFFIXES,
}
"""Suffixes of the files that a format reads in a folder, if they are not those of JSON."""


def format_of(name: str) -> Format:
    """Return a built-in format by name.

    Raises:
        UsageError: No format has this name.
    """
    if name in TABLES:
        return TABLES[name]
    if name not in _MODULES:
        known = [*NAMES, *FORMATS]
        raise UsageError(f"no format is called {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return cast("Format", import_module(f".{_MODULES[name]}", __package__))


def read_one(name: str, path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read one file or folder; see `read_all`."""
    return read_all(name, [path], options)


def read_all(name: str, paths: Iterable[Path], options: Options) -> Iterator[ImportedRecord]:
    """Read files or folders of one built-in or registered format.

    All files are read as one, since a session may continue in the next file.

    Raises:
        InputError: A file cannot be read.
        UsageError: There is no such format.
    """
    path, paths = Path(name), list(paths)  # without any path, errors name the format
    options.recognized.systems |= systems_by_file(name, paths, options)
    for path in paths:
        if path.is_dir():
            options.recognized.own_folders += len(own_folders(path))
        if name not in NAMES and name in FORMATS:
            yield from within_size_limit(read_custom(name, path), path)
            continue
        yield from _without_duplicates(format_of(name).read(path, options), options, path)
        if path.is_dir():
            yield from _unread_files(name, path)
    yield from within_size_limit(read_deferred(options), path)


def _unread_files(name: str, folder: Path) -> Iterator[Skipped]:
    suffixes_read = _SUFFIXES_IN_FOLDERS.get(name, JSON_SUFFIXES)
    for file in files_in(folder, (*_DATA_SUFFIXES, ".gz")):
        if not file.name.lower().endswith(suffixes_read):
            reason = f"not read, since its folder is read as {name}; import the file by itself"
            yield Skipped(file=str(file), reason=reason)


def read_deferred(options: Options) -> Iterator[ImportedRecord]:
    """Yield the records that need all files: people's majorities, sessions, failed calls."""
    yield from options.seen.majorities()
    if options.deferred:
        from .openai_chat import deferred_records  # noqa: PLC0415 - loaded only if lines of chats were read

        yield from deferred_records(options)


def _without_duplicates(
    records: Iterable[ImportedRecord], options: Options, path: Path
) -> Iterator[ImportedRecord]:
    for record in within_size_limit(records, path):
        if isinstance(record, Verdict) and options.seen.is_repeated(record):
            yield Skipped(file=str(path), reason=f"a second verdict of {record.by!r} on {record.key}")
        else:
            yield record


def find_format(path: Path, columns: Mapping[str, str] | None = None, header: HeaderChoice = UNSAID) -> str:
    """Detect the format of a file or folder from its content.

    Args:
        path: The file or folder.
        columns: Columns that the user named, which alone may identify a table.
        header: What the user said about the header of CSV.

    Raises:
        InputError: The file cannot be read, or its format is not recognised.
    """
    if not path.exists():
        raise InputError("there is no such file or folder", path=path)
    if path.is_dir():
        return _format_of_folder(path, columns or {}, header)
    require_no_workbook(path)
    return _format_by_start(path, columns or {}, header) or _format_by_content(path, columns or {})


def _names_answers(columns: Mapping[str, str]) -> bool:
    """Return whether the user named a column of answers, which a table of pairs does not have."""
    return "response" in {*columns, *columns.values()}


def _format_by_start(path: Path, columns: Mapping[str, str], header: HeaderChoice) -> str | None:
    """Return the format that a file's first bytes or its suffix tell, or None if neither does."""
    with readable(path), path.open("rb") as file:
        start = file.read(4)
    suffix = path.suffix.lower()
    if start == b"PK\x03\x04" or suffix == ".eval":
        return "inspect"
    if start == b"PAR1" or suffix in {".parquet", ".arrow"}:
        rows = _first_values(read_arrow_rows(path))
        if not _names_answers(columns) and _are_pairs(rows):
            return "pairs"
        return _tool_of_columns(rows) or "parquet"
    if suffix in SUFFIXES:
        return _format_of_table(path, columns, header)
    if is_junit(path):
        return "junit"
    return "pydantic-evals" if suffix in _YAML_SUFFIXES else None


def _format_by_content(path: Path, columns: Mapping[str, str]) -> str:
    glimpses = list(_glimpses(path))
    objects = [glimpse for glimpse in glimpses if is_object(glimpse)]
    if not _names_answers(columns) and _are_pairs(objects):
        return "pairs"
    for glimpse in glimpses:
        require_foreign_file(glimpse, path)
        for name in _MODULES:
            if format_of(name).recognises(glimpse):
                return name
        if is_object(glimpse) and is_exchange(glimpse, plain=not _has_reference(glimpse)):
            return "openai"
        if is_object(glimpse) and _is_row_or_table(glimpse, columns, is_whole=is_document(path)):
            return "json"
    require_unknown_layout(glimpses, path)
    raise _unrecognised(path, glimpses)


def _are_pairs(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the first rows of a file are pairs of outputs, with choices between them."""
    if not rows:
        return False
    from .pairwise_rows import are_pairs  # noqa: PLC0415 - few files hold pairs

    if len(rows) > 1 or are_pairs(rows):
        return are_pairs(rows)
    # A single object may contain the rows of the table.
    rows_within = rows_in(dict(rows[0]), {}, is_document=True) or ()
    return are_pairs([row for _, row in rows_within if is_object(row)][:_MAX_FIRST_ROWS] or rows)


def holds_pairs(path: Path, header: HeaderChoice = UNSAID) -> bool:
    """Return whether a file is a table of pairs of outputs, with choices between them.

    Only the first rows are read. The answer is False for a file that cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix not in {*SUFFIXES, *JSON_SUFFIXES, ".parquet", ".arrow"} or not path.is_file():
        return False
    if suffix in JSON_SUFFIXES:
        with readable(path), path.open("rb") as file:
            if not may_name_pairs(file.read(_START_BYTES)):
                return False
    try:
        if suffix in JSON_SUFFIXES:
            return _are_pairs([glimpse for glimpse in _glimpses(path) if is_object(glimpse)])
        rows = read_csv_rows(path, header) if suffix in SUFFIXES else read_arrow_rows(path)
        return _are_pairs(_first_values(rows))
    except FiducialError:
        return False


def _unrecognised(path: Path, glimpses: Sequence[Any]) -> InputError:
    rows = [glimpse for glimpse in glimpses if is_object(glimpse)]
    table_row = next(filter(text_columns, rows), None) or next(filter(_is_score_row, rows), None)
    if table_row is not None:
        return InputError(f"of no known tool; read as json, {unknown_columns(table_row)}", path=path)
    keys = ", ".join(map(repr, islice(rows[0], _MAX_SHOWN_KEYS))) if rows else ""
    keys_text = f" from {keys}" if keys else ""
    return UnknownFormatError(f"cannot tell the format{keys_text}; name it: {', '.join(NAMES)}", path=path)


def _is_score_row(row: Mapping[str, Any]) -> bool:
    """Return whether an object is a row of a table of scores, not a tool's record with a score."""
    return has_only_grades(row) and not any(is_object(value) or is_list(value) for value in row.values())


def _format_of_folder(path: Path, columns: Mapping[str, str], header: HeaderChoice) -> str:
    if is_folder_of_datasets(path):
        return "hf"
    require_no_run_folder(path)
    problems: list[FiducialError] = []
    for file in files_in(path, _DATA_SUFFIXES):
        try:
            return find_format(file, columns, header)
        except FiducialError as problem:
            problems.append(problem)
    raise problems[0] if problems else InputError("holds no file of a known format", path=path)


def _format_of_table(path: Path, columns: Mapping[str, str], header: HeaderChoice) -> str:
    try:
        rows = _first_values(read_csv_rows(path, header))
    except InputError as error:
        # promptfoo repeats its columns for each prompt, which no other table may do.
        if error.field == "Status":
            return "promptfoo"
        raise
    if rows and "Named Scores" in rows[0]:
        return "promptfoo"
    if not _names_answers(columns) and _are_pairs(rows):
        return "pairs"
    return _tool_of_columns(rows) or "csv"


def _tool_of_columns(rows: Sequence[Mapping[str, Any]]) -> str | None:
    tools = ("phoenix", "deepeval", "ragas", "langsmith", "rubric", "healthbench")
    return next((name for name in tools if rows and format_of(name).recognises(rows[0])), None)


def _first_values(rows: Iterator[FileRow | Skipped]) -> list[dict[str, Any]]:
    return [
        row.value
        for row in islice(rows, _MAX_FIRST_ROWS)
        if isinstance(row, FileRow) and is_object(row.value)
    ]


def _glimpses(path: Path) -> Iterator[Any]:
    """Yield the first values of a file, and after each list its first item.

    Callers examine several values, because the first may not tell the format.

    Raises:
        InputError: The file has no value, or none of its first lines is JSON.
    """
    if not path.stat().st_size:
        raise InputError("the file is empty", path=path)
    try:
        first_rows = list(islice(read_rows(path, is_row=lambda _: True), _MAX_GLIMPSES))
    except InputError as error:
        raise _not_json(error, path) from error
    values = [row.value for row in first_rows if isinstance(row, FileRow)]
    skipped = next((row for row in first_rows if isinstance(row, Skipped)), None)
    if not values and skipped is not None:
        raise InputError(skipped.reason, path=path, line=skipped.line, field=skipped.field)
    for value in values:
        yield value
        if is_list(value) and value:
            yield value[0]
    if all(value in ([], {}) for value in values):
        raise InputError("the file holds no records", path=path)


def _not_json(error: InputError, path: Path) -> InputError:
    if path.suffix.lower() in _TEXT_SUFFIXES:
        return error
    message = f"{error.message}; a table needs the ending {' or '.join(SUFFIXES)}"
    return InputError(message, path=path, line=error.line)


def _has_reference(row: dict[str, Any]) -> bool:
    """Return whether a row has a column of scores or references, as logs of chats have not."""
    graded_fields = {"accepted_answers", "criterion", "score", "verdicts", "context"}
    return not graded_fields.isdisjoint(columns_by_field(row, {}))


def _is_row_or_table(value: dict[str, Any], columns: Mapping[str, str], *, is_whole: bool) -> bool:
    """Return whether an object is a row with a question or an answer, or a table of such rows."""
    try:
        rows = rows_in(value, columns, is_document=is_whole)
    except RecordError:
        return False
    if rows and all(isinstance(row, UnreadRow) for _, row in rows):
        return True
    first = next((row for _, row in rows or () if is_object(row)), value)
    return bool(content_fields(first, columns))
