"""What every stage of a run works with."""

from __future__ import annotations

from typing import NamedTuple

from ..records import Verdict
from .inputs import EvaluationInputs
from .journal import Journal
from .progress import Progress
from .run_folder import RunFolder


class RunContext(NamedTuple):
    """What every stage of a run works with.

    Attributes:
        inputs: Cases and outputs.
        folder: Where verdicts are journaled.
        progress: Told about every piece of work.
        journal: Where this stage journals what it finds out; None for the run's verdicts.
    """

    inputs: EvaluationInputs
    folder: RunFolder
    progress: Progress
    journal: Journal[Verdict] | None = None

    @property
    def verdicts(self) -> Journal[Verdict]:
        """What this stage has found out so far."""
        return self.folder.verdicts if self.journal is None else self.journal
