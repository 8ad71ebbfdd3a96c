"""Run folder: everything that is known of a run, append-only while it runs, one process at a time."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import filelock
import msgspec

from ..errors import InputError, RunFolderError
from ..records import Verdict, atomic_write
from .journal import Journal

MANIFEST, VERDICTS, LABELS, CALIBRATION, REPORT = (
    "run.json",
    "verdicts.jsonl",
    "labels.jsonl",
    "calibration.json",
    "report.html",
)
"""The files of a run folder."""


class RunFolder:
    """A folder that one run writes, and the same command resumes.

    Args:
        path: The folder; made when it is not there.
        identity: What makes this run this run: hashes of the inputs, rules, judges. A folder made with another
            identity is refused, because its verdicts would be about something else.

    Raises:
        RunFolderError: Another process is writing it, it belongs to another run, or it holds something else.
        InputError: The folder cannot be made.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self._exit = ExitStack()
        self._lock(path)
        try:
            self.manifest = self._open_manifest(identity)
            self.verdicts = self._exit.enter_context(Journal(path / VERDICTS, Verdict))
        except BaseException:
            self._exit.close()
            raise

    @property
    def resumed(self) -> bool:
        """Whether an earlier start of the same run was found here."""
        return self._resumed

    def update(self, **entries: Any) -> None:
        """Add to the manifest and write it."""
        self.manifest.update(entries)
        write_json(self.path / MANIFEST, self.manifest)

    def _lock(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._exit.enter_context(filelock.FileLock(path / ".lock", timeout=0))
        except filelock.Timeout as error:
            raise RunFolderError(
                f"{path}: another process is writing this run; wait for it or choose another --out"
            ) from error
        except OSError as error:
            raise InputError(f"the folder cannot be made: {error.strerror or error}", path=path) from error

    def _open_manifest(self, identity: dict[str, Any]) -> dict[str, Any]:
        identity = msgspec.json.decode(msgspec.json.encode(identity))
        path = self.path / MANIFEST
        self._resumed = path.exists()
        if not self._resumed:
            others = sorted(name for name in os.listdir(self.path) if not name.startswith("."))  # noqa: PTH208 - names are all we need
            if others:
                raise RunFolderError(
                    f"{self.path}: holds {others[0]!r} but no {MANIFEST}; choose another --out"
                )
            manifest: dict[str, Any] = {"identity": identity}
            write_json(path, manifest)
            return manifest
        manifest = read_manifest(self.path)
        found = manifest.get("identity", {})
        changed = sorted(key for key in identity.keys() | found.keys() if identity.get(key) != found.get(key))
        if changed:
            raise RunFolderError(
                f"{self.path}: made by a run that differs in {', '.join(changed)}; choose another --out, or remove it"
            )
        return manifest

    def close(self) -> None:
        """Flush, close and let other processes in."""
        self._exit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run folder.

    Args:
        folder: The run folder.

    Returns:
        The manifest.

    Raises:
        RunFolderError: It is not a run folder.
    """
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise RunFolderError(f"{folder}: not a run folder ({MANIFEST}: {error})") from error


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file for people and machines, all or nothing.

    Args:
        path: The file.
        value: What msgspec can encode.
    """
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
