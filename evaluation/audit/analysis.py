"""Analysis of a judge's verdicts on probes: rates, comparisons and findings beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_means import mean_of
from ...calibration.intervals.clustered_rates import share_of
from ...calibration.pass_threshold import PassThreshold
from ...calibration.statistic import Statistic
from ...records import ItemKey, JudgeId
from .audit_results import (
    AuditComparison,
    Concern,
    FormResult,
    JudgeAudit,
    JudgeWeakness,
    OperatorResult,
    ProbeToRead,
    ReadingReason,
    Steadiness,
)
from .comparisons import by_operator, steadiness, twin_and_attack_comparisons
from .form_changes import form_findings
from .ladder.ladder_results import LadderResult
from .probe_folder import ORIGINAL
from .sampling import ChosenProbes
from .score_changes import change_findings, has_fine_scores, score_changes
from .scored import ScoredProbe

MAX_FLIP_RATE = 0.05
"""A judge contradicts itself if more than this share of its repeats differ, beyond chance."""


def judge_audit(
    judge: str,
    judge_id: JudgeId,
    scored: Mapping[ItemKey, ScoredProbe],
    chosen: ChosenProbes,
    *,
    about: Mapping[str, str],
    controls: Mapping[str, str],
    threshold: PassThreshold,
) -> JudgeAudit:
    """Analyse the verdicts of one judge."""
    changes, fine_scores = score_changes(scored, controls), has_fine_scores(scored.values())
    operators = [
        msgspec.structs.replace(result, change=changes.get(result.operator))
        for result in operator_results(scored.values(), about, controls)
    ]
    comparisons = twin_and_attack_comparisons(scored, controls)
    repeat_agreement = steadiness(scored, sorted(chosen.originals))
    findings = [
        *operator_findings(operators),
        *comparison_findings(comparisons, controls),
        *_repeat_findings(repeat_agreement),
    ]
    if fine_scores:
        findings += change_findings(operators, findings, controls)
    return JudgeAudit(
        judge=judge,
        fingerprint=judge_id.fingerprint,
        id=judge_id,
        pass_at=threshold.at,
        pass_at_source=threshold.source,
        asked=sum(judge_id.times_asked(max(1, len(probe.repeats))) for probe in scored.values()),
        operators=operators,
        comparisons=comparisons,
        steadiness=repeat_agreement,
        findings=findings,
        fine_scores=fine_scores,
    )


def graded_nothing(scored: Sequence[ScoredProbe]) -> str | None:
    """Return outcomes and the most common reason if no verdict was graded, else None.

    Probes to which the judge does not apply count only if there are no others.
    """
    if not scored or any(probe.outcome == "graded" for probe in scored):
        return None
    ungraded = [probe for probe in scored if probe.outcome != "not_applicable"] or scored
    outcomes = Counter(probe.outcome for probe in ungraded).most_common()
    counts = ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in outcomes)
    if len(outcomes) == 1:
        counts = f"all verdicts {outcomes[0][0].replace('_', ' ')}"
    reasons = Counter(probe.reason for probe in ungraded if probe.outcome == outcomes[0][0] and probe.reason)
    most_common_reason = f", most common: {reasons.most_common(1)[0][0]}" if reasons else ""
    return f"{counts}{most_common_reason}"


def with_ladders(audit: JudgeAudit, ladders: list[LadderResult], asked: int) -> JudgeAudit:
    """Add a judge's ladder results, of ``asked`` questions, to its audit."""
    findings = [*audit.findings, *(_ladder_finding(ladder) for ladder in ladders if ladder.found)]
    return msgspec.structs.replace(audit, ladders=ladders, asked=audit.asked + asked, findings=findings)


def with_forms(audit: JudgeAudit, forms: list[FormResult]) -> JudgeAudit:
    """Add a decision model's answers in other forms to its audit."""
    findings = [*audit.findings, *form_findings(forms)]
    return msgspec.structs.replace(audit, forms=forms, findings=findings)


def _ladder_finding(ladder: LadderResult) -> JudgeWeakness:
    return JudgeWeakness(
        concern="stops noticing",
        where=ladder.dial,
        sentence=f"{ladder.dial} breaks {ladder.breaks} ({ladder.unit}): {ladder.about}",
    )


def to_read(judge: str, scored: Iterable[ScoredProbe]) -> Iterator[ProbeToRead]:
    """Yield the verdicts to review: missed faults, false alarms and successful attacks."""
    for probe in scored:
        facts, score = probe.facts, probe.score
        if score is not None and probe.is_misjudged:
            missed_reason: ReadingReason = "survivor" if facts.plants == "fault" else "attack passed"
            yield ProbeToRead(
                judge=judge,
                what="false alarm" if facts.right else missed_reason,
                operator=facts.operator,
                case_id=facts.key.case_id,
                system=facts.key.system,
                trial=facts.key.trial,
                change=facts.change,
                score=score,
                label=facts.label,
                reason=probe.reason,
            )


_WEAKNESS_SENTENCES: dict[str, tuple[Concern, str]] = {
    "fault": ("misses a fault", "catches {0.rate} of {0.operator}: {0.about}"),
    "nothing": ("fails right outputs", "fails {0.rate} of unchanged right outputs"),
    "attack": ("passes what has no content", "passes {0.rate} of {0.operator}: {0.about}"),
}
"""Concern and sentence of a finding, by what its operator plants."""


def operator_findings(operators: Iterable[OperatorResult]) -> Iterator[JudgeWeakness]:
    """Yield the findings for operators with poor rates."""
    for operator in operators:
        if operator.weak:
            concern, sentence = _WEAKNESS_SENTENCES[operator.plants]
            yield JudgeWeakness(concern=concern, where=operator.operator, sentence=sentence.format(operator))


def comparison_findings(
    comparisons: Iterable[AuditComparison], controls: Mapping[str, str]
) -> Iterator[JudgeWeakness]:
    """Yield the findings from comparisons of twins with twins, and of attacks with controls."""
    for comparison in comparisons:
        if not comparison.found:
            continue
        concern: Concern = "punishes what is harmless"
        change = f"verdicts change {comparison.difference} more often than on other harmless changes"
        if comparison.name in controls:
            concern = "can be talked into passing"
            change = f"passed {comparison.difference} more often than its control"
        yield JudgeWeakness(
            concern=concern,
            where=comparison.name,
            sentence=f"{comparison.name}: {change} (Holm p {comparison.holm_p:.4f})",
        )


def _repeat_findings(agreement: Steadiness | None) -> Iterator[JudgeWeakness]:
    if (
        agreement is not None
        and agreement.flip_rate.low is not None
        and agreement.flip_rate.low > MAX_FLIP_RATE
    ):
        yield JudgeWeakness(
            concern="contradicts itself",
            where="repeats",
            sentence=f"two verdicts on the same output differ in {agreement.flip_rate} of pairs",
        )


MIN_CAUGHT = 0.8
"""A judge misses a fault if it catches less than this share of it, beyond chance."""

MAX_ATTACKS_PASSED = 0.05
"""A judge passes texts without content if it passes more than this share of them, beyond chance."""

_FAMILY_LEVEL = 0.95
"""Confidence level that holds for all operators together."""

_DISPLAY_ORDER = {"fault": 0, "nothing": 1, "twin": 2, "attack": 3, "control": 4}
"""Positions of operators in results, by what they plant."""


def operator_results(
    scored: Iterable[ScoredProbe], about: Mapping[str, str], controls: Mapping[str, str]
) -> list[OperatorResult]:
    """Summarise a judge's verdicts by operator.

    Args:
        scored: Probes with the judge's verdicts.
        about: One-line description of each operator.
        controls: The control of each attack that has one. Such an attack is compared with its control, and never weak by itself.

    Returns:
        One result per operator. Findings of ``weak`` hold for all operators together at 95 % (Bonferroni): their intervals have the
        level ``1 - 0.05 / operators``.
    """
    groups = by_operator(scored)
    level = 1 - (1 - _FAMILY_LEVEL) / max(len(groups), 1)  # Bonferroni
    results = [
        _operator_result(operator, group, about.get(operator, ""), level, has_control=operator in controls)
        for operator, group in groups.items()
    ]
    positions = {name: position for position, name in enumerate(about)}
    return sorted(
        results,
        key=lambda result: (_DISPLAY_ORDER[result.plants], positions.get(result.operator, len(positions))),
    )


def _operator_result(
    operator: str, group: list[ScoredProbe], about: str, level: float, *, has_control: bool
) -> OperatorResult:
    plants = group[0].facts.plants
    probes_with_scores = [(probe, probe.score) for probe in group if probe.score is not None]
    counts_passes = plants in {"attack", "control"}  # of other probes, fails count; see `OperatorResult.rate`
    is_counted = np.array(
        [probe.passed == counts_passes for probe, _ in probes_with_scores], dtype=np.float64
    )
    clusters = cluster_numbers(probe.cluster for probe, _ in probes_with_scores)
    labels = {probe.facts.label for probe, _ in probes_with_scores}
    deviation = None
    if not labels <= {0.0, 1.0}:  # fractions, of which a rate would hide by how much scores miss
        deviations = [score - probe.facts.label for probe, score in probes_with_scores]
        deviation = mean_of(np.array(deviations, dtype=np.float64), clusters)
    return OperatorResult(
        operator=operator,
        plants=plants,
        about="right outputs, unchanged" if operator == ORIGINAL else about,
        rate=share_of(is_counted, clusters),
        ungraded=dict(Counter(probe.outcome for probe in group if probe.score is None)),
        deviation=deviation,
        weak=_is_weak(plants, share_of(is_counted, clusters, level=level), has_control=has_control),
    )


def _is_weak(plants: str, rate: Statistic, *, has_control: bool) -> bool:
    """Return whether the interval of a rate proves a weakness; never for twins and controls.

    Twins are compared with other twins, and attacks with their controls.
    """
    if rate.low is None or rate.high is None:
        return False
    if plants == "fault":
        return rate.high < MIN_CAUGHT
    if plants == "nothing":
        return rate.low > 1 - MIN_CAUGHT
    return plants == "attack" and not has_control and rate.low > MAX_ATTACKS_PASSED
