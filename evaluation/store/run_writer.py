"""Writing of a run's files, by one process at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from ...calibration.decisions import REVIEW
from ...errors import InputError, RunFolderError
from ...records import (
    FolderPath,
    JudgeId,
    Verdict,
    atomic_write,
    decode_record,
    encode_record,
    write_json,
    write_records,
)
from ...records.json_text import encode_indented_json, encode_line
from ...records.process_lock import ProcessLock
from ...spelling import setting
from .copies import copy_at
from .file_names import (
    ADJUDICATIONS,
    CALIBRATION,
    CLUSTERS,
    COMPARISON,
    FORMS,
    LABELS,
    MANIFEST,
    REPORT,
    STATEMENTS,
    VERDICTS,
)
from .manifest import JudgeRecord, Manifest
from .run_store import RunStore
from .sealed_file import Seal, seal_of

if TYPE_CHECKING:
    from ...calibration.agreement.calibration_results import Calibration

_LOCK = ".lock"


class RunWriter(RunStore):
    """Run that one process writes, and that the same command resumes.

    A run is tied to everything that its verdicts depend on (`bind`), so that two runs cannot mix. A missing folder is created; a run in
    memory writes no files.

    Attributes:
        resumed: True if the run was begun before.

    Raises:
        RunFolderError: Another process writes the run, the folder contains something else, or a journal was edited by hand.
        InputError: The folder cannot be created, or a journal cannot be used.
    """

    _writing = True

    def __init__(self, path: FolderPath, *, accept_edited: bool = False) -> None:
        super().__init__(path)
        on_disk = path if isinstance(path, Path) else None
        self.resumed = self.begun
        self._created: list[Path] = []
        self._file_seals: dict[str, Seal] = {}  # seals of files that are replaced as a whole
        self._upload = ExitStack()
        if on_disk is not None:
            if not self.resumed:
                _require_own_folder(on_disk)
            self._created = [
                parent for parent in (on_disk / _LOCK, on_disk, *on_disk.parents) if not parent.exists()
            ]
            self._lock(on_disk)
        try:
            if (copy := copy_at(path)) is not None:
                self._upload.enter_context(copy.written())
            if self.resumed:
                _ = self.manifest
            else:
                self._write(Manifest())
            if not accept_edited:
                self.require_unedited()
            _ = self.labels  # read now, so that an edit that is accepted gets a seal in the next line
            self._file_seals = dict(self._changed)
        except BaseException:
            with self._upload:
                self._exit.close()
                self._leave_no_trace()
            raise

    def bind(self, **facts: Any) -> None:
        """Tie the run to facts that must not change, such as its rules or the hashes of its inputs.

        See `require_same_run`.
        """
        self.require_same_run(**facts)
        if facts.keys() - self.manifest.identity.keys():
            self.update(identity={**self.manifest.identity, **_as_stored(facts)})

    def require_same_run(self, **facts: Any) -> None:
        """Refuse a run that is tied to other facts; see `bind`."""
        identity, facts = self.manifest.identity, _as_stored(facts)
        changed = sorted(key for key in facts.keys() & identity.keys() if facts[key] != identity[key])
        if changed:
            systems = [
                facts_of_run["generation"].get("system")
                for facts_of_run in (identity, facts)
                if "generation" in changed
            ]
            problem = f"made by a run that differs in {', '.join(changed)}; choose another {setting('out')}, or remove it"
            if len(set(systems)) > 1:
                problem = (
                    f"holds outputs of {{!r}}, not {{!r}}; use another {setting('out')}, or delete it".format(
                        *systems
                    )
                )
            raise RunFolderError(f"{self.path}: {problem}")

    def enlist(self, judges: Iterable[JudgeRecord]) -> None:
        """Tie the run to its judges and their display names.

        Raises:
            RunFolderError: A judge has changed since the run was begun.
        """
        judges = list(judges)
        self.roster.require_unchanged(judges, self.path)
        for judge in judges:
            record = self.roster.get(judge.id)
            # A known judge keeps its name and its asking time.
            self.roster.enlist(
                judge if record is None else msgspec.structs.replace(record, threshold=judge.threshold)
            )
        if list(self.roster) != self.manifest.roster:
            self.update()

    def replace_judge(self, before: JudgeId, judge: JudgeRecord) -> None:
        """Replace the judge with the id ``before``, whose model refused a parameter.

        Raises:
            RunFolderError: The run contains verdicts of the judge to be replaced.
        """
        if before in {verdict.author for verdict in self.standing_verdicts}:
            raise RunFolderError(
                f"{self.path}: holds verdicts of {judge.by} with parameters that its model now refuses; choose another {setting('out')}"
            )
        self.roster.replace(before, judge)
        self.update()

    def update(self, **entries: Any) -> None:
        """Set fields of the manifest and write it, with the current judges and journals."""
        self._write(
            msgspec.structs.replace(
                self.manifest, roster=list(self.roster), journals=self._seals(), **entries
            )
        )

    def begin_anew(self) -> None:
        """Discard all results of a run and the facts that it is tied to.

        Raises:
            RunFolderError: People labelled its outputs; nothing is discarded.
        """
        if not self.resumed:
            return
        if self.adjudications or any(REVIEW in label.evidence for label in self.labels):
            raise RunFolderError(
                f"{self.path}: holds labels that people gave its outputs; choose another {setting('out')}"
            )
        for name in (VERDICTS, STATEMENTS, FORMS, LABELS):
            if (self.path / name).exists():
                self._break_seal(name)
                write_records(self.path / name, ())
        if isinstance(self.path, Path):
            for name in (CLUSTERS, CALIBRATION, COMPARISON, REPORT):
                (self.path / name).unlink(missing_ok=True)
        self.labels = []
        self._file_seals.clear()
        self._hashes.clear()
        for name in ("clusters", "calibration", "roster"):  # cached properties of the discarded run
            vars(self).pop(name, None)
        self._write(Manifest())

    def rewrite(self, verdicts: Iterable[Verdict]) -> None:
        """Replace all verdicts atomically: a kill leaves the old ones."""
        self._break_seal(VERDICTS)
        write_records(self.path / VERDICTS, verdicts)
        self.verdicts.close()
        self.verdicts = self._journal(VERDICTS)

    def put_labels(self, labels: Iterable[Verdict]) -> None:
        """Replace the labels atomically."""
        self.labels = list(labels)
        self._put(LABELS, _encoded_lines(LABELS, self.labels))

    def put_adjudications(self, decisions: Iterable[Verdict]) -> None:
        """Replace the decisions between judge and label atomically."""
        self._put(ADJUDICATIONS, _encoded_lines(ADJUDICATIONS, decisions))
        vars(self).pop("adjudications", None)  # a cached property, which is read again

    def put_clusters(self, clusters: Mapping[str, str]) -> None:
        """Write the clusters of cases."""
        self._put(CLUSTERS, encode_indented_json(clusters))
        self.clusters = clusters

    def put_calibration(self, calibration: Calibration) -> None:
        """Write the agreement of judges with labels."""
        from ...calibration.agreement.calibration_results import calibration_json  # noqa: PLC0415 - as in its reader

        self._put(CALIBRATION, encode_indented_json(calibration_json(calibration)))
        self.calibration = calibration

    def put_comparison(self, comparison: object) -> None:
        """Write the comparison of the systems."""
        self._put(COMPARISON, encode_indented_json(comparison))

    def _put(self, name: str, content: bytes) -> None:
        """Replace a file atomically, and seal it."""
        seal = seal_of(content)
        if self.manifest.journals.get(name, seal) != seal:
            self._break_seal(name)
        with atomic_write(self.path / name) as file:
            file.write(content)
        self._file_seals[name] = seal
        self._hashes[name] = seal.sha256

    def _break_seal(self, name: str) -> None:
        """Remove a file's seal before writing it, so that a kill does not look like an edit by hand."""
        journals = {other: seal for other, seal in self.manifest.journals.items() if other != name}
        self._write(msgspec.structs.replace(self.manifest, journals=journals))

    def _write(self, manifest: Manifest) -> None:
        write_json(self.path / MANIFEST, manifest.as_json())
        self._manifest = manifest

    def _seals(self) -> dict[str, Seal]:
        """Return the current seal of each file; an unopened and unwritten file keeps its seal."""
        seals = {**self.manifest.journals, **self._file_seals}
        for name, attribute in ((VERDICTS, "verdicts"), (STATEMENTS, "statements"), (FORMS, "forms")):
            if (journal := vars(self).get(attribute)) is not None:  # a cached property that was opened
                seals[name] = journal.seal
        return {name: seal for name, seal in seals.items() if seal.bytes}

    def _lock(self, path: Path) -> None:
        busy_message = (
            f"{path}: another process is writing this run; wait for it or choose another {setting('out')}"
        )
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._exit.enter_context(ProcessLock(path / _LOCK, busy_message).held())
        except OSError as error:
            action = "be locked" if path.is_dir() else "be made"
            raise InputError(f"the folder cannot {action}: {error.strerror or error}", path=path) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._upload:  # a working copy is uploaded at the end of this block
            super().__exit__(kind, error, trace)
            if error is not None:
                self._leave_no_trace()

    def _leave_no_trace(self) -> None:
        """Remove the files of a run that was refused before it was bound to anything."""
        is_bound = self._manifest is not None and (self.resumed or self._manifest.identity)
        if is_bound or not isinstance(self.path, Path):
            return
        if not self.resumed:
            for name in (MANIFEST, VERDICTS):
                (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):  # another process has written to the folder
            for path in self._created:  # the lock, then its folder, then the folders above
                path.rmdir() if path.is_dir() else path.unlink()

    def close(self) -> None:
        """Seal and close the journals, and release the lock."""
        try:
            if self.manifest.identity and self._seals() != self.manifest.journals:
                self.update()
        finally:
            super().close()


def _require_own_folder(path: Path) -> None:
    """Refuse a folder that does not belong to a run before anything is written."""
    if path.is_dir():
        names_in_folder = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        if names_in_folder:
            raise RunFolderError(
                f"{path}: holds {names_in_folder[0]!r} but no {MANIFEST}; choose another {setting('out')}"
            )


def _as_stored(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as the manifest stores them, so that both can be compared."""
    return decode_record(encode_record(facts), dict[str, Any])


def _encoded_lines(name: str, records: Iterable[object]) -> bytes:
    return b"".join(encode_line(record, name) for record in records)
