"""Files already in fiducial's own format, and the commands that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError
from ..records import MAX_LINE_BYTES, Case, Output, Verdict, is_kind
from ..records.folder_files import CASES, MANIFEST, OUTPUTS, VERDICTS
from ..spelling import command
from .json_values import is_object

_MANIFEST_KEYS = {"identity", "journals"}
"""Keys of every run's manifest."""


def _uses_of_file(path: Path) -> dict[type[Case | Output | Verdict], str]:
    return {
        Case: f"cases; grade outputs for them: `{command('run', path, outputs='FILE')}`",
        Output: f"outputs; grade them: `{command('run', 'CASES', outputs=path)}`",
        Verdict: f"verdicts; labels among them are used by `{command('run', labels=path)}`",
    }


class NativeFileError(InputError):
    """A file to import already contains records of fiducial.

    Attributes:
        use: The records, and the command that reads them.
    """

    use: str = ""


def require_foreign_file(glimpse: Any, path: Path) -> None:
    """Refuse a file whose first value is a record of fiducial.

    Raises:
        NativeFileError: The value is a record of fiducial.
    """
    for record, use in _uses_of_file(path).items():
        if _is_of(record, glimpse):
            error = NativeFileError(f"needs no import, it already holds fiducial's {use}", path=path)
            error.use = use
            raise error


def require_no_run_folder(path: Path) -> None:
    """Refuse the folder of a run, whose files only look like logs.

    Raises:
        InputError: The folder is that of a run.
    """
    if all((path / name).is_file() for name in (MANIFEST, VERDICTS)):
        raise InputError(f"is the folder of a run, and needs no import: `fiducial report {path}`", path=path)


def is_own_folder(folder: Path) -> bool:
    """Return whether fiducial made a folder: a run, an audit, or an import of cases and outputs."""
    if (folder / MANIFEST).is_file():
        manifest = _first_value(folder / MANIFEST, whole=True)
        return is_object(manifest) and manifest.keys() >= _MANIFEST_KEYS
    if not ((folder / CASES).is_file() and (folder / OUTPUTS).is_file()):
        return False
    return _is_of(Case, _first_value(folder / CASES)) and _is_of(Output, _first_value(folder / OUTPUTS))


def _first_value(path: Path, *, whole: bool = False) -> Any:
    """Return the JSON value of a file or of its first line, or None if it has none."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MAX_LINE_BYTES) if whole else file.readline(MAX_LINE_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _is_of(record: type[Case | Output | Verdict], glimpse: Any) -> bool:
    """Return whether a value has only keys of a record, whatever their values."""
    if not is_object(glimpse):
        return False
    fields = msgspec.structs.fields(record)
    required = {field.encode_name for field in fields if field.required}
    if not required <= glimpse.keys() <= {field.encode_name for field in fields}:
        return False
    return record is not Case or is_kind(str(glimpse["kind"]))
