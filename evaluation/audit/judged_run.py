"""Verdicts of one judge beside labels, read from a run folder for certificates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...calibration.pass_threshold import PassThreshold
from ...errors import UsageError
from ...records import JudgeId, ShownNames
from ..checking.verify import refuse_wrong_checks_of
from ..run_table import RunRows, run_rows
from ..store.run_store import RunStore


class JudgedRun(NamedTuple):
    """Verdicts and labels of one judge in a run folder.

    Attributes:
        judge: The judge, as it signs verdicts.
        id: The judge's id; None if the run did not record it.
        rows: First repeats with a label: item, cluster, label, score (None when not graded).
        fresh: Items whose verdict was not answered from a cache or recording.
        served_by: Models that the endpoint named.
        threshold: Pass threshold of the judge.
        scores: Scores of all graded repeats, by item.
    """

    judge: str
    id: JudgeId | None
    rows: list[dict[str, Any]]
    fresh: frozenset[str]
    served_by: list[str]
    threshold: PassThreshold = PassThreshold()
    scores: Mapping[str, list[float]] = {}

    @property
    def fingerprint(self) -> str:
        """Fingerprint of everything asked and parsed."""
        return "unknown" if self.id is None else self.id.fingerprint


def read_judged_run(folder: Path, judge: str | None = None, *, prefer: JudgeId | None = None) -> JudgedRun:
    """Read a run folder for one of its judges.

    Args:
        folder: A run folder with verdicts of a judge, and labels (the checkers' verdicts, or ``--labels``).
        judge: Name of the judge; None for the preferred one, or the only one.
        prefer: The judge to choose if none is named and the run has it.

    Raises:
        RunFolderError: It is not a run folder, or was changed by hand.
        RecordError: A verdict is on an unknown case, or is not what its checker says.
        UsageError: There is no such judge, or there are several.
    """
    with RunStore(folder) as store:
        store.refuse_edited()
        if "audit_of" in store.manifest.identity:
            raise UsageError(
                f"{folder}: an audit's probes are no sample of what the judge is used on; certify a run of `fiducial run` or `judge`"
            )
        refuse_wrong_checks_of(store)
        names = ShownNames()
        labelled = [row for row in run_rows(store, names) if row["label"] is not None]
        judge = _chosen(labelled, judge, names, prefer, folder)
        judged = [row for row in labelled if row["judge"] == judge]
        scores: dict[str, list[float]] = {}
        for row in judged:
            if row["score"] is not None:
                scores.setdefault(row["item_id"], []).append(row["score"])
        rows = (
            each.row
            for each in store.verdicts.standing
            if each.source == "judge" and names.of(each.author, each.by) == judge and each.repeat == 0
        )
        verdicts = list(store.verdicts.whole(rows))
        judge_id = names.judges.get(judge)
        threshold = None if judge_id is None else RunRows(store).thresholds.get(judge_id)
        return JudgedRun(
            judge=judge,
            id=judge_id,
            rows=[row for row in judged if row["repeat"] == 0],
            fresh=frozenset(
                str(each.key) for each in verdicts if each.usage is None or not each.usage.cached
            ),
            served_by=sorted(
                {str(each.evidence["served_by"]) for each in verdicts if "served_by" in each.evidence}
            ),
            threshold=threshold or PassThreshold(),
            scores=scores,
        )


def _chosen(
    labelled: list[dict[str, Any]], judge: str | None, names: ShownNames, prefer: JudgeId | None, folder: Path
) -> str:
    """Return the judge that is named, else the preferred one, else the only one."""
    judges = sorted({row["judge"] for row in labelled if row["repeat"] == 0})
    if judge is None:
        preferred = [name for name in judges if prefer is not None and names.judges.get(name) == prefer]
        judge = preferred[0] if preferred else judges[0] if len(judges) == 1 else None
    if judge is None or judge not in judges:
        problem = "name one with --by" if judge is None else f"there is no {judge!r}"
        raise UsageError(f"{folder}: {problem}; with labels there are {', '.join(judges) or 'none'}")
    return judge
