"""Outputs files: their companion files, and the settings and code by which they were made."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from ...errors import RunFolderError
from ...records import (
    InputPath,
    MemoryFile,
    Output,
    decode_record,
    read_regular_file,
    write_json,
    write_records,
)
from ...records.json_text import encode_json
from ...records.process_lock import ProcessLock
from ...spelling import flag, setting
from ..store.journal import Journal
from .attempt import AttemptRow, UserTurn
from .code.code_files import Code
from .code.functions import changed_parts


def lock(path: Path) -> AbstractContextManager[object]:
    """Lock a file, or the files of a folder, against writing by other processes.

    Raises:
        RunFolderError: Another process is writing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    busy = f"{path}: another process is adding outputs to it; wait for it or choose another {setting('out')}"
    return ProcessLock(path.with_name(f".{path.name}.lock"), busy).held()


_CODE = "code"
"""Key of the code of a system's agent among its settings."""


def bind(
    path: Path,
    system: str,
    facts: Mapping[str, Any],
    *,
    has_outputs: bool,
    code: Code | None = None,
    writing: bool = True,
) -> bool:
    """Bind a system's outputs to their settings, and to the code of the agent.

    Args:
        path: The companion file of the outputs with the settings of each system.
        system: The system.
        facts: Its settings.
        has_outputs: True if the system has outputs, which were made with the settings in the file.
        code: Code of the agent, or None if unknown.
        writing: False to check the settings without writing them.

    Returns:
        True if the code of existing outputs is recorded, and has not changed.

    Raises:
        RunFolderError: Existing outputs were made with other settings or code.
        RecordError: The file is something else.
    """
    recorded: dict[str, dict[str, Any]] = {}
    if path.exists():
        recorded = decode_record(read_regular_file(path), dict[str, dict[str, Any]], path=path)
    # Encoded and decoded, so that they are in the form in which earlier ones were recorded.
    settings: dict[str, Any] = msgspec.json.decode(encode_json(facts))
    earlier_settings = dict(recorded.get(system, settings)) if has_outputs else dict(settings)
    recorded_code: Code | None = earlier_settings.pop(_CODE, None) if has_outputs else code
    changed = sorted(
        name for name in {*earlier_settings, *settings} if earlier_settings.get(name) != settings.get(name)
    )
    if changed:
        raise RunFolderError(
            f"{path}: outputs of {system!r} were made with different settings: {', '.join(changed)}; choose another {setting('out')} or {setting('system')}"
        )
    differing_parts = [] if recorded_code is None else changed_parts(recorded_code, code or {})
    if differing_parts:
        raise RunFolderError(
            f"{path.parent}: the code of {system!r} has changed since its outputs were made ({_list_parts(differing_parts)}); {flag('again')} regenerates them, another {setting('out')} keeps both"
        )
    settings |= {} if recorded_code is None else {_CODE: recorded_code}
    if writing and recorded.get(system) != settings:
        write_json(path, {**recorded, system: settings})
    return recorded_code is not None


_MAX_PARTS_SHOWN = 3
"""Number of changed parts of the code that a message names."""


def _list_parts(parts: list[str]) -> str:
    hidden = len(parts) - _MAX_PARTS_SHOWN
    return ", ".join(parts[:_MAX_PARTS_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")


def drop(path: Path, system: str) -> None:
    """Remove a system's outputs, attempts and memories, but not those of other systems."""
    files = (
        (path, Output),
        (beside(path, "attempts.jsonl"), AttemptRow),
        (beside(path, "users.jsonl"), UserTurn),
    )
    for file, record_type in files:
        if isinstance(file, Path) and file.is_file() and not file.is_symlink():
            with Journal(file, record_type, writing=False) as journal:  # ignores a line that a kill cut off
                other_rows = [row for row in journal if row.system != system]
            write_records(file, other_rows)
    memories = memories_beside(path, system)
    if memories.is_dir():
        shutil.rmtree(memories)


def memories_beside(out: Path, system: str) -> Path:
    """Return the path of the companion folder with a system's memories."""
    return out.with_name(name_beside(out, "memory")) / f"system-{quote(system, safe='')}"


def beside(path: InputPath, ending: str) -> InputPath:
    """Return the path of a companion file: ``outputs.jsonl`` has ``outputs.attempts.jsonl``."""
    if isinstance(path, Path):
        return path.with_name(name_beside(path, ending))
    return MemoryFile(f"{path.name}.{ending}")


def name_beside(path: Path, ending: str) -> str:
    """Return the name of a companion file; see `beside`."""
    return f"{path.name.removesuffix('.jsonl')}.{ending}"
