"""Scored probes: a judge's verdicts on each probe, and whether the probe passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...calibration.pass_threshold import HALF, PassThreshold
from ...judges.parsing import STEP_NAMED
from ...records import Author, ItemKey, Outcome, Verdict
from ...records.made_scores import reaches, rounded_score
from .probe_folder import ProbeFacts


class ScoredProbe(NamedTuple):
    """Probe with a judge's verdicts.

    Attributes:
        facts: Facts about the probe.
        cluster: Cluster of the probe's case.
        score: Score of the first repeat, or None if it is ungraded.
        outcome: Outcome of the first repeat.
        reason: The judge's reason in the first repeat.
        repeats: Scores of all graded repeats.
        threshold: The judge's pass threshold.
        named_step: First wrong step of a trajectory according to the first repeat: 0 for none, None for a judge that names no steps.
    """

    facts: ProbeFacts
    cluster: str
    score: float | None
    outcome: Outcome
    reason: str | None
    repeats: tuple[float, ...]
    threshold: float = HALF
    named_step: int | None = None

    @property
    def passed(self) -> bool:
        """True if the first repeat treats the probe as faultless; it must have a score."""
        assert self.score is not None
        return passes(self.score, self.facts.label, self.threshold)

    @property
    def is_misjudged(self) -> bool:
        """True if the first repeat has a score, and it contradicts the label."""
        return self.score is not None and self.passed != self.facts.right


def scored_probes(
    verdicts: Iterable[Verdict],
    probes: Mapping[ItemKey, ProbeFacts],
    cluster: Mapping[str, str],
    thresholds: Mapping[Author, PassThreshold],
) -> dict[Author, dict[ItemKey, ScoredProbe]]:
    """Group verdicts on probes by judge and probe.

    Args:
        verdicts: Verdicts; those on other outputs are ignored.
        probes: The probes, by output.
        cluster: Cluster of each case that is not a cluster by itself.
        thresholds: Pass threshold of each judge; the default for others.
    """
    repeats: dict[Author, dict[ItemKey, dict[int, _Repeat]]] = {}
    for verdict in verdicts:
        if verdict.key in probes:
            by_probe = repeats.setdefault(verdict.author, {})
            by_probe.setdefault(verdict.key, {})[verdict.repeat] = _Repeat(
                verdict.score, verdict.outcome, verdict.reason, verdict.evidence.get(STEP_NAMED)
            )
    scored: dict[Author, dict[ItemKey, ScoredProbe]] = {}
    for judge, by_probe in repeats.items():
        threshold = thresholds.get(judge, PassThreshold()).at
        scored[judge] = {
            key: _scored_probe(probes[key], cluster.get(key.case_id, key.case_id), by_number, threshold)
            for key, by_number in by_probe.items()
        }
    return scored


class _Repeat(NamedTuple):
    score: float | None
    outcome: Outcome
    reason: str | None
    named_step: int | None


def _scored_probe(
    facts: ProbeFacts, cluster: str, repeats: Mapping[int, _Repeat], threshold: float
) -> ScoredProbe:
    ordered_repeats = [repeats[number] for number in sorted(repeats)]
    scores = tuple(repeat.score for repeat in ordered_repeats if repeat.score is not None)
    first = ordered_repeats[0]
    named_step = first.named_step if first.outcome == "graded" else None
    return ScoredProbe(
        facts, cluster, first.score, first.outcome, first.reason, scores, threshold, named_step
    )


def passes(score: float, label: float, pass_at: float) -> bool:
    """Return whether a score treats an output as faultless.

    Args:
        score: The judge's score.
        label: The right score: 1, 0, or the fraction of supported claims.
        pass_at: The judge's pass threshold; for a label between 0 and 1, the share of the way from the label to 1.
    """
    return reaches(score, pass_at if label == 1.0 else rounded_score(label + (1 - label) * pass_at))
