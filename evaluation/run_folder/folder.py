"""Run folder: everything that is known of a run, append-only while it runs, one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import filelock
import msgspec

from ...errors import InputError, RecordError, RunFolderError
from ...records import Closing, Verdict, atomic_write, decode_record, encode_record, write_records
from .journal import Journal

MANIFEST, VERDICTS, STATEMENTS, LABELS, CLUSTERS, CALIBRATION, REPORT = (
    "run.json",
    "verdicts.jsonl",
    "statements.jsonl",
    "labels.jsonl",
    "clusters.json",
    "calibration.json",
    "report.html",
)
"""The files of a run folder."""


class RunFolder(Closing):
    """A folder that one run writes, and the same command resumes.

    What the run's verdicts depend on is bound to the folder (`bind`), so that another run cannot mix with it.

    Args:
        path: The folder; made when it is not there.

    Raises:
        RunFolderError: Another process is writing it, or it holds something else.
        InputError: The folder cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._exit = ExitStack()
        self._lock(path)
        try:
            self.resumed = (path / MANIFEST).exists()
            self.manifest = self._open_manifest()
            self.verdicts = self._exit.enter_context(Journal(path / VERDICTS, Verdict))
        except BaseException:
            self._exit.close()
            raise

    def bind(self, **facts: Any) -> None:
        """Tie the folder to something that must be the same whenever this run goes on.

        Args:
            **facts: What is now known of the run, such as the rule set or a judge's fingerprint.

        Raises:
            RunFolderError: The folder is tied to something else already.
        """
        identity: dict[str, Any] = self.manifest.setdefault("identity", {})
        facts = _plain(facts)
        changed = sorted(key for key in facts.keys() & identity.keys() if facts[key] != identity[key])
        if changed:
            raise RunFolderError(
                f"{self.path}: made by a run that differs in {', '.join(changed)}; choose another --out, or remove it"
            )
        if facts.keys() - identity.keys():
            identity.update(facts)
            self.update()

    def update(self, **entries: Any) -> None:
        """Add to the manifest and write it."""
        self.manifest.update(entries)
        write_json(self.path / MANIFEST, self.manifest)

    def rewrite(self, verdicts: Iterable[Verdict]) -> None:
        """Write all verdicts anew, all or nothing: a kill leaves the old ones.

        Args:
            verdicts: What takes the place of every line.
        """
        write_records(self.verdicts.path, verdicts)
        self.verdicts.close()
        self.verdicts = self._exit.enter_context(Journal(self.verdicts.path, Verdict))

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

    def _open_manifest(self) -> dict[str, Any]:
        path = self.path / MANIFEST
        if self.resumed:
            return read_manifest(self.path)
        others = sorted(entry.name for entry in self.path.iterdir() if not entry.name.startswith("."))
        if others:
            raise RunFolderError(f"{self.path}: holds {others[0]!r} but no {MANIFEST}; choose another --out")
        manifest: dict[str, Any] = {"identity": {}}
        write_json(path, manifest)
        return manifest

    def close(self) -> None:
        """Flush, close and let other processes in."""
        self._exit.close()


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
        return decode_record(path.read_bytes(), dict[str, Any])
    except OSError as error:
        raise RunFolderError(f"{folder}: not a run folder ({MANIFEST}: {error.strerror or error})") from error
    except RecordError as error:
        raise RunFolderError(f"{folder}: not a run folder ({MANIFEST}: {error})") from error


def _plain(value: Any) -> Any:
    """The value as it comes back from the manifest, so that the two can be compared."""
    return decode_record(encode_record(value), object)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file for people and machines, all or nothing.

    Args:
        path: The file.
        value: What msgspec can encode.
    """
    with atomic_write(path) as file:
        file.write(_laid_out(value) + b"\n")


def _laid_out(value: Any) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2)
    except UnicodeEncodeError:  # a lone surrogate, which a name in data may hold
        return json.dumps(msgspec.to_builtins(value), indent=2).encode("ascii")
