"""Run folder: everything that is known of a run, append-only while it runs, one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import filelock
import msgspec

from ...errors import InputError, RecordError, RunFolderError
from ...records import (
    Closing,
    FolderPath,
    InputPath,
    Verdict,
    atomic_write,
    decode_record,
    encode_record,
    write_records,
)
from .journal import Journal
from .roster import ROSTER, KnownJudge, Roster

if TYPE_CHECKING:
    from ...calibration.agreement.results import Calibration

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

_LOCK = ".lock"


class RunFolder(Closing):
    """A folder that one run writes, and the same command resumes.

    What the run's verdicts depend on is bound to the folder (`bind`), so that another run cannot mix with it.

    Args:
        path: The folder; made when it is not there. One in memory belongs to this process, and nothing is written anywhere.

    Raises:
        RunFolderError: Another process is writing it, or it holds something else.
        InputError: The folder cannot be made.
    """

    def __init__(self, path: FolderPath) -> None:
        self.path = path
        self._exit = ExitStack()
        on_disk = path if isinstance(path, Path) else None
        if on_disk is not None:
            _refuse_other_folders(on_disk)
        self._made = (
            [] if on_disk is None else [each for each in (on_disk, *on_disk.parents) if not each.exists()]
        )
        self.resumed = (path / MANIFEST).exists()
        self.manifest: dict[str, Any] = {"identity": {}}
        if on_disk is not None:
            self._lock(on_disk)
        try:
            self.manifest = self._open_manifest()
            self.roster = Roster(self.manifest)
            self.verdicts = self._exit.enter_context(Journal(path / VERDICTS, Verdict))
        except BaseException:
            self.close()
            self._leave_no_trace()
            raise

    def bind(self, **facts: Any) -> None:
        """Tie the folder to something that must be the same whenever this run goes on.

        Args:
            **facts: What is now known of the run, such as the rule set or a judge's fingerprint.

        Raises:
            RunFolderError: The folder is tied to something else already.
        """
        self.refuse_other_run(**facts)
        identity: dict[str, Any] = self.manifest.setdefault("identity", {})
        facts = _plain(facts)
        if facts.keys() - identity.keys():
            identity.update(facts)
            self.update()

    def refuse_other_run(self, **facts: Any) -> None:
        """Refuse to go on with a run that is tied to something else; see `bind`, which ties it."""
        identity: dict[str, Any] = self.manifest.get("identity", {})
        facts = _plain(facts)
        changed = sorted(key for key in facts.keys() & identity.keys() if facts[key] != identity[key])
        if changed:
            raise RunFolderError(
                f"{self.path}: made by a run that differs in {', '.join(changed)}; choose another --out, or remove it"
            )

    def enlist(self, judges: Iterable[KnownJudge]) -> None:
        """Tie the folder to its judges, and to the names they are shown under.

        Args:
            judges: Who is to judge now, beside those that have judged already.

        Raises:
            RunFolderError: One of them is not who it was when the run was begun.
        """
        judges = list(judges)
        self.roster.refuse_changed(judges, self.path)
        before = self.roster.entries()
        for judge in judges:
            known = self.roster.get(judge.id)
            self.roster.enlist(judge if known is None else msgspec.structs.replace(known, cut=judge.cut))
        if self.roster.entries() != before:
            self.update()

    def update(self, **entries: Any) -> None:
        """Add to the manifest and write it, with the judges as they are known now."""
        if any(True for _ in self.roster):
            entries[ROSTER] = self.roster.entries()
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
            self._exit.enter_context(filelock.FileLock(path / _LOCK, timeout=0))
        except filelock.Timeout as error:
            raise RunFolderError(
                f"{path}: another process is writing this run; wait for it or choose another --out"
            ) from error
        except OSError as error:
            raise InputError(f"the folder cannot be made: {error.strerror or error}", path=path) from error

    def _open_manifest(self) -> dict[str, Any]:
        if (self.path / MANIFEST).exists():
            return read_manifest(self.path)
        write_json(self.path / MANIFEST, self.manifest)
        return self.manifest

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None:
            self._leave_no_trace()

    def _leave_no_trace(self) -> None:
        """Take away what was made for a run that was refused before it was bound to anything."""
        if self.resumed or self.manifest["identity"] or not isinstance(self.path, Path):
            return
        for name in (MANIFEST, VERDICTS, _LOCK):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):  # somebody else put something there
            for folder in self._made:
                folder.rmdir()

    def close(self) -> None:
        """Flush, close and let other processes in."""
        self._exit.close()


def _refuse_other_folders(path: Path) -> None:
    """Refuse a folder that is no run's before anything is put there."""
    if (path / MANIFEST).exists():
        read_manifest(path)
    elif path.is_dir():
        others = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        if others:
            raise RunFolderError(f"{path}: holds {others[0]!r} but no {MANIFEST}; choose another --out")


def read_manifest(folder: FolderPath) -> dict[str, Any]:
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


def read_roster(folder: FolderPath) -> list[KnownJudge]:
    """The judges of a run folder; none where there is no run yet.

    Raises:
        RunFolderError: What is there is no run folder.
    """
    return list(Roster(read_manifest(folder))) if (folder / MANIFEST).exists() else []


def kept_calibration(folder: FolderPath) -> Calibration | None:
    """The calibration of a run; None where no judge said anything of a labelled output.

    Raises:
        InputError: The file is not what a run writes.
    """
    path = folder / CALIBRATION
    if not path.exists():
        return None
    from ...calibration.agreement.results import read_calibration  # noqa: PLC0415 - most that read a folder want no numbers

    return read_calibration(decode_record(path.read_bytes(), dict[str, Any]))


def _plain(value: Any) -> Any:
    """The value as it comes back from the manifest, so that the two can be compared."""
    return decode_record(encode_record(value), object)


def write_json(path: InputPath, value: Any) -> None:
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
