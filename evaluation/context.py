"""What every stage of a run works with."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

import msgspec

from ..records import JudgeId
from .engines.ray_engine import RayEngine
from .inputs import EvaluationInputs
from .progress import Progress
from .store.journal import VerdictJournal
from .store.run_writer import RunWriter


class RunContext(NamedTuple):
    """What every stage of a run works with.

    Attributes:
        inputs: Cases and outputs.
        folder: Where verdicts are journaled.
        progress: Told about every piece of work.
        journal: Where this stage journals what it finds out; None for the run's verdicts.
        clock: Seconds that only go forward.
        engine: What work is done on, where that is not this process and its workers.
    """

    inputs: EvaluationInputs
    folder: RunWriter
    progress: Progress
    journal: VerdictJournal | None = None
    clock: Callable[[], float] = monotonic
    engine: RayEngine | None = None

    @property
    def verdicts(self) -> VerdictJournal:
        """What this stage has found out so far."""
        return self.folder.verdicts if self.journal is None else self.journal

    @contextmanager
    def timed(self, judge: JudgeId) -> Generator[None]:
        """Add to the time that asking a judge has taken, over all starts of the run that were not killed."""
        started = self.clock()
        try:
            yield
        finally:
            known = self.folder.roster[judge]
            total = (known.seconds or 0.0) + self.clock() - started
            self.folder.roster.enlist(msgspec.structs.replace(known, seconds=round(total, 3)))
            self.folder.update()
