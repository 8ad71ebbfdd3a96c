"""Reading of a run's files, in a folder or in memory; each file is read once."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import EditedRunError, InputError, RecordError, RunFolderError
from ...records import (
    Closing,
    FolderPath,
    InputPath,
    ItemKey,
    MemoryFile,
    Verdict,
    decode_record,
    lines_of,
    open_regular_file,
)
from ...spelling import command
from ...tables.standing_labels import standing_labels
from .file_names import (
    ADJUDICATIONS,
    CALIBRATION,
    CLUSTERS,
    FORMS,
    LABELS,
    MANIFEST,
    PAIRS,
    STATEMENTS,
    VERDICTS,
)
from .journal import VerdictJournal
from .kept_inputs import RunInputs, unchanged_inputs
from .manifest import Manifest, Roster
from .pair_verdicts import holds_imported_pairs
from .sealed_file import Seal, seal_of
from .verdict_index import StoredVerdict

if TYPE_CHECKING:
    from ...calibration.agreement.calibration_results import Calibration


class RunStore(Closing):
    """A stored run for reading; `RunWriter` writes it."""

    _writing = False

    def __init__(self, path: FolderPath) -> None:
        self.path = path
        self._exit = ExitStack()
        self._manifest: Manifest | None = None
        self._changed: dict[str, Seal] = {}  # current seals of files that differ from the manifest's
        self._hashes: dict[str, str] = {}  # SHA-256 by file name

    @property
    def manifest(self) -> Manifest:
        """Manifest of the run.

        Raises:
            RunFolderError: The folder is not a run folder.
        """
        if self._manifest is None:
            self._manifest = self._read_manifest()
        return self._manifest

    def _read_manifest(self) -> Manifest:
        try:
            return decode_record(self._read_and_hash(MANIFEST), Manifest)
        except OSError as error:
            raise RunFolderError(
                f"{self.path}: not a run folder ({MANIFEST}: {error.strerror or error})"
            ) from error
        except RecordError as error:
            raise RunFolderError(f"{self.path}: not a run folder ({MANIFEST}: {error})") from error

    @property
    def begun(self) -> bool:
        """True if the run has begun."""
        return (self.path / MANIFEST).exists()

    @property
    def manifest_or_empty(self) -> Manifest:
        """The manifest; an empty one if the verdicts have none."""
        return self.manifest if self.begun else Manifest()

    @cached_property
    def roster(self) -> Roster:
        """The judges of the run; none if there is no run yet."""
        return Roster(self.manifest_or_empty)

    @cached_property
    def verdicts(self) -> VerdictJournal:
        """Verdicts of checkers and judges."""
        if not self._writing and not (self.path / VERDICTS).exists():
            raise InputError(f"not a run folder: it has no {VERDICTS}", path=str(self.path))
        return self._journal(VERDICTS)

    @cached_property
    def statements(self) -> VerdictJournal:
        """Splits of answers into statements."""
        return self._journal(STATEMENTS)

    @cached_property
    def forms(self) -> VerdictJournal:
        """Answers to the questions of an audit in other forms."""
        return self._journal(FORMS)

    @property
    def journals(self) -> list[VerdictJournal]:
        """Journals in order of creation: splits of answers and other forms only if any."""
        splits = [self.statements] if (self.path / STATEMENTS).exists() else []
        forms = [self.forms] if (self.path / FORMS).exists() else []
        return [*splits, self.verdicts, *forms]

    @property
    def edited(self) -> list[str]:
        """Files edited by hand since the run wrote them.

        Journals and labels are checked, and other files that were read so far.
        """
        _ = self.labels, self.adjudications  # read now, so that they are compared with their seals
        journals = [journal.edited_lines for journal in self.journals if journal.edited]
        return [*journals, *(str(self.path / name) for name in self._changed)]

    @property
    def is_sealed(self) -> bool:
        """True if the journals match the manifest to the last byte; they are hashed, not parsed."""
        seals = self.manifest_or_empty.journals
        return bool(seals) and all(self.sha256_of(name) == seal.sha256 for name, seal in seals.items())

    def sha256_of(self, name: str) -> str | None:
        """Return the hash of a file, or None if it does not exist.

        Hashes of files that were read or written before are known. An open journal is hashed in its current state.
        """
        for journal in map(vars(self).get, ("verdicts", "statements", "forms")):
            if isinstance(journal, VerdictJournal) and journal.path == self.path / name:
                return journal.seal.sha256
        if name not in self._hashes and (self.path / name).exists():
            self._hashes[name] = _sha256(self.path / name)
        return self._hashes.get(name)

    def require_unedited(self) -> None:
        """Refuse a run that was edited by hand, or contains verdicts on unknown items."""
        if not self._writing:  # a writer replaces these files, and may find journals that a kill left
            _ = self.clusters, self.calibration  # read now, so that they are compared with their seals
            for journal in self.journals:
                self._require_length(journal)
        if self.edited:
            raise EditedRunError(f"{' and '.join(self.edited)}: changed by hand since the run wrote it")
        if not self._writing:
            self.require_known()

    def require_known(self) -> None:
        """Refuse verdicts on unknown cases, systems and outputs.

        If seals were removed, only the inputs reveal such verdicts.
        """
        results = self.manifest_or_empty.results
        if results is None or PAIRS in self.manifest_or_empty.identity:
            return
        try:
            inputs = self.inputs
        except RunFolderError:
            return  # the inputs are gone or have changed
        from .known_items import require_known  # noqa: PLC0415 - most runs have no results yet

        require_known(self.verdicts, inputs, {result.system for result in results})

    def _require_length(self, journal: VerdictJournal) -> None:
        """Refuse a journal of a finished run that has grown or shrunk since.

        A resumed run reads lines that a kill left after the seal, and repeats work that a power cut lost.
        """
        seal = self.manifest_or_empty.journals.get(journal.path.name)
        if seal is None or not self.manifest_or_empty.finished or journal.size == seal.bytes:
            return
        if journal.size < seal.bytes:
            raise RunFolderError(f"{journal.path}: shorter than when the run ended; rerun the run's command")
        raise EditedRunError(
            f"{journal.path}:{journal.line_number_at(seal.bytes)}: added after the run had ended"
        )

    @cached_property
    def labels(self) -> list[Verdict]:
        """The trusted verdicts of the run, in order."""
        return [label for _, label in self._lines_of(LABELS)]

    @cached_property
    def adjudications(self) -> list[tuple[int, Verdict]]:
        """Decisions between judge and label, in order, each with its line number."""
        return self._lines_of(ADJUDICATIONS)

    def _lines_of(self, name: str) -> list[tuple[int, Verdict]]:
        path = self.path / name
        lines = lines_of(io.BytesIO(self._read_and_compare(name) or b""), path)
        return [(line, decode_record(raw, Verdict, path=path, line=line)) for line, _, raw in lines]

    @property
    def label_scores(self) -> dict[ItemKey, float]:
        """Score of the standing label by output."""
        standing = standing_labels(self.labels)
        return {key: label.score for key, label in standing.items() if label.score is not None}

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """Cluster by case id; a missing case is its own cluster."""
        return read_clusters(self.path / CLUSTERS, lambda: self._read_and_compare(CLUSTERS))

    @cached_property
    def calibration(self) -> Calibration | None:
        """Agreement of judges with labels, or None if no judge graded a labelled output."""
        content = self._read_and_compare(CALIBRATION)
        if content is None:
            return None
        from ...calibration.agreement.calibration_results import read_calibration  # noqa: PLC0415 - most readers of a run need no numbers

        path = self.path / CALIBRATION
        return read_calibration(decode_record(content, dict[str, Any], path=path), path)

    @property
    def standing_verdicts(self) -> Iterator[StoredVerdict]:
        """Standing verdicts of the run, ordered as in `in_order`."""
        return self.in_order(self.verdicts)

    def in_order(self, journal: VerdictJournal) -> Iterator[StoredVerdict]:
        """Yield a journal's standing verdicts, in the order of the first request.

        A run over shards, whose journal has no fixed order, yields them sorted by name.
        """
        return map(journal.standing.__getitem__, self._rows_of(journal))

    def judge_verdicts(self) -> Iterator[StoredVerdict]:
        """Yield the judges' standing verdicts, ordered as in `in_order`."""
        return self.verdicts.standing.by_source(self._rows_of(self.verdicts), by_judges=True)

    def other_verdicts(self) -> Iterator[StoredVerdict]:
        """Yield the standing verdicts of all except judges, ordered as in `in_order`."""
        return self.verdicts.standing.by_source(self._rows_of(self.verdicts), by_judges=False)

    def _rows_of(self, journal: VerdictJournal) -> Sequence[int]:
        standing = journal.standing
        return standing.sorted_rows() if self.manifest_or_empty.sharded else range(len(standing))

    @property
    def inputs(self) -> RunInputs:
        """Cases and outputs of the run.

        Raises:
            RunFolderError: They have changed.
        """
        return unchanged_inputs(self.path, self.manifest.inputs or (), self.manifest.case_files)

    def require_no_pairs(self) -> None:
        """Refuse verdicts on pairs of outputs when verdicts on outputs are needed."""
        if not self.begun and holds_imported_pairs(self.path):
            raise RunFolderError(
                f"{self.path}: holds verdicts on pairs of outputs, and none on single ones: `{command('compare', self.path, by='system')}` "
                f"gives win rates, `{command('calibrate', self.path)}` agreement with people"
            )
        if PAIRS in self.manifest_or_empty.identity:
            command_of_run = self.manifest_or_empty.command
            hint = f"; `{command_of_run}` shows it again" if command_of_run else ""
            raise RunFolderError(
                f"{self.path}: holds preferences between outputs, and no verdicts on single ones{hint}"
            )

    def finished(self) -> Manifest:
        """Return the manifest of a finished run.

        Raises:
            RunFolderError: The run is not finished.
        """
        self.require_no_pairs()
        if not self.manifest.finished:
            raise RunFolderError(f"{self.path}: the run is not finished; rerun its command to continue")
        return self.manifest

    def close(self) -> None:
        """Close the journals."""
        self._exit.close()

    def _journal(self, name: str) -> VerdictJournal:
        path = self.path / name
        if not self._writing and not path.exists():
            path = MemoryFile(f"{self.path}/{name}")
        seal = self.manifest_or_empty.journals.get(name)
        return self._exit.enter_context(VerdictJournal(path, writing=self._writing, seal=seal))

    def _read_and_compare(self, name: str) -> bytes | None:
        """Return the content of a file that is replaced as a whole, or None if it is missing.

        It also records whether the file was edited.
        """
        content = self._read_and_hash(name) if (self.path / name).exists() else None
        seal = self.manifest_or_empty.journals.get(name)
        current_seal = seal_of(content or b"")
        if seal is not None and seal != current_seal:
            self._changed[name] = current_seal
        return content

    def unchanged(self, name: str) -> bytes | None:
        """Return a reproducible file's content, or None if it is missing or was edited by hand.

        An edit is not reported.
        """
        content = self._read_and_compare(name)
        return None if self._changed.pop(name, None) else content

    def _read_and_hash(self, name: str) -> bytes:
        content = _read(self.path / name)
        self._hashes[name] = hashlib.sha256(content).hexdigest()
        return content


def read_clusters(path: InputPath, content: Callable[[], bytes | None] | None = None) -> dict[str, str]:
    """Read clusters by case id; empty for a run without dependent cases."""
    try:
        raw = content() if content is not None else _read(path) if path.exists() else None
        return decode_record(raw or b"{}", dict[str, str])
    except (OSError, RecordError) as error:
        raise InputError(f"cannot be read as clusters by case: {error}", path=path) from error


def _read(path: InputPath) -> bytes:
    with _opened(path) as file:
        return file.read()


def _sha256(path: InputPath) -> str:
    with _opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: InputPath) -> io.BufferedReader | io.BytesIO:
    if isinstance(path, MemoryFile):
        return path.open()
    return open(open_regular_file(path, os.O_RDONLY), "rb")  # noqa: PTH123 - a descriptor
