"""Cases and outputs in any form, all validated like files.

The forms are paths, records, mappings and data frames.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union, cast

from ..errors import UsageError
from ..records import Case, InputPath, Output, Verdict, memory_file, read_records
from ..records.frames import frame_rows, is_frame
from .paths import FilePath, input_path

if TYPE_CHECKING:
    import pandas as pd

Cases: TypeAlias = Union[FilePath, "Iterable[FilePath]", "Iterable[Case | Mapping[str, Any]]", "pd.DataFrame"]
"""One or more files of cases, or cases: records, mappings with the same keys, or the rows of a data frame."""
Outputs: TypeAlias = Union[
    FilePath, "Iterable[FilePath]", "Iterable[Output | Mapping[str, Any]]", "pd.DataFrame"
]
"""One or more files of outputs, or outputs: records, mappings with the same keys, or the rows of a data frame."""

Labels: TypeAlias = Union[FilePath, "Iterable[Verdict | Mapping[str, Any]]", "pd.DataFrame"]
"""A file of trusted verdicts, or verdicts: records, mappings with the same keys, or the rows of a data frame."""

Record = TypeVar("Record", Case, Output)


def paths_of(given: FilePath | Iterable[FilePath]) -> list[Path]:
    """Return one path or several as a list."""
    several: Iterable[FilePath] = [given] if isinstance(given, (str, os.PathLike)) else given  # pyright: ignore[reportUnknownVariableType] - of what a path may be
    return [input_path(each) for each in several]


def source(name: str, given: Cases | Labels) -> InputPath:
    """Return the source of cases or labels; raise a UsageError for any other value."""
    if isinstance(given, (str, os.PathLike)):
        return input_path(given)
    return _in_memory(name, given)


def output_sources(outputs: Outputs | Cases, name: str = "outputs") -> list[InputPath]:
    """Return the sources of outputs or cases, which may be several files.

    Any other value raises a UsageError.
    """
    return [source(name, each) for each in pieces_of(outputs)]


def pieces_of(given: Any, *also: type) -> list[Any]:
    """Return several paths one by one, or else the whole value as one piece.

    ``also`` names types of other values that stand for files.
    """
    places = (str, os.PathLike, *also)
    if isinstance(given, (*places, Mapping)) or is_frame(given) or not isinstance(given, Iterable):
        return [given]
    rows = list(cast("Iterable[Any]", given))
    return rows if rows and all(isinstance(each, places) for each in rows) else [rows]


def as_case(case: Case | Mapping[str, Any]) -> Case:
    """Return a case, validated like a line of a file."""
    return _one("case", case, Case)


def as_output(output: Output | Mapping[str, Any], case: Case) -> Output:
    """Return an output of a case, validated like a line of a file.

    A mapping that names neither case nor system belongs to this case, and to ``system``.
    """
    if isinstance(output, Mapping):
        output = {"case_id": case.id, "system": "system", **output}
    found = _one("output", output, Output)
    if found.case_id != case.id:
        raise UsageError(f"the output is of case {found.case_id!r}, the case is {case.id!r}")
    return found


def _one(name: str, record: Any, record_type: type[Record]) -> Record:
    return next(read_records(memory_file(name, [record]), record_type))


def _in_memory(name: str, records: Any) -> InputPath:
    if is_frame(records):
        rows = frame_rows(records)
        return memory_file(
            name, ({key: _whole(value) for key, value in row.items() if value is not None} for row in rows)
        )
    if isinstance(records, (Mapping, bytes)) or not isinstance(records, Iterable):
        kind = type(records).__name__  # pyright: ignore[reportUnknownArgumentType]
        raise UsageError(f"{name}: expected a path, records, mappings or a data frame, got {kind}")
    return memory_file(name, records)  # pyright: ignore[reportUnknownArgumentType]


def _whole(value: Any) -> Any:
    """Return a whole number as an int; pandas makes floats of a column with missing values."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
