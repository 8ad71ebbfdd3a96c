"""Bind an outputs file to the settings and code of its source; name the files beside it."""

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
    begun: bool,
    code: Code | None = None,
    writing: bool = True,
) -> bool:
    """Bind a system's outputs to their settings, and to the code of the agent.

    Args:
        path: The file with the settings of each system, beside the outputs.
        system: The system.
        facts: Its settings.
        begun: True if the system has outputs, which were made with the settings in the file.
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
    now: dict[str, Any] = msgspec.json.decode(encode_json(facts))
    before = dict(recorded.get(system, now)) if begun else dict(now)
    made_by: Code | None = before.pop(_CODE, None) if begun else code
    changed = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if changed:
        raise RunFolderError(
            f"{path.parent}: outputs of {system!r} were made with another {', '.join(changed)}; choose another {setting('out')} or {setting('system')}"
        )
    parts = [] if made_by is None else changed_parts(made_by, code or {})
    if parts:
        raise RunFolderError(
            f"{path.parent}: the code of {system!r} has changed since its outputs were made ({_listed(parts)}); {flag('again')} regenerates them, another {setting('out')} keeps both"
        )
    now |= {} if made_by is None else {_CODE: made_by}
    if writing and recorded.get(system) != now:
        write_json(path, {**recorded, system: now})
    return made_by is not None


_SHOWN = 3


def _listed(parts: list[str]) -> str:
    hidden = len(parts) - _SHOWN
    return ", ".join(parts[:_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")


def drop(path: Path, system: str) -> None:
    """Remove a system's outputs, attempts and memories; those of other systems stay."""
    files = (
        (path, Output),
        (beside(path, "attempts.jsonl"), AttemptRow),
        (beside(path, "users.jsonl"), UserTurn),
    )
    for file, kind in files:
        if isinstance(file, Path) and file.is_file() and not file.is_symlink():
            with Journal(file, kind, writing=False) as journal:  # ignores a line that a kill cut off
                of_others = [row for row in journal if row.system != system]
            write_records(file, of_others)
    memories = memories_beside(path, system)
    if memories.is_dir():
        shutil.rmtree(memories)


def memories_beside(out: Path, system: str) -> Path:
    """Return the path of a system's memories, beside its outputs."""
    return out.with_name(name_beside(out, "memory")) / f"system-{quote(system, safe='')}"


def beside(path: InputPath, ending: str) -> InputPath:
    """Return the path of a companion file: ``outputs.jsonl`` has ``outputs.attempts.jsonl``."""
    if isinstance(path, Path):
        return path.with_name(name_beside(path, ending))
    return MemoryFile(f"{path.name}.{ending}")


def name_beside(path: Path, ending: str) -> str:
    """Return the name of a companion file; see `beside`."""
    return f"{path.name.removesuffix('.jsonl')}.{ending}"
