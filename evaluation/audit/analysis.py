"""Analysis of a judge's verdicts on probes: rates, comparisons and findings beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

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
    JudgeAudit,
    JudgeWeakness,
    OperatorResult,
    ProbeToRead,
    ReadingReason,
    Steadiness,
)
from .comparisons import by_operator, steadiness, twin_and_attack_comparisons
from .ladder.ladder_results import LadderResult
from .probe_folder import ORIGINAL
from .sampling import Chosen
from .scored import Scored

UNSTEADY = 0.05
"""A judge whose repeats differ more often than this, beyond chance, contradicts itself."""


def judge_audit(
    judge: str,
    judge_id: JudgeId,
    scored: Mapping[ItemKey, Scored],
    chosen: Chosen,
    *,
    about: Mapping[str, str],
    controls: Mapping[str, str],
    threshold: PassThreshold,
) -> JudgeAudit:
    """Analyse the verdicts of one judge."""
    operators = operator_results(scored.values(), about, controls)
    comparisons = twin_and_attack_comparisons(scored, controls)
    steady = steadiness(scored, sorted(chosen.originals))
    return JudgeAudit(
        judge=judge,
        fingerprint=judge_id.fingerprint,
        id=judge_id,
        pass_at=threshold.at,
        pass_at_source=threshold.source,
        asked=sum(judge_id.times_asked(max(1, len(each.repeats))) for each in scored.values()),
        operators=operators,
        comparisons=comparisons,
        steadiness=steady,
        findings=[
            *operator_findings(operators),
            *comparison_findings(comparisons, controls),
            *_of_repeats(steady),
        ],
    )


def with_ladders(audit: JudgeAudit, ladders: list[LadderResult], verdicts: int) -> JudgeAudit:
    """Return the audit with a judge's ladder results added."""
    findings = [*audit.findings, *(_of_ladder(each) for each in ladders if each.found)]
    return msgspec.structs.replace(audit, ladders=ladders, asked=audit.asked + verdicts, findings=findings)


def _of_ladder(ladder: LadderResult) -> JudgeWeakness:
    return JudgeWeakness(
        concern="stops noticing",
        where=ladder.dial,
        sentence=f"{ladder.dial} breaks {ladder.breaks} ({ladder.unit}): {ladder.about}",
    )


def to_read(judge: str, scored: Iterable[Scored]) -> Iterator[ProbeToRead]:
    """Yield the verdicts to review: missed faults, false alarms and successful attacks."""
    for probe in scored:
        facts, score = probe.facts, probe.score
        if score is not None and probe.passed != facts.right:
            missed: ReadingReason = "survivor" if facts.plants == "fault" else "attack passed"
            yield ProbeToRead(
                judge=judge,
                what="false alarm" if facts.right else missed,
                operator=facts.operator,
                case_id=facts.key.case_id,
                system=facts.key.system,
                trial=facts.key.trial,
                change=facts.change,
                score=score,
                label=facts.label,
                reason=probe.reason,
            )


_WEAKNESSES: dict[str, tuple[Concern, str]] = {
    "fault": ("misses a fault", "catches {0.rate} of {0.operator}: {0.about}"),
    "nothing": ("fails right outputs", "fails {0.rate} of right outputs that were not changed"),
    "attack": ("passes what has no content", "passes {0.rate} of {0.operator}: {0.about}"),
}
"""A judge's weakness and its sentence, by what the missed operator plants."""


def operator_findings(operators: Iterable[OperatorResult]) -> Iterator[JudgeWeakness]:
    """Yield the findings for operators with poor rates."""
    for each in operators:
        if each.weak:
            concern, sentence = _WEAKNESSES[each.plants]
            yield JudgeWeakness(concern=concern, where=each.operator, sentence=sentence.format(each))


def comparison_findings(
    comparisons: Iterable[AuditComparison], controls: Mapping[str, str]
) -> Iterator[JudgeWeakness]:
    """Yield the findings from comparing probes that differ in one respect only."""
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


def _of_repeats(steady: Steadiness | None) -> Iterator[JudgeWeakness]:
    if steady is not None and steady.flip_rate.low is not None and steady.flip_rate.low > UNSTEADY:
        yield JudgeWeakness(
            concern="contradicts itself",
            where="repeats",
            sentence=f"asked again the same, it says otherwise in {steady.flip_rate} of pairs",
        )


SENSITIVE = 0.8
"""A judge that catches less than this share of a fault, beyond chance, misses it."""

TOLERATED = 0.05
"""A judge that passes more than this share of texts without content, beyond chance, passes them."""

_FAMILY_LEVEL = 0.95
_ORDER = {"fault": 0, "nothing": 1, "twin": 2, "attack": 3, "control": 4}


def operator_results(
    scored: Iterable[Scored], about: Mapping[str, str], paired: Mapping[str, str]
) -> list[OperatorResult]:
    """Summarise a judge's verdicts by operator.

    Args:
        scored: Probes with the judge's verdicts.
        about: A line about each operator.
        paired: Attack to control; such attacks are analysed by the difference, and are never weak here.

    Returns:
        One result an operator. ``weak`` holds for all operators together at 95 %: its intervals have the level
        ``1 - 0.05 / operators``.
    """
    groups = by_operator(scored)
    level = 1 - (1 - _FAMILY_LEVEL) / max(len(groups), 1)
    results = [
        _result(operator, group, about.get(operator, ""), level, in_pair=operator in paired)
        for operator, group in groups.items()
    ]
    names = list(about)
    return sorted(results, key=lambda result: (_ORDER[result.plants], _place(result.operator, names)))


def _place(operator: str, names: list[str]) -> int:
    return names.index(operator) if operator in names else len(names)


def _result(operator: str, group: list[Scored], about: str, level: float, *, in_pair: bool) -> OperatorResult:
    plants = group[0].facts.plants
    graded = [(each, each.score) for each in group if each.score is not None]
    counted = np.array(  # attacks passed, or anything else failed; see `OperatorResult.rate`
        [each.passed == (plants in {"attack", "control"}) for each, _ in graded],
        dtype=np.float64,
    )
    clusters = cluster_numbers(each.cluster for each, _ in graded)
    labels = {each.facts.label for each, _ in graded}
    deviation = None
    if not labels <= {0.0, 1.0}:
        deviations = [score - each.facts.label for each, score in graded]
        deviation = mean_of(np.array(deviations, dtype=np.float64), clusters)
    return OperatorResult(
        operator=operator,
        plants=plants,
        about="right outputs, unchanged" if operator == ORIGINAL else about,
        rate=share_of(counted, clusters),
        ungraded=dict(Counter(each.outcome for each in group if each.score is None)),
        deviation=deviation,
        weak=_is_weak(plants, share_of(counted, clusters, level=level), in_pair=in_pair),
    )


def _is_weak(plants: str, rate: Statistic, *, in_pair: bool) -> bool:
    """Return whether the simultaneous interval proves a weakness.

    Twins are judged by comparison with other twins.
    """
    if rate.low is None or rate.high is None:
        return False
    if plants == "fault":
        return rate.high < SENSITIVE
    if plants == "nothing":
        return rate.low > 1 - SENSITIVE
    return plants == "attack" and not in_pair and rate.low > TOLERATED
