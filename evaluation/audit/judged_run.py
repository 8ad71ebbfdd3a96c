"""Read one judge's verdicts and the labels of a run folder, for certificates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...calibration.pass_threshold import PassThreshold
from ...errors import UsageError
from ...records import JudgeId, ShownNames, Verdict
from ...spelling import setting
from ..checking.verify import require_right_checks_of
from ..run_table import RunRows, run_rows
from ..store.run_store import RunStore


class JudgedRun(NamedTuple):
    """Verdicts and labels of one judge in a run folder.

    Attributes:
        judge: Name of the judge, as it signs verdicts.
        id: The judge's id, or None if the run did not record it.
        rows: First repeats on labelled items: item, cluster, label, score (None if ungraded).
        fresh: Items whose first repeat is not a reply from a cache or recording.
        served_by: Models that the endpoint named in its replies.
        threshold: Pass threshold of the judge.
        scores: Scores of all graded repeats, by item.
        parsed: Fingerprints of the unchanged judge with each version of its parser; empty if unknown.
    """

    judge: str
    id: JudgeId | None
    rows: list[dict[str, Any]]
    fresh: frozenset[str]
    served_by: list[str]
    threshold: PassThreshold = PassThreshold()
    scores: Mapping[str, list[float]] = {}
    parsed: Sequence[str] = ()

    @property
    def fingerprint(self) -> str:
        """Fingerprint of prompt, model, decoding parameters and parser."""
        return "unknown" if self.id is None else self.id.fingerprint


def read_judged_run(folder: Path, judge: str | None = None, *, prefer: JudgeId | None = None) -> JudgedRun:
    """Read one judge's verdicts and the labels from a run folder.

    Args:
        folder: A run folder with verdicts of a judge, and labels (the checkers' verdicts, or ``--labels``).
        judge: Name of the judge, or None for the preferred one, else the only one.
        prefer: Judge to choose if none is named and the run has it.

    Raises:
        RunFolderError: It is not a run folder, or was changed by hand.
        RecordError: A verdict is on an unknown case, or its checker now decides otherwise.
        UsageError: There is no such judge, or there are several.
    """
    with RunStore(folder) as store:
        store.require_unedited()
        if "audit_of" in store.manifest.identity:
            raise UsageError(
                f"{folder}: an audit's probes are no sample of what the judge is used on; certify a run of `fiducial run` or `judge`"
            )
        require_right_checks_of(store)
        names = ShownNames()
        labelled_rows = [row for row in run_rows(store, names) if row["label"] is not None]
        judge = _judge_to_read(labelled_rows, judge, names, prefer, folder)
        rows_of_judge = [row for row in labelled_rows if row["judge"] == judge]
        verdicts = _first_repeats(store, judge, names)
        judge_id = names.judges.get(judge)
        threshold = None if judge_id is None else RunRows(store).thresholds.get(judge_id)
        known_judge = None if judge_id is None else store.roster.get(judge_id)
        return JudgedRun(
            judge=judge,
            id=judge_id,
            rows=[row for row in rows_of_judge if row["repeat"] == 0],
            fresh=frozenset(
                str(verdict.key) for verdict in verdicts if verdict.usage is None or not verdict.usage.cached
            ),
            served_by=models_named_in(verdicts),
            threshold=threshold or PassThreshold(),
            scores=_scores_by_item(rows_of_judge),
            parsed=() if known_judge is None else known_judge.parsed_fingerprints,
        )


def models_named_in(verdicts: Iterable[Verdict]) -> list[str]:
    """Return the models that the endpoint named in its replies."""
    return sorted(
        {str(verdict.evidence["served_by"]) for verdict in verdicts if "served_by" in verdict.evidence}
    )


def _first_repeats(store: RunStore, judge: str, names: ShownNames) -> list[Verdict]:
    journal_rows = (
        verdict.row
        for verdict in store.verdicts.standing
        if verdict.source == "judge" and names.of(verdict.author, verdict.by) == judge and verdict.repeat == 0
    )
    return list(store.verdicts.read(journal_rows))


def _scores_by_item(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for row in rows:
        if row["score"] is not None:
            scores.setdefault(row["item_id"], []).append(row["score"])
    return scores


def _judge_to_read(
    labelled_rows: list[dict[str, Any]],
    judge: str | None,
    names: ShownNames,
    prefer: JudgeId | None,
    folder: Path,
) -> str:
    """Return the judge that is named, else the preferred one, else the only one."""
    judges = sorted({row["judge"] for row in labelled_rows if row["repeat"] == 0})
    if not judges:
        raise UsageError(
            f"{folder}: no judge graded an output that has a label; `fiducial labels add` adds labels"
        )
    if judge is None:
        preferred = [name for name in judges if prefer is not None and names.judges.get(name) == prefer]
        candidates = preferred or judges
        judge = candidates[0] if len(candidates) == 1 else None
    if judge is None or judge not in judges:
        problem = f"name one with {setting('by')}" if judge is None else f"there is no {judge!r}"
        raise UsageError(f"{folder}: {problem}; with labels there are {', '.join(judges)}")
    return judge
