"""What comparing words alone says of the outputs of a finished run: a baseline for its judges that costs no call."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import RunFolderError
from ...judges.baseline import baseline_verdict, has_rule
from ...records import CaseIndex, FolderPath, InputPath, Output, Verdict, read_records
from ..labelling.labels import read_labels
from ..run_folder.folder import MANIFEST, VERDICTS, read_manifest
from ..run_folder.kept_inputs import run_inputs


def lexical_scores(folder: FolderPath, labelled: Collection[str] = ()) -> dict[str, float]:
    """Score the labelled outputs of a run by the lexical baseline, each as its judge's stand-in.

    Args:
        folder: A finished run folder.
        labelled: Items with a label, beside those that the folder has labels of.

    Returns:
        Score by item (``case_id|system|trial``); where judges of several sorts judged an output, the first one's. Empty when
        the lexical baseline was itself a judge of the run, or the run's inputs are not there as they were.
    """
    judges = _judges_of(folder, labelled)
    files = _inputs_of(folder) if judges else []
    if not files:
        return {}
    scores: dict[str, float] = {}
    with CaseIndex(files[0]) as cases:
        for path in files[1:]:
            for output in read_records(path, Output):
                judge = judges.get(str(output.key))
                if judge is not None:
                    score = baseline_verdict(cases[output.case_id], output, judge).score
                    if score is not None:
                        scores[str(output.key)] = score
    return scores


def _judges_of(folder: FolderPath, labelled: Collection[str]) -> dict[str, str]:
    """The judge whose stand-in the baseline is, by labelled item; empty when the baseline judged by itself."""
    known: set[str] = set(labelled)
    judges: dict[str, str] = {}
    known |= {str(key) for key in read_labels(folder)}
    for verdict in read_records(folder / VERDICTS, Verdict):
        if verdict.source == "judge":
            if verdict.judge is None:
                continue
            if verdict.judge.kind == "baseline":
                return {}
            if has_rule(verdict.judge):
                judges.setdefault(str(verdict.key), verdict.judge.name)
        elif verdict.graded:
            known.add(str(verdict.key))
    return {item: judge for item, judge in judges.items() if item in known}


def _inputs_of(folder: FolderPath) -> list[InputPath]:
    """The cases file and the outputs files; none when one of them is gone or has changed."""
    if not (folder / MANIFEST).exists():
        return []
    try:
        return run_inputs(folder, {"inputs": [], **read_manifest(folder)})
    except RunFolderError:
        return []
