"""Draw outputs to adjudicate: disputes of judge and label, and some agreements at random."""

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

_NOTHING_TO_DECIDE: dict[SampleKind, str] = {
    "disagreements": "{folder}: no judge contradicts a label there, so there is nothing to decide",
    "survivors": "{folder}: no planted fault was missed by every judge there, so there is nothing to decide",
}


class _Comparison(NamedTuple):
    """Pass or fail of one output, by the label and by the judge."""

    label_passes: bool
    judge_passes: bool

    @property
    def differs(self) -> bool:
        return self.label_passes != self.judge_passes


_Compare: TypeAlias = Callable[[Verdict | StoredVerdict, float], _Comparison]
"""Compares a judge's verdict with the score of a label."""


class Opinion(NamedTuple):
    """Anonymous opinion of label or judge on an output.

    Attributes:
        right: Whether the output is right in this opinion.
        reason: The reason given for it.
    """

    right: bool
    reason: str


def draw_disputes(
    store: RunStore, kind: SampleKind, count: int, *, agreements: int, seed: int, judge: str | None
) -> ReviewSample:
    """Draw outputs to adjudicate in random order, with some on which label and judges agree.

    Without ``judge`` all judges count, except baselines.

    Raises:
        UsageError: There is nothing to decide, or no such judge.
    """
    if kind == "suspects":  # suspected labels are adjudicated here, not labelled anew
        suspects = draw_sample(store, "suspected", count, seed=seed, judge=judge)
        return msgspec.structs.replace(suspects, kind=kind, seed=seed)
    is_disputed = _missed_faults(store, judge) if kind == "survivors" else _contradicted_labels(store, judge)
    disputed_keys = [key for key, differs in is_disputed.items() if differs]
    agreed_keys = [key for key, differs in is_disputed.items() if not differs]
    if not disputed_keys:
        raise UsageError(_NOTHING_TO_DECIDE[kind].format(folder=store.path))

    def rank(key: ItemKey) -> bytes:
        return drawn_rank(str(key), seed)

    disputed_sample = heapq.nsmallest(count, disputed_keys, key=rank)
    agreed_sample = heapq.nsmallest(agreements, agreed_keys, key=rank)
    return ReviewSample(
        kind=kind,
        seed=seed,
        of=len(disputed_keys),
        keys=sorted([*disputed_sample, *agreed_sample], key=rank),
        judge=judge,
        agreed=len(agreed_sample),
        agreements=len(agreed_keys),
    )


def opinions_on(store: RunStore, sample: ReviewSample) -> dict[ItemKey, tuple[Opinion, Opinion]]:
    """Return the opinions of label and judge on each output of a sample.

    Of several judges, one that contradicts the label is chosen, if any does.
    """
    planted = sample.kind == "survivors"
    labels = {label.key: label for label in _labels_of_probes(store)} if planted else {}
    labels |= standing_labels(store.labels)
    compare, names = _make_comparer(store, planted=planted), ShownNames()
    opinions: dict[ItemKey, tuple[Opinion, Opinion]] = {}
    for key in sample.keys:
        graded_verdicts = [verdict for verdict in store.verdicts.verdicts_on(key) if verdict.graded]
        label = labels.get(key) or next(verdict for verdict in graded_verdicts if verdict.source != "judge")
        comparisons = [
            (verdict, compare(verdict, _score(label)))
            for verdict in graded_verdicts
            if verdict.source == "judge"
            and (sample.judge is None or sample.judge == names.of(verdict.author, verdict.by))
        ]
        verdict, comparison = min(comparisons, key=_preference)
        opinions[key] = (
            Opinion(comparison.label_passes, label.reason or ""),
            Opinion(comparison.judge_passes, verdict.reason or ""),
        )
    return opinions


def _preference(compared: tuple[Verdict, _Comparison]) -> tuple[bool, bool, int]:
    verdict, comparison = compared
    return is_baseline(verdict.author), not comparison.differs, verdict.repeat


def _score(label: Verdict) -> float:
    return 1.0 if label.score is None else label.score


def _make_comparer(store: RunStore, *, planted: bool) -> _Compare:
    """Return a function that compares a verdict with a label; ``planted`` for labels of probes."""
    from ..audit.scored import passes  # noqa: PLC0415 - slow to import, and seldom needed

    thresholds = store.roster.thresholds

    def compare(verdict: Verdict | StoredVerdict, label: float) -> _Comparison:
        assert verdict.score is not None
        threshold = thresholds.get(verdict.author, PassThreshold()).at
        if planted:  # only faultless probes pass, and a fraction counts as a fault
            return _Comparison(label == 1.0, passes(verdict.score, label, threshold))
        return _Comparison(reaches(label, threshold), reaches(verdict.score, threshold))

    return compare


def _first_verdicts(store: RunStore, judge: str | None) -> list[StoredVerdict]:
    """Return first verdicts of the judge, or of all judges except baselines.

    Baselines count only if no other judge was asked.
    """
    names, judge_names = ShownNames(), set[str]()
    verdicts, baselines = list[StoredVerdict](), list[StoredVerdict]()
    for verdict in store.verdicts.standing:
        if verdict.source == "judge":
            name = names.of(verdict.author, verdict.by)
            judge_names.add(name)
            if verdict.graded and not verdict.repeat and (judge is None or judge == name):
                is_excluded = judge is None and is_baseline(verdict.author)
                (baselines if is_excluded else verdicts).append(verdict)
    if judge is not None and judge not in judge_names:
        raise UsageError(
            f"{setting('judge', judge)}: no such judge in {store.path}; there are: {', '.join(sorted(judge_names))}"
        )
    return verdicts or baselines


def _contradicted_labels(store: RunStore, judge: str | None) -> dict[ItemKey, bool]:
    """Return for each labelled and judged output whether a judge contradicts the label."""
    labels = {
        verdict.key: verdict.score
        for verdict in store.verdicts.standing
        if verdict.source != "judge" and verdict.score is not None
    } | store.label_scores
    compare, contradicted = _make_comparer(store, planted=False), dict[ItemKey, bool]()
    for verdict in _first_verdicts(store, judge):
        label = labels.get(verdict.key)
        if label is not None:
            differs = compare(verdict, label).differs
            contradicted[verdict.key] = contradicted.get(verdict.key, False) or differs
    return contradicted


def _missed_faults(store: RunStore, judge: str | None) -> dict[ItemKey, bool]:
    """Return for each planted fault whether all judges missed it.

    Faults that only some judges caught are excluded: they are neither missed nor agreed on.
    """
    faults = {
        label.key: _score(label)
        for label in _labels_of_probes(store)
        if label.evidence.get("plants") == "fault"
    }
    compare, judge_passes = _make_comparer(store, planted=True), dict[ItemKey, list[bool]]()
    for verdict in _first_verdicts(store, judge):
        if verdict.key in faults:
            comparison = compare(verdict, faults[verdict.key])
            judge_passes.setdefault(verdict.key, []).append(comparison.judge_passes)
    return {key: all(passes) for key, passes in judge_passes.items() if len(set(passes)) == 1}


def _labels_of_probes(store: RunStore) -> Iterator[Verdict]:
    from ..audit.probe_folder import read_manifest  # noqa: PLC0415 - slow to import, and seldom needed

    audited_files = store.manifest.identity.get("audit_of")
    if audited_files is None and any(fact.startswith("dial ") for fact in store.manifest.identity):
        raise InputError(
            "an audit with ladders only has no probes; missed faults are in its to_read.jsonl",
            path=str(store.path),
        )
    if audited_files is None:
        raise InputError(
            "is not an audit of judges (make one with `fiducial audit run`)", path=str(store.path)
        )
    probes = store.inputs.cases[0]  # the cases of an audit are those of its probe folder
    if not isinstance(probes, Path):
        raise InputError(
            "does not name its folder of probes; rerun the audit's command", path=str(store.path)
        )
    folder = probes.parent
    if read_manifest(folder).files != audited_files:
        raise InputError("no longer holds the probes of this audit; run the audit again", path=str(folder))
    return read_records(folder / LABELS, Verdict)
