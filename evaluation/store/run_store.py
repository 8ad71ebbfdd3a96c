"""Everything a run keeps is read and written here: in a folder, or in memory; each file once."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import cached_property
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
    ItemKey,
    MemoryFile,
    Verdict,
    atomic_write,
    decode_record,
    encode_record,
    lines_of,
    open_plainly,
    write_json,
    write_records,
)
from ..inputs import EvaluationInputs, InputFile, file_sha256
from .journal import Seal, VerdictJournal
from .manifest import KeptInput, KnownJudge, Manifest, Roster

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

GENERATED = "outputs.jsonl"
"""The outputs of a run that generates them itself; it grows when the run goes on."""

_LOCK = ".lock"


class RunStore(Closing):
    """A run as it is kept, to be read; see `RunWriter` for who writes it.

    Args:
        path: The folder.

    Attributes:
        path: The same.
    """

    _writing = False

    def __init__(self, path: FolderPath) -> None:
        self.path = path
        self._exit = ExitStack()
        self._manifest: Manifest | None = None

    @property
    def manifest(self) -> Manifest:
        """What is known of the run.

        Raises:
            RunFolderError: It is not a run folder.
        """
        if self._manifest is None:
            self._manifest = self._read_manifest()
        return self._manifest

    def _read_manifest(self) -> Manifest:
        try:
            return decode_record(self._content(MANIFEST), Manifest)
        except OSError as error:
            raise RunFolderError(
                f"{self.path}: not a run folder ({MANIFEST}: {error.strerror or error})"
            ) from error
        except RecordError as error:
            raise RunFolderError(f"{self.path}: not a run folder ({MANIFEST}: {error})") from error

    @property
    def begun(self) -> bool:
        """Whether there is a run."""
        return (self.path / MANIFEST).exists()

    @property
    def known(self) -> Manifest:
        """The manifest; an empty one of verdicts that nobody wrote one for.

        Raises:
            RunFolderError: It is no manifest.
        """
        return self.manifest if self.begun else Manifest()

    @cached_property
    def roster(self) -> Roster:
        """The judges of the run; none where there is no run yet."""
        return Roster(self.known)

    @cached_property
    def verdicts(self) -> VerdictJournal:
        """What checkers and judges said.

        Raises:
            InputError: There is nothing of the kind, or it cannot be read.
            RecordError: A line cannot be used.
        """
        if not self._writing and not (self.path / VERDICTS).exists():
            raise InputError(f"a folder without {VERDICTS} is no run folder", path=str(self.path))
        return self._journal(VERDICTS)

    @cached_property
    def statements(self) -> VerdictJournal:
        """How answers were split into statements."""
        return self._journal(STATEMENTS)

    @property
    def journals(self) -> list[VerdictJournal]:
        """What stands in the order in which it was found out: how answers were split, where any were, and what was said."""
        return [*([self.statements] if (self.path / STATEMENTS).exists() else []), self.verdicts]

    @property
    def edited(self) -> list[str]:
        """The journals that were changed by hand since the run wrote them."""
        return [str(journal.path) for journal in self.journals if journal.edited]

    @property
    def is_sealed(self) -> bool:
        """Whether its journals are, to the last byte, what the manifest says; they are hashed, and not read."""
        seals = self.known.journals.items()
        return bool(seals) and all(_sha256(self.path / name) == seal.sha256 for name, seal in seals)

    def refuse_edited(self) -> None:
        """Refuse a run that was changed by hand.

        Raises:
            RunFolderError: It was.
        """
        if self.edited:
            raise RunFolderError(
                f"{' and '.join(self.edited)}: changed by hand since the run wrote it; --accept-edited goes on with what it says now"
            )

    @cached_property
    def labels(self) -> list[Verdict]:
        """The trusted verdicts of the run, in order.

        Raises:
            InputError: They cannot be read.
        """
        path = self.path / LABELS
        if not path.exists():
            return []
        with _readable(path) as file:
            return [
                decode_record(raw, Verdict, path=path, line=line) for line, _, raw in lines_of(file, path)
            ]

    @property
    def label_scores(self) -> dict[ItemKey, float]:
        """Trusted score by output; of several the last."""
        return {label.key: label.score for label in self.labels if label.score is not None}

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """Cluster by case id; a case that is not named is its own.

        Raises:
            InputError: They cannot be read.
        """
        return read_clusters(self.path / CLUSTERS)

    @cached_property
    def calibration(self) -> Calibration | None:
        """How far judges agree with labels; None where no judge said anything of a labelled output.

        Raises:
            InputError: The file is not what a run writes.
        """
        if not (self.path / CALIBRATION).exists():
            return None
        from ...calibration.agreement.results import read_calibration  # noqa: PLC0415 - most that read a run want no numbers

        return read_calibration(decode_record(self._content(CALIBRATION), dict[str, Any]))

    @property
    def inputs(self) -> list[InputPath]:
        """Where the cases and the outputs of the run are: what a page shows must be what checkers and judges saw.

        Raises:
            RunFolderError: One of them is not where, or not what, it was.
        """
        return [self._unchanged(file) for file in self.manifest.inputs or ()]

    def _unchanged(self, file: KeptInput) -> InputPath:
        path = Path(file.path) if Path(file.path).is_absolute() else self.path / file.path
        if not path.exists():
            raise RunFolderError(
                f"{self.path}: its input {path} is not there any more; a page about the run needs it"
            )
        if file_sha256(path) != file.sha256:
            raise RunFolderError(
                f"{self.path}: its input {path} has changed since; run again with another --out"
            )
        return path

    def finished(self) -> Manifest:
        """The manifest of a run that came to its end.

        Raises:
            RunFolderError: It is not a run folder, or the run was not finished.
        """
        if not self.manifest.finished:
            raise RunFolderError(f"{self.path}: the run was not finished; type its command again to go on")
        return self.manifest

    def close(self) -> None:
        """Close what is open."""
        self._exit.close()

    def _journal(self, name: str) -> VerdictJournal:
        path = self.path / name
        if not self._writing and not path.exists():
            path = MemoryFile(f"{self.path}/{name}")
        seal = self.known.journals.get(name)
        return self._exit.enter_context(VerdictJournal(path, writing=self._writing, seal=seal))

    def _content(self, name: str) -> bytes:
        with _readable(self.path / name) as file:
            return file.read()


class RunWriter(RunStore):
    """A run that one process writes, and the same command resumes.

    What the run's verdicts depend on is bound to it (`bind`), so that another run cannot mix with it.

    Args:
        path: The folder; made when it is not there. One in memory belongs to this process, and nothing is written anywhere.
        accept_edited: Whether to go on with journals that were changed by hand.

    Attributes:
        resumed: Whether it was begun before.

    Raises:
        RunFolderError: Another process is writing it, it holds something else, or a journal was changed by hand.
        InputError: The folder cannot be made, or a journal cannot be used.
    """

    _writing = True

    def __init__(self, path: FolderPath, *, accept_edited: bool = False) -> None:
        super().__init__(path)
        on_disk = path if isinstance(path, Path) else None
        self.resumed = self.begun
        self._made: list[Path] = []
        if on_disk is not None:
            if not self.resumed:
                _refuse_other_folders(on_disk)
            self._made = [each for each in (on_disk / _LOCK, on_disk, *on_disk.parents) if not each.exists()]
            self._lock(on_disk)
        try:
            if self.resumed:
                _ = self.manifest
            else:
                self._write(Manifest())
            if not accept_edited:
                self.refuse_edited()
        except BaseException:
            self._exit.close()
            self._leave_no_trace()
            raise

    def bind(self, **facts: Any) -> None:
        """Tie the run to something that must be the same whenever it goes on.

        Args:
            **facts: What is now known of it, such as the rule set or the hashes of its inputs.

        Raises:
            RunFolderError: It is tied to something else already.
        """
        self.refuse_other_run(**facts)
        if facts.keys() - self.manifest.identity.keys():
            self.update(identity={**self.manifest.identity, **_plain(facts)})

    def refuse_other_run(self, **facts: Any) -> None:
        """Refuse to go on with a run that is tied to something else; see `bind`, which ties it."""
        identity, facts = self.manifest.identity, _plain(facts)
        changed = sorted(key for key in facts.keys() & identity.keys() if facts[key] != identity[key])
        if changed:
            raise RunFolderError(
                f"{self.path}: made by a run that differs in {', '.join(changed)}; choose another --out, or remove it"
            )

    def enlist(self, judges: Iterable[KnownJudge]) -> None:
        """Tie the run to its judges, and to the names they are shown under.

        Args:
            judges: Who is to judge now, beside those that have judged already.

        Raises:
            RunFolderError: One of them is not who it was when the run was begun.
        """
        judges = list(judges)
        self.roster.refuse_changed(judges, self.path)
        for judge in judges:
            known = self.roster.get(judge.id)
            self.roster.enlist(judge if known is None else msgspec.structs.replace(known, cut=judge.cut))
        if list(self.roster) != self.manifest.roster:
            self.update()

    def update(self, **entries: Any) -> None:
        """Put fields into the manifest and write it, with the judges and the journals as they are now."""
        self._write(
            msgspec.structs.replace(
                self.manifest, roster=list(self.roster), journals=self._seals(), **entries
            )
        )

    def rewrite(self, verdicts: Iterable[Verdict]) -> None:
        """Write all verdicts anew, all or nothing: a kill leaves the old ones.

        Args:
            verdicts: What takes the place of every line.
        """
        journals = {name: seal for name, seal in self.manifest.journals.items() if name != VERDICTS}
        # A kill between the two writes must not look like a change by hand.
        self._write(msgspec.structs.replace(self.manifest, journals=journals))
        write_records(self.path / VERDICTS, verdicts)
        self.verdicts.close()
        self.verdicts = self._journal(VERDICTS)

    def keep_inputs(self, inputs: EvaluationInputs) -> list[KeptInput]:
        """Note which files the run is about; those that are in memory are kept beside the rest."""
        paths = (inputs.cases.path, *inputs.output_files)
        return [self._kept(path, file) for path, file in zip(paths, inputs.survey.files, strict=True)]

    def _kept(self, path: InputPath, file: InputFile) -> KeptInput:
        name = str(path.resolve()) if isinstance(path, Path) else f"{path.name}.jsonl"
        if not isinstance(path, Path) and not (self.path / name).exists():
            with atomic_write(self.path / name) as kept:
                kept.write(path.read_bytes())
        return KeptInput(name=file.name, sha256=file.sha256, rows=file.rows, path=name)

    def put_labels(self, labels: Iterable[Verdict]) -> None:
        """Put labels in the place of those that are there, all or nothing."""
        self.labels = list(labels)
        write_records(self.path / LABELS, self.labels)

    def put_clusters(self, clusters: Mapping[str, str]) -> None:
        """Write down which cases belong together."""
        write_json(self.path / CLUSTERS, clusters)
        self.clusters = clusters

    def put_calibration(self, calibration: Calibration) -> None:
        """Write down how far judges agree with labels."""
        from ...calibration.agreement.results import calibration_json  # noqa: PLC0415 - as where it is read

        write_json(self.path / CALIBRATION, calibration_json(calibration))
        self.calibration = calibration

    def _write(self, manifest: Manifest) -> None:
        write_json(self.path / MANIFEST, manifest.as_json())
        self._manifest = manifest

    def _seals(self) -> dict[str, Seal]:
        """What each journal is now; one that was not opened is what it was."""
        seals = dict(self.manifest.journals)
        for name, journal in ((VERDICTS, "verdicts"), (STATEMENTS, "statements")):
            if (written := vars(self).get(journal)) is not None:
                written.flush()
                seals[name] = written.seal
        return {name: seal for name, seal in seals.items() if seal.bytes}

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None:
            self._leave_no_trace()

    def _leave_no_trace(self) -> None:
        """Take away what was made for a run that was refused before it was bound to anything."""
        tied = self._manifest is not None and (self.resumed or self._manifest.identity)
        if tied or not isinstance(self.path, Path):
            return
        if not self.resumed:
            for name in (MANIFEST, VERDICTS):
                (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):  # somebody else put something there
            for made in self._made:
                made.rmdir() if made.is_dir() else made.unlink()

    def close(self) -> None:
        """Write down what the journals are now, close them, and let other processes in."""
        try:
            if self.manifest.identity and self._seals() != self.manifest.journals:
                self.update()
        finally:
            super().close()


def _refuse_other_folders(path: Path) -> None:
    """Refuse a folder that is no run's before anything is put there."""
    if path.is_dir():
        others = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        if others:
            raise RunFolderError(f"{path}: holds {others[0]!r} but no {MANIFEST}; choose another --out")


def read_clusters(path: InputPath) -> dict[str, str]:
    """Cluster by case id, as a run wrote it; a run without it has no case that depends on another.

    Raises:
        InputError: It cannot be read.
    """
    if not path.exists():
        return {}
    try:
        with _readable(path) as file:
            return decode_record(file.read(), dict[str, str])
    except (OSError, RecordError) as error:
        raise InputError(f"cannot be read as clusters by case: {error}", path=path) from error


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they come back from the manifest, so that the two can be compared."""
    return decode_record(encode_record(facts), dict[str, Any])


def _sha256(path: InputPath) -> str:
    with _readable(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _readable(path: InputPath) -> io.BufferedReader | io.BytesIO:
    if isinstance(path, MemoryFile):
        return path.open()
    return open(open_plainly(path, os.O_RDONLY), "rb")  # noqa: PTH123 - a descriptor
