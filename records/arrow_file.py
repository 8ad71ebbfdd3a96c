"""Parquet files and Arrow streams, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingExtraError


def pyarrow(doing: str) -> tuple[Any, Any]:
    """Import the library and its `parquet`, which are an extra."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("parquet", doing) from error


def arrow_batches(path: Path) -> Iterator[Any]:
    """Read the record batches of a file.

    Raises:
        InputError: It cannot be read.
        MissingExtraError: The library is not installed.
    """
    arrow, parquet = pyarrow("reading Parquet or Arrow")
    stream = path.suffix.lower() == ".arrow"
    try:
        if stream:
            with arrow.OSFile(str(path)) as file:
                yield from arrow.ipc.open_stream(file)
        else:
            with parquet.ParquetFile(path) as file:
                yield from file.iter_batches()
    except (OSError, arrow.ArrowException) as error:
        message = f"cannot be read as {'Arrow' if stream else 'Parquet'}: {' '.join(str(error).split())}"
        raise InputError(message, path=path) from error
