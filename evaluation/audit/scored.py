"""Scored probes: one judge's verdict on each probe, and whether the probe passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...calibration.pass_threshold import HALF, PassThreshold
from ...judges.parsing import STEP_NAMED
from ...records import Author, ItemKey, Outcome, Verdict
from .probe_folder import ProbeFacts


class Scored(NamedTuple):
    """Probe with a judge's verdicts.

    Score (None when ungraded), outcome and reason are those of the first repeat; ``repeats`` are the
    scores of all graded ones.

    ``threshold`` is the judge's pass threshold. ``named`` is the step of a trajectory that the first repeat
    names as the first wrong one: 0 for none, None for a judge that names no steps.
    """

    facts: ProbeFacts
    cluster: str
    score: float | None
    outcome: Outcome
    reason: str | None
    repeats: tuple[float, ...]
    threshold: float = HALF
    named: int | None = None

    @property
    def passed(self) -> bool:
        """True if the first repeat, which has a score, treats the probe as faultless."""
        assert self.score is not None
        return passes(self.score, self.facts.label, self.threshold)


def scored_probes(
    verdicts: Iterable[Verdict],
    probes: Mapping[ItemKey, ProbeFacts],
    cluster: Mapping[str, str],
    thresholds: Mapping[Author, PassThreshold],
) -> dict[Author, dict[ItemKey, Scored]]:
    """Sort verdicts by judge and probe."""
    by_judge: dict[Author, dict[ItemKey, dict[int, _Repeat]]] = {}
    for verdict in verdicts:
        if verdict.key in probes:
            of_probe = by_judge.setdefault(verdict.author, {}).setdefault(verdict.key, {})
            of_probe[verdict.repeat] = _Repeat(
                verdict.score, verdict.outcome, verdict.reason, verdict.evidence.get(STEP_NAMED)
            )
    return {
        judge: {
            key: _scored(
                probes[key],
                cluster.get(key.case_id, key.case_id),
                repeats,
                thresholds.get(judge, PassThreshold()).at,
            )
            for key, repeats in of_judge.items()
        }
        for judge, of_judge in by_judge.items()
    }


class _Repeat(NamedTuple):
    score: float | None
    outcome: Outcome
    reason: str | None
    named: int | None


def _scored(facts: ProbeFacts, cluster: str, repeats: Mapping[int, _Repeat], threshold: float) -> Scored:
    in_order = [repeats[number] for number in sorted(repeats)]
    scores = tuple(verdict.score for verdict in in_order if verdict.score is not None)
    first = in_order[0]
    named = first.named if first.outcome == "graded" else None
    return Scored(facts, cluster, first.score, first.outcome, first.reason, scores, threshold, named)


def passes(score: float, label: float, pass_at: float) -> bool:
    """Return whether a score treats an output as faultless.

    Args:
        score: The judge's score.
        label: The right score: 1, 0, or the fraction of supported claims.
        pass_at: The judge's pass threshold.

    Returns:
        Whether it is ``pass_at`` of the way from the label of a faulty output to 1, or further.
    """
    return score >= (pass_at if label == 1.0 else label + (1 - label) * pass_at)
