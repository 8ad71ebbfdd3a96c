"""Labels: trusted verdicts that people, construction or another checker gave."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..errors import InputError
from ..records import ItemKey, Verdict, read_numbered, read_records
from .inputs import EvaluationInputs
from .run_folder import LABELS, RunFolder


def adopt_labels(labels: Path, inputs: EvaluationInputs, folder: RunFolder) -> None:
    """Check a labels file and keep it in the run folder.

    Args:
        labels: Trusted verdicts, JSON Lines.
        inputs: The cases they must be about.
        folder: The run folder.

    Raises:
        RecordError: A line is not a verdict, is a judge's, or is about a case that is not there.
    """
    for line, verdict in read_numbered(labels, Verdict):
        problem = None
        if verdict.source == "judge":
            problem = "source", "a judge's verdict is not a label; expected human, checker or construction"
        elif verdict.case_id not in inputs.cases:
            problem = "case_id", f"no case has the id {verdict.case_id!r} in {inputs.cases.path}"
        if problem:
            raise InputError(problem[1], path=labels, line=line, field=problem[0])
    if labels.resolve() != (folder.path / LABELS).resolve():
        shutil.copyfile(labels, folder.path / LABELS)


def read_labels(folder: Path) -> dict[ItemKey, float]:
    """The graded labels of a run folder.

    Args:
        folder: The run folder.

    Returns:
        Trusted score by output; empty when the run has no labels.
    """
    path = folder / LABELS
    if not path.exists():
        return {}
    return {label.key: label.score for label in read_records(path, Verdict) if label.score is not None}
