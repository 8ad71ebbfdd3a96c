"""What comparing words alone says of the outputs of a finished run: a baseline for its judges that costs no call."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...errors import UsageError
from ...judges.baseline import MODEL, baseline_by, baseline_verdict
from ...records import CaseIndex, Output, Verdict, read_records
from ..inputs import file_sha256
from ..run_folder.folder import LABELS, MANIFEST, VERDICTS, read_manifest


def lexical_scores(folder: Path, labelled: Collection[str] = ()) -> dict[str, float]:
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


def _judges_of(folder: Path, labelled: Collection[str]) -> dict[str, str]:
    """The judge whose stand-in the baseline is, by labelled item; empty when the baseline judged by itself."""
    known: set[str] = set(labelled)
    judges: dict[str, str] = {}
    if (folder / LABELS).exists() and (folder / LABELS).stat().st_size:
        known |= {str(verdict.key) for verdict in read_records(folder / LABELS, Verdict)}
    for verdict in read_records(folder / VERDICTS, Verdict):
        if verdict.source == "judge":
            if verdict.by.endswith(f"@{MODEL}"):
                return {}
            if _has_rule(verdict.by):
                judges.setdefault(str(verdict.key), verdict.by)
        elif verdict.graded:
            known.add(str(verdict.key))
    return {item: judge for item, judge in judges.items() if item in known}


def _has_rule(judge: str) -> bool:
    try:
        baseline_by(judge)
    except UsageError:
        return False
    return True


def _inputs_of(folder: Path) -> list[Path]:
    """The cases file and the outputs files; none when one of them is gone or has changed."""
    if not (folder / MANIFEST).exists():
        return []
    inputs: list[dict[str, str]] = read_manifest(folder).get("inputs", [])
    same = all(
        Path(file["path"]).is_file() and file_sha256(Path(file["path"])) == file["sha256"] for file in inputs
    )
    return [Path(file["path"]) for file in inputs] if same else []
