"""Files already in fiducial's own format, and the commands that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError
from ..records import Case, Output, Verdict, is_kind
from ..records.folder_files import MANIFEST, VERDICTS
from .json_values import is_object

_COMMANDS: dict[type[Case | Output | Verdict], str] = {
    Case: "cases; grade outputs for them: `fiducial run {path} --outputs FILE`",
    Output: "outputs; grade them: `fiducial run CASES --outputs {path}`",
    Verdict: "verdicts; labels among them are used by `fiducial run --labels {path}`",
}
"""Command that reads a file of records, by record."""


class NativeFileError(InputError):
    """A file to import holds records of fiducial.

    Attributes:
        use: The records, and the command that reads them.
    """

    use: str = ""


def refuse_native_file(glimpse: Any, path: Path) -> None:
    """Refuse a file whose first value is a record of fiducial.

    Raises:
        NativeFileError: It is.
    """
    for record, command in _COMMANDS.items():
        if _is_of(record, glimpse):
            use = command.format(path=path)
            error = NativeFileError(f"needs no import, it already holds fiducial's {use}", path=path)
            error.use = use
            raise error


def refuse_run_folder(path: Path) -> None:
    """Refuse the folder of a run, whose files only look like logs.

    Raises:
        InputError: It is.
    """
    if all((path / name).is_file() for name in (MANIFEST, VERDICTS)):
        raise InputError(f"is the folder of a run, and needs no import: `fiducial report {path}`", path=path)


def _is_of(record: type[Case | Output | Verdict], glimpse: Any) -> bool:
    """Return whether a value has only keys of a record, whatever their values."""
    if not is_object(glimpse):
        return False
    fields = msgspec.structs.fields(record)
    required = {field.encode_name for field in fields if field.required}
    if not required <= glimpse.keys() <= {field.encode_name for field in fields}:
        return False
    return record is not Case or is_kind(str(glimpse["kind"]))
