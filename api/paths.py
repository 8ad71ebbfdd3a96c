"""Inputs and outputs as callers name them: paths, addresses, records, data frames.

Only this module turns addresses of object stores into local copies. Records from memory are validated like files.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union, cast

from ..errors import ConfigurationError, UsageError
from ..evaluation.store.copies import put_back, working_copy
from ..records import Case, FolderPath, InputPath, MemoryFolder, Output, Verdict, memory_file, read_records
from ..records.addresses import is_address, local_path, redact
from ..records.disk_files import copy_of_pipe, require_no_device
from ..records.memory_file import MemoryFile
from ..tables.frames import frame_rows, is_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Cases",
    "FilePath",
    "Labels",
    "Outputs",
    "Record",
    "as_case",
    "as_output",
    "folder_or_memory",
    "folder_path",
    "input_path",
    "output_sources",
    "paths_of",
    "pieces_of",
    "put_back",
    "rows_file",
    "source",
    "written_path",
]


FilePath: TypeAlias = str | os.PathLike[str]
"""A path, or an address as a text (``s3://bucket/key``)."""

_CHECKPOINT_VARIABLE = "FIDUCIAL_CHECKPOINT_SECONDS"

_FLATTENED_ADDRESS = re.compile(r"(?:s3a?|gs|gcs|abfss?|az|memory|file):/(?!/)")
"""Address that was turned into a `Path`, which removes one of its slashes."""


def input_path(path: FilePath, warn: Callable[[str], object] = warnings.warn) -> Path:
    """Return a path to read from.

    The path of an address, or of a pipe, is a copy. The path of a run folder's address is its working copy.

    Args:
        path: A path, or an address of an object, a folder of objects, some of them (``s3://bucket/part-*.jsonl``) or a run folder.
        warn: Called if nothing was written to a pipe for a while.

    Raises:
        InputError: There is nothing at the address, or it cannot be read; or the path is a device.
        UsageError: Addresses of this kind are not supported.
        ConfigurationError: `fsspec` or its driver is not installed.
    """
    address = _address(path)
    if isinstance(address, Path):
        require_no_device(address)
        return copy_of_pipe(address, warn)
    from ..evaluation.store.file_names import MANIFEST  # noqa: PLC0415 - most inputs are on this machine
    from ..records.fetching import fetch_input  # noqa: PLC0415 - most inputs are on this machine
    from ..records.objects import ObjectFolder  # noqa: PLC0415 - most inputs are on this machine

    objects = ObjectFolder(address)
    found_objects = objects.find()
    if MANIFEST in found_objects and not objects.is_pattern:
        return folder_path(address)
    return fetch_input(objects, found_objects, _cache_folder() / "inputs")


def folder_path(path: FilePath, warn: Callable[[str], object] = warnings.warn) -> Path:
    """Return the path of a run folder or another output folder.

    The path of an address is its working copy.

    Args:
        path: A path or an address.
        warn: Called when work was set aside that the store never received.

    Raises:
        InputError: The store cannot be read.
        UsageError: Addresses of this kind are not supported.
        ConfigurationError: `fsspec` or its driver is not installed.
    """
    address = _address(path)
    if isinstance(address, Path):
        return address
    local_copy = working_copy(
        address,
        _cache_folder() / "runs",
        every=_checkpoint_seconds(os.environ.get(_CHECKPOINT_VARIABLE, "60")),
    )
    if local_copy.set_aside is not None:
        warn(
            f"{local_copy.name}: another machine continued this run; work done only here is in {local_copy.set_aside}"
        )
        local_copy.set_aside = None
    return local_copy.folder


def folder_or_memory(path: FilePath | None, name: str) -> FolderPath:
    """Return the path from `folder_path`, or a folder in memory of this name if none is given."""
    return MemoryFolder(name) if path is None else folder_path(path)


def written_path(path: FilePath) -> Path:
    """Return the path of an output file, which must be on this machine.

    Raises:
        UsageError: It is an address.
    """
    address = _address(path)
    if isinstance(address, Path):
        return address
    raise UsageError(
        f"{redact(address)}: only inputs and run folders can be addresses; name a file, and copy it there"
    )


def _address(path: FilePath) -> str | Path:
    if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers need not check types
        raise UsageError(f"expected a path or an address, got {type(path).__name__}")
    if isinstance(path, str):
        return (local_path(path) or path) if is_address(path) else Path(path)
    path = Path(path)
    if _FLATTENED_ADDRESS.match(str(path)):
        raise UsageError(f"{redact(str(path))}: a Path cannot hold an address; give it as a text")
    return path


def _checkpoint_seconds(text: str) -> float:
    try:
        return max(0.1, float(text))
    except ValueError as error:
        raise ConfigurationError(f"{_CHECKPOINT_VARIABLE}: expected seconds, got {text!r}") from error


def _cache_folder() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - not needed for a named cache

    return user_cache_path("fiducial")


Cases: TypeAlias = Union[FilePath, "Iterable[FilePath]", "Iterable[Case | Mapping[str, Any]]", "pd.DataFrame"]
"""One or more files of cases, or cases: records, mappings with the same keys, or the rows of a data frame."""
Outputs: TypeAlias = Union[
    FilePath, "Iterable[FilePath]", "Iterable[Output | Mapping[str, Any]]", "pd.DataFrame"
]
"""One or more files of outputs, or outputs: records, mappings with the same keys, or the rows of a data frame."""

Labels: TypeAlias = Union[FilePath, "Iterable[Verdict | Mapping[str, Any]]", "pd.DataFrame"]
"""A file of trusted verdicts, or verdicts: records, mappings with the same keys, or the rows of a data frame."""

Record = TypeVar("Record", Case, Output)


def paths_of(paths: FilePath | Iterable[FilePath]) -> list[Path]:
    """Return a list of the local paths to read from, of one path or several."""
    path_list: Iterable[FilePath] = [paths] if isinstance(paths, (str, os.PathLike)) else paths  # pyright: ignore[reportUnknownVariableType] - the path type is generic
    return [input_path(path) for path in path_list]


def source(name: str, records: Cases | Labels) -> InputPath:
    """Return the source of cases or labels; raise a UsageError for any other value."""
    if isinstance(records, (str, os.PathLike)):
        return input_path(records)
    return _in_memory(name, records)


def output_sources(outputs: Outputs | Cases, name: str = "outputs") -> list[InputPath]:
    """Return the sources of outputs or cases, which may be several files.

    Any other value raises a UsageError.
    """
    return [source(name, piece) for piece in pieces_of(outputs)]


def pieces_of(value: Any, *also: type) -> list[Any]:
    """Return a list of several paths, or a list with any other value as its only piece.

    ``also`` are further types whose values count as paths.
    """
    file_types = (str, os.PathLike, *also)
    if isinstance(value, (*file_types, Mapping)) or is_frame(value) or not isinstance(value, Iterable):
        return [value]
    rows = list(cast("Iterable[Any]", value))
    return rows if rows and all(isinstance(row, file_types) for row in rows) else [rows]


def as_case(case: Case | Mapping[str, Any]) -> Case:
    """Return a case, validated like a line of a file."""
    if isinstance(case, Output) or (isinstance(case, Mapping) and "case_id" in case):
        raise UsageError("case: this looks like an output; the case comes first, then its output")
    return _validated("case", case, Case)


def as_output(output: Output | Mapping[str, Any], case: Case) -> Output:
    """Return an output of a case, validated like a line of a file.

    A mapping that names neither case nor system belongs to this case, and to ``system``.
    """
    if isinstance(output, Mapping):
        output = {"case_id": case.id, "system": "system", **output}
    record = _validated("output", output, Output)
    if record.case_id != case.id:
        raise UsageError(f"the output is of case {record.case_id!r}, the case is {case.id!r}")
    return record


def _validated(name: str, record: Any, record_type: type[Record]) -> Record:
    return next(read_records(memory_file(name, [record]), record_type))


def _in_memory(name: str, records: Any) -> InputPath:
    if is_frame(records):
        from ..tables.table_rows import as_whole  # noqa: PLC0415 - commands that read no frame start without it

        rows = frame_rows(records)
        return rows_file(
            name, ({key: as_whole(value) for key, value in row.items() if value is not None} for row in rows)
        )
    if isinstance(records, (Mapping, bytes)) or not isinstance(records, Iterable):
        raise UsageError(f"{name}: {_expected_words(name, records)}")
    return rows_file(name, records)  # pyright: ignore[reportUnknownArgumentType]


def _expected_words(name: str, given: Any) -> str:
    """Return the end of an error message: what to pass instead of a value that is no records."""
    kind = type(given).__name__
    if isinstance(given, Mapping):
        return f"got one {kind}; pass a list: [{name.removesuffix('s')}]"
    if inspect.iscoroutine(given):
        return f"got {kind}; pass the function itself, or await it"
    if isinstance(getattr(given, name, None), list):  # a `Reading`
        return f"got {kind}; pass {kind.lower()}.{name}"
    return f"expected a path, records, mappings or a data frame, got {kind}"


def rows_file(name: str, rows: Iterable[Any]) -> MemoryFile:
    """Write rows as an in-memory file, infinities as texts: JSON would make them null."""
    return memory_file(name, map(_with_infinities_as_text, rows))


def _with_infinities_as_text(row: Any) -> Any:
    if not isinstance(row, Mapping):
        return row
    fields = cast("Mapping[str, Any]", row)
    infinities = {name: str(value) for name, value in fields.items() if _is_infinite(value)}
    return {**fields, **infinities} if infinities else fields


def _is_infinite(value: Any) -> bool:
    return isinstance(value, Real) and abs(value) == math.inf
