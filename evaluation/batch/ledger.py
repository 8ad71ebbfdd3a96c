"""Ledger of a run's batches, written before and after every step so that a kill loses none."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ...errors import RunFolderError
from ...records import read_plainly, write_json
from .batch_endpoint import ENDED

FOLDER = "batch"
"""Batch files and results within a run folder."""
_FILE = "batches.json"


class BatchEntry(msgspec.Struct, forbid_unknown_fields=True):
    """One batch of a run.

    Attributes:
        file: Name of the batch file in the folder.
        requests: How many requests it holds.
        sha256: Of its bytes.
        id: The provider's name for the batch; None until it has begun.
        status: As the provider last said.
        problem: What the provider said is wrong with the batch as a whole.
        results: Names of the result files that were fetched.
    """

    file: str
    requests: int
    sha256: str
    id: str | None = None
    status: str | None = None
    problem: str | None = None
    results: list[str] = []

    @property
    def over(self) -> bool:
        """True if the batch needs no further work."""
        return self.status in ENDED


class Ledger:
    """The batches of a run, in its folder.

    Raises:
        RunFolderError: The list of batches is damaged.
    """

    def __init__(self, run: Path) -> None:
        self.folder = run / FOLDER
        self._path = self.folder / _FILE
        self.entries: list[BatchEntry] = []
        if self._path.exists():
            try:
                self.entries = msgspec.json.decode(read_plainly(self._path), type=list[BatchEntry])
            except msgspec.MsgspecError as error:
                raise RunFolderError(f"{self._path}: not a list of batches: {error}") from error
        for name in (name for entry in self.entries for name in entry.results):
            if Path(name).name != name:
                raise RunFolderError(f"{self._path}: {name!r} is no file of the run")

    def save(self) -> None:
        """Write everything down."""
        write_json(self._path, self.entries)

    def result_files(self) -> list[Path]:
        """Return all fetched result files, in the order of the batches."""
        return [self.folder / name for entry in self.entries for name in entry.results]

    def unfinished(self) -> list[BatchEntry]:
        """Return the batches with work left."""
        return [entry for entry in self.entries if not entry.over]

    def next_file(self, ahead: int, number: int) -> Path:
        """Return a name for a new batch file.

        It is the ``number``-th, from 1, after ``ahead`` others that are not in the ledger yet.
        """
        return self.folder / f"requests-{len(self.entries) + ahead + number:03d}.jsonl"

    def problems(self) -> str:
        """Return the problems with whole batches, for display; empty if there were none."""
        said = {
            f"{entry.file} {entry.status}{': ' + entry.problem if entry.problem else ''}"
            for entry in self.entries
            if entry.over and entry.status != "completed"
        }
        return "; ".join(sorted(said))
