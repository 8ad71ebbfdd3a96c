"""Context shared by all stages of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..records import FolderPath, JudgeId
from ..version import VERSION
from .inputs import EvaluationInputs
from .progress import Progress
from .store.journal import VerdictJournal
from .store.kept_inputs import keep_inputs
from .store.manifest import JudgeRecord
from .store.run_writer import RunWriter
from .store.verdict_index import Settled

if TYPE_CHECKING:
    from .engines.ray_engine import RayEngine


@contextmanager
def judge_run(
    out: FolderPath,
    identity: Mapping[str, Any],
    judges: Sequence[JudgeRecord],
    inputs: EvaluationInputs | None,
    *,
    command: str,
    now: Callable[[], datetime],
) -> Generator[RunWriter]:
    """Open a folder for a run without checkers, tied to its inputs, and complete it at the end.

    A run that cannot continue there is refused before anything in it is changed. ``inputs`` are recorded in its manifest.
    """
    with RunWriter(out) as writer:
        writer.require_same_run(**identity)
        writer.roster.require_unchanged(judges, writer.path)
        writer.bind(**identity)
        writer.update(
            status="running",
            started=now().isoformat(timespec="seconds"),
            command=command,
            versions={"fiducial": VERSION},
            inputs=None if inputs is None else keep_inputs(writer.path, inputs),
        )
        yield writer
        writer.update(status="complete", ended=now().isoformat(timespec="seconds"))


class RunContext(NamedTuple):
    """Context shared by all stages of a run.

    Attributes:
        journal: Journal of this stage's verdicts, or None for the run's verdicts.
        engine: Engine that does the work, or None for this process and its workers.
        retry_unreadable: Number of later commands that ask again after unreadable replies.
        phase: What judges are asked about, for the progress of commands that ask several times; empty otherwise.
    """

    inputs: EvaluationInputs
    writer: RunWriter
    progress: Progress
    journal: VerdictJournal | None = None
    engine: RayEngine | None = None
    retry_unreadable: int = 0
    phase: str = ""

    @property
    def verdicts(self) -> VerdictJournal:
        """Verdicts of this stage so far."""
        return self.writer.verdicts if self.journal is None else self.journal

    @property
    def settled(self) -> Settled:
        """Keys of this stage that need no more work, as a live view."""
        return self.verdicts.settled_after(self.retry_unreadable)

    @contextmanager
    def timed(self, judge: JudgeId) -> Generator[None]:
        """Add to the judge's total asking time, over all starts of the run that were not killed."""
        started = monotonic()
        try:
            yield
        finally:
            # Read again, since the judge's record may have changed within the block.
            record = self.writer.roster[judge]
            total = (record.seconds or 0.0) + monotonic() - started
            self.writer.roster.enlist(msgspec.structs.replace(record, seconds=round(total, 3)))
            self.writer.update()
