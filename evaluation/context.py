"""What every stage of a run works with."""

from __future__ import annotations

from typing import NamedTuple

from .inputs import EvaluationInputs
from .progress import Progress
from .run_folder import RunFolder


class RunContext(NamedTuple):
    """What every stage of a run works with.

    Attributes:
        inputs: Cases and outputs.
        folder: Where verdicts are journaled.
        progress: Told about every piece of work.
    """

    inputs: EvaluationInputs
    folder: RunFolder
    progress: Progress
