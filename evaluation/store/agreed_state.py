"""Last common state of a working copy and its store, to detect changes without reading."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from ...records import atomic_write
from ...records.json_text import encode_json
from ...records.objects import ObjectVersion
from ...records.typed_values import decode_json
from .file_names import MANIFEST

_SAVE_INTERVAL_SECONDS = 0.5
"""Seconds between two saves of the state while files are transferred."""

Stamp = tuple[int, int]
"""A file's size and time."""


class Agreed(msgspec.Struct, frozen=True, array_like=True):
    """File and object with the same content: the file's size and time, and the object's version.

    The version is called ``mark`` in the saved state.
    """

    size: int
    modified: int
    mark: ObjectVersion


class _State(msgspec.Struct):
    """Saved state of a copy: its store, its unique name, and the agreed objects by name."""

    address: str
    copy: str
    objects: dict[str, Agreed] = {}


class Agreement:
    """Last state on which a working copy and its store agreed, object by object.

    It is saved in a file next to ``folder``, the copy, so that it outlives the process.
    """

    def __init__(self, parent: Path, name: str) -> None:
        self._file, self.folder = parent / "state.json", parent / "folder"
        self._name, self._last_saved = name, 0.0
        self.read()

    def read(self) -> None:
        """Read the saved state, which another process may have changed."""
        try:
            self._state = decode_json(self._file.read_bytes(), _State)
        except FileNotFoundError:
            self._state = _State(self._name, uuid.uuid4().hex)
            self.write()

    def write(self) -> None:
        """Save the state."""
        self._last_saved = time.monotonic()
        with atomic_write(self._file) as file:
            file.write(encode_json(self._state))

    @property
    def copy(self) -> str:
        """Unique name of the copy."""
        return self._state.copy

    @property
    def objects(self) -> dict[str, Agreed]:
        """Agreed objects by name; a caller that changes them calls `write`."""
        return self._state.objects

    @property
    def marks(self) -> dict[str, ObjectVersion]:
        """Versions of the agreed objects, by name."""
        return {name: agreed.mark for name, agreed in self.objects.items()}

    def note(self, name: str, agreed: Agreed) -> None:
        """Record an agreed object; the state is saved at most twice a second."""
        self.objects[name] = agreed
        if time.monotonic() - self._last_saved > _SAVE_INTERVAL_SECONDS:
            self.write()

    def forget(self) -> None:
        """Discard all agreed objects."""
        self._state.objects = {}
        self.write()

    def files(self) -> dict[str, Stamp]:
        """Size and time of every file of the copy that belongs to the run."""
        stamps = dict[str, Stamp]()
        for file in self.folder.rglob("*"):
            name = file.relative_to(self.folder).as_posix()
            if not _belongs_to_run(name) or file.is_symlink() or not file.is_file():
                continue
            with suppress(FileNotFoundError):
                status = file.stat()
                stamps[name] = status.st_size, status.st_mtime_ns
        return stamps

    def differing(self) -> dict[str, Stamp]:
        """Return the files that differ from their agreed state."""
        agreed = self.objects
        return {
            name: stamp
            for name, stamp in self.files().items()
            if name not in agreed or stamp != (agreed[name].size, agreed[name].modified)
        }

    def gone(self) -> set[str]:
        """Return the agreed files that no longer exist."""
        return self.objects.keys() - self.files().keys()


def of_the_run(objects: Mapping[str, ObjectVersion]) -> dict[str, ObjectVersion]:
    """Return those objects of a store that belong to the run."""
    return {name: mark for name, mark in objects.items() if _belongs_to_run(name)}


def _belongs_to_run(name: str) -> bool:
    """Return whether a name is that of a file of the run.

    Locks, unfinished files and the empty name of the folder itself do not belong to it.
    """
    file_name = name.rpartition("/")[2]
    is_unfinished = file_name.startswith(".") and file_name.endswith(".tmp")
    return bool(name) and not name.startswith(".") and not is_unfinished


def manifests_last(name: str) -> tuple[bool, str]:
    """Return a sort key that transfers manifests last, so that they never promise missing files."""
    return name.rpartition("/")[2] == MANIFEST, name
