"""Outputs to adjudicate: disputes of judge and label, and a random sample of agreements."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from ...calibration.decisions import drawn_rank
from ...calibration.pass_threshold import PassThreshold
from ...errors import InputError, UsageError
from ...records import ItemKey, ShownNames, Verdict, read_records
from ...records.made_scores import reaches
from ...spelling import setting
from ...tables.standing_labels import standing_labels
from ..store.file_names import LABELS
from ..store.journal_rows import StoredVerdict, is_baseline
from ..store.run_store import RunStore
from .review_sample import ReviewSample, SampleKind, draw_sample

_NOTHING: dict[SampleKind, str] = {
    "disagreements": "{folder}: no judge contradicts a label there, so there is nothing to decide",
    "survivors": "{folder}: no planted fault was missed by every judge there, so there is nothing to decide",
}

_Sides: TypeAlias = Callable[[Verdict | StoredVerdict, float], tuple[bool, bool]]
"""Maps a judge's verdict and a label to two answers: whether the label passes the output, and whether the judge does."""


class Opinion(NamedTuple):
    """Anonymous opinion of label or judge on an output."""

    right: bool
    reason: str


def draw_disputes(
    store: RunStore, kind: SampleKind, count: int, *, agreements: int, seed: int, judge: str | None
) -> ReviewSample:
    """Draw outputs to adjudicate in random order, with some on which label and judges agree.

    Without ``judge`` all judges count, except baselines. UsageError if there is nothing to decide.
    """
    if kind == "suspects":
        drawn = draw_sample(store, "suspected", count, seed=seed, judge=judge)
        return msgspec.structs.replace(drawn, kind=kind, seed=seed)
    contested = _missed(store, judge) if kind == "survivors" else _contradicted(store, judge)
    disputed = [key for key, differs in contested.items() if differs]
    agreed = [key for key, differs in contested.items() if not differs]
    if not disputed:
        raise UsageError(_NOTHING[kind].format(folder=store.path))

    def rank(key: ItemKey) -> bytes:
        return drawn_rank(str(key), seed)

    drawn = heapq.nsmallest(count, disputed, key=rank)
    drawn_agreed = heapq.nsmallest(agreements, agreed, key=rank)
    return ReviewSample(
        kind=kind,
        seed=seed,
        of=len(disputed),
        keys=sorted([*drawn, *drawn_agreed], key=rank),
        judge=judge,
        agreed=len(drawn_agreed),
        agreements=len(agreed),
    )


def opinions_on(store: RunStore, sample: ReviewSample) -> dict[ItemKey, tuple[Opinion, Opinion]]:
    """Return the opinions of label and judge on each output of a sample.

    Of several judges, one that contradicts the label is chosen, if any does.
    """
    planted = sample.kind == "survivors"
    trusted = {label.key: label for label in _labels_of_probes(store)} if planted else {}
    trusted |= standing_labels(store.labels)
    sides, names = _sides(store, planted=planted), ShownNames()
    opinions: dict[ItemKey, tuple[Opinion, Opinion]] = {}
    for key in sample.keys:
        graded = [verdict for verdict in store.verdicts.verdicts_on(key) if verdict.graded]
        label = trusted.get(key) or next(verdict for verdict in graded if verdict.source != "judge")
        by_judges = [
            (*sides(verdict, _score(label)), verdict)
            for verdict in graded
            if verdict.source == "judge" and sample.judge in {None, names.of(verdict.author, verdict.by)}
        ]
        right, passed, judged = min(by_judges, key=_preference)
        opinions[key] = (Opinion(right, label.reason or ""), Opinion(passed, judged.reason or ""))
    return opinions


def _preference(opinion: tuple[bool, bool, Verdict]) -> tuple[bool, bool, int]:
    """Return a sort key: judges before baselines, contradictions first, then by repeat."""
    right, passed, verdict = opinion
    return is_baseline(verdict.author), right == passed, verdict.repeat


def _score(label: Verdict) -> float:
    return 1.0 if label.score is None else label.score


def _sides(store: RunStore, *, planted: bool) -> _Sides:
    from ..audit.scored import passes  # noqa: PLC0415 - slow to import, and seldom needed

    thresholds = store.roster.thresholds

    def sides(verdict: Verdict | StoredVerdict, label: float) -> tuple[bool, bool]:
        assert verdict.score is not None
        threshold = thresholds.get(verdict.author, PassThreshold()).at
        return (
            (label == 1.0, passes(verdict.score, label, threshold))
            if planted
            else (reaches(label, threshold), reaches(verdict.score, threshold))
        )

    return sides


def _judged(store: RunStore, judge: str | None) -> list[StoredVerdict]:
    """Return first verdicts of the judge, or of all judges except baselines.

    Baselines count only if no other judge was asked.
    """
    names, judge_names = ShownNames(), set[str]()
    verdicts, baselines = list[StoredVerdict](), list[StoredVerdict]()
    for verdict in store.verdicts.standing:
        if verdict.source == "judge":
            name = names.of(verdict.author, verdict.by)
            judge_names.add(name)
            if verdict.graded and not verdict.repeat and judge in {None, name}:
                (baselines if judge is None and is_baseline(verdict.author) else verdicts).append(verdict)
    if judge is not None and judge not in judge_names:
        raise UsageError(
            f"{setting('judge', judge)}: no such judge in {store.path}; there are: {', '.join(sorted(judge_names))}"
        )
    return verdicts or baselines


def _contradicted(store: RunStore, judge: str | None) -> dict[ItemKey, bool]:
    """Return for each labelled and judged output whether a judge contradicts the label."""
    labels = {
        verdict.key: verdict.score
        for verdict in store.verdicts.standing
        if verdict.source != "judge" and verdict.score is not None
    } | store.label_scores
    sides, contested = _sides(store, planted=False), dict[ItemKey, bool]()
    for verdict in _judged(store, judge):
        label = labels.get(verdict.key)
        if label is not None:
            right, passed = sides(verdict, label)
            contested[verdict.key] = contested.get(verdict.key, False) or right != passed
    return contested


def _missed(store: RunStore, judge: str | None) -> dict[ItemKey, bool]:
    """Return for each planted fault whether every judge but the baseline missed it.

    Faults that only some judges caught are excluded: they are neither missed nor agreed on.
    """
    faults = {
        label.key: _score(label)
        for label in _labels_of_probes(store)
        if label.evidence.get("plants") == "fault"
    }
    sides, missed = _sides(store, planted=True), dict[ItemKey, set[bool]]()
    for verdict in _judged(store, judge):
        if verdict.key in faults:
            missed.setdefault(verdict.key, set()).add(sides(verdict, faults[verdict.key])[1])
    return {key: outcomes.pop() for key, outcomes in missed.items() if len(outcomes) == 1}


def _labels_of_probes(store: RunStore) -> Iterator[Verdict]:
    """Yield the labels of the audit's probes."""
    from ..audit.probe_folder import read_manifest  # noqa: PLC0415 - slow to import, and seldom needed

    files = store.manifest.identity.get("audit_of")
    if files is None and any(fact.startswith("dial ") for fact in store.manifest.identity):
        raise InputError(
            "an audit with ladders only has no probes; missed faults are in its to_read.jsonl",
            path=str(store.path),
        )
    if files is None:
        raise InputError(
            "is not an audit of judges (make one with `fiducial audit run`)", path=str(store.path)
        )
    probes = store.inputs.cases[0]
    if not isinstance(probes, Path):
        raise InputError(
            "does not name its folder of probes; rerun the audit's command", path=str(store.path)
        )
    folder = probes.parent
    if read_manifest(folder).files != files:
        raise InputError("no longer holds the probes of this audit; run the audit again", path=str(folder))
    return read_records(folder / LABELS, Verdict)
