"""Parquet files and Arrow streams, read batch by batch within bounds.

A small file can unpack to far more memory than there is, so that sizes are checked before values become Python objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, MissingExtraError
from .csv_file import require_unique_names

MIN_UNPACKED, UNPACKED_FACTOR = 256 << 20, 256
"""Limit of unpacked bytes: the larger of the first number, and the second times the file's size."""

_ROW_BYTES, _CELL_BYTES = 512, 32
"""Minimum bytes counted for a row, and for each of its values: a file of a few bytes can repeat a value a million times."""

_BATCH_ROWS, _BATCH_BYTES = 1024, 16 << 20
"""Maximum number of rows in a batch, and size in bytes above which a batch is read row by row."""


class UnreadableRow(NamedTuple):
    """Row with a value that Python cannot represent: a year after 9999, or invalid UTF-8.

    Attributes:
        field: The column of the value.
        problem: Why it cannot be read.
    """

    field: str
    problem: str


def pyarrow(doing: str) -> tuple[Any, Any]:
    """Import pyarrow and `pyarrow.parquet`, an optional dependency.

    Args:
        doing: What needs it, for the error message.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("parquet", doing) from error


def arrow_rows(path: Path) -> Iterator[dict[str, Any] | UnreadableRow]:
    """Read the rows of a file.

    Raises:
        InputError: The file cannot be read, or unpacks to more than a file of its size may.
        MissingExtraError: pyarrow is not installed.
    """
    max_bytes = max(MIN_UNPACKED, UNPACKED_FACTOR * path.stat().st_size) if path.exists() else MIN_UNPACKED
    unpacked_bytes = 0
    for batch in _batches(path, max_bytes):
        require_unique_names(batch.schema.names, path, None)
        size = batch.num_rows * (_ROW_BYTES + _CELL_BYTES * batch.num_columns) + _size_of_columns(batch, path)
        unpacked_bytes += size
        if unpacked_bytes > max_bytes:
            raise _too_large(path, max_bytes)
        pieces = [batch] if size < _BATCH_BYTES else (batch.slice(row, 1) for row in range(batch.num_rows))
        for piece in pieces:
            yield from _rows(piece)


def _too_large(path: Path, max_bytes: int) -> InputError:
    return InputError(
        f"unpacks to more than {max_bytes >> 20:,} MiB, too much for a file of its size", path=path
    )


def _batches(path: Path, max_bytes: int) -> Iterator[Any]:
    arrow, parquet = pyarrow("reading Parquet or Arrow")
    is_stream = path.suffix.lower() == ".arrow"
    try:
        if is_stream:
            with arrow.OSFile(str(path)) as file:
                for batch in arrow.ipc.open_stream(file):
                    yield from (batch.slice(at, _BATCH_ROWS) for at in range(0, batch.num_rows, _BATCH_ROWS))
        else:
            with parquet.ParquetFile(path) as file:
                columns = _column_chunks(file)
            _require_small_columns(columns, path, max_bytes)
            texts = sorted(
                {column.path_in_schema for column in columns if column.physical_type == "BYTE_ARRAY"}
            )
            # Otherwise every row gets a copy of a text that the file holds once.
            with parquet.ParquetFile(path, read_dictionary=texts) as file:
                yield from file.iter_batches(_BATCH_ROWS)
    except (OSError, UnicodeDecodeError, KeyError, arrow.ArrowException) as error:
        message = f"cannot be read as {'Arrow' if is_stream else 'Parquet'}: {' '.join(str(error).split())}"
        raise InputError(message, path=path) from error


def _column_chunks(file: Any) -> list[Any]:
    metadata = file.metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return [group.column(number) for group in groups for number in range(group.num_columns)]


def _require_small_columns(columns: Iterable[Any], path: Path, max_bytes: int) -> None:
    declared = sum(column.total_uncompressed_size + column.num_values * _CELL_BYTES for column in columns)
    if declared > max_bytes:
        raise _too_large(path, max_bytes)


def _size_of_columns(batch: Any, path: Path) -> int:
    arrow, _ = pyarrow("reading Parquet or Arrow")
    try:
        return sum(map(_size, batch.columns))
    except arrow.ArrowException as error:  # an index beyond the end of the texts
        raise InputError(f"cannot be read: {' '.join(str(error).split())}", path=path) from error


def _size(array: Any) -> int:
    """Return the bytes of an array's values once each is an object of its own."""
    arrow, _ = pyarrow("reading Parquet or Arrow")
    compute = import_module("pyarrow.compute")
    if isinstance(array, arrow.DictionaryArray):
        if array.dictionary.type not in _byte_types(arrow):
            return len(array) * _CELL_BYTES
        lengths = compute.binary_length(array.dictionary)
        return int(compute.sum(lengths.take(array.indices)).as_py() or 0)
    if isinstance(array, (arrow.ListArray, arrow.LargeListArray, arrow.FixedSizeListArray)):
        inner = array.flatten()
        return len(inner) * _CELL_BYTES + _size(inner)
    if isinstance(array, arrow.StructArray):
        return sum(len(member) * _CELL_BYTES + _size(member) for member in array.flatten())
    return int(array.nbytes)


def _byte_types(arrow: Any) -> list[Any]:
    return [arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary()]


def _rows(batch: Any) -> Iterable[dict[str, Any] | UnreadableRow]:
    arrow, _ = pyarrow("reading Parquet or Arrow")
    errors = (ValueError, ArithmeticError, LookupError, arrow.ArrowException)
    try:
        return batch.to_pylist()
    except errors:  # one value fails the whole batch: find the rows that can be read
        return [_row(batch, row, errors) for row in range(batch.num_rows)]


def _row(batch: Any, row: int, errors: tuple[type[Exception], ...]) -> dict[str, Any] | UnreadableRow:
    values = dict[str, Any]()
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            values[name] = column[row].as_py()
        except errors as error:
            return UnreadableRow(str(name), f"cannot be read: {error}")
    return values
