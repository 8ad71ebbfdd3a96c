"""From a judge's verdicts on probes to its audit: rates, comparisons, and what they show beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.cuts import Cut
from ...records import ItemKey, JudgeId
from .comparisons import steadiness
from .operator_rates import operator_results
from .results import Comparison, Finding, JudgeAudit, OperatorResult, Read, Steadiness
from .sampling import Chosen
from .scored import Scored
from .twins import twin_and_attack_comparisons

UNSTEADY = 0.05
"""A judge whose repeats certainly differ more often than this is said to contradict itself."""


def judge_audit(
    judge: str,
    judge_id: JudgeId,
    scored: Mapping[ItemKey, Scored],
    chosen: Chosen,
    *,
    about: Mapping[str, str],
    controls: Mapping[str, str],
    cut: Cut,
) -> JudgeAudit:
    """Analyse what one judge said.

    Args:
        judge: Its name.
        judge_id: Who it is.
        scored: What it said of each probe.
        chosen: The probes of the audit.
        about: A line about each operator.
        controls: Attack to the operator of its control.
        cut: From which score on its verdicts pass.

    Returns:
        Its audit.
    """
    operators = operator_results(scored.values(), about, controls)
    comparisons = twin_and_attack_comparisons(scored, controls)
    steady = steadiness(scored, sorted(chosen.originals))
    return JudgeAudit(
        judge=judge,
        fingerprint=judge_id.fingerprint,
        id=judge_id,
        pass_at=cut.at,
        pass_at_source=cut.source,
        asked=sum(max(1, len(each.repeats)) for each in scored.values()),
        operators=operators,
        comparisons=comparisons,
        steadiness=steady,
        findings=[*_of_operators(operators), *_of_comparisons(comparisons, controls), *_of_repeats(steady)],
    )


def to_read(judge: str, scored: Mapping[ItemKey, Scored]) -> Iterator[Read]:
    """The verdicts that a person should read: survivors, false alarms, attacks that were passed.

    Args:
        judge: Who gave them.
        scored: What it said of each probe.

    Yields:
        One row a verdict.
    """
    for each in scored.values():
        facts, score = each.facts, each.score
        if score is None:
            continue
        right = facts.plants in {"twin", "nothing"}
        if each.passed != right:
            yield Read(
                judge=judge,
                what="false alarm" if right else "survivor" if facts.plants == "fault" else "attack passed",
                operator=facts.operator,
                case_id=facts.key.case_id,
                system=facts.key.system,
                trial=facts.key.trial,
                change=facts.change,
                score=score,
                label=facts.label,
                reason=each.reason,
            )


def _of_operators(operators: list[OperatorResult]) -> Iterator[Finding]:
    for each in operators:
        if not each.weak:
            continue
        if each.plants == "fault":
            yield Finding(
                concern="misses a fault",
                where=each.operator,
                sentence=f"catches {each.rate} of {each.operator}: {each.about}",
            )
        elif each.plants == "nothing":
            yield Finding(
                concern="fails right outputs",
                where=each.operator,
                sentence=f"fails {each.rate} of right outputs that were not changed",
            )
        else:
            yield Finding(
                concern="passes what has no content",
                where=each.operator,
                sentence=f"passes {each.rate} of {each.operator}: {each.about}",
            )


def _of_comparisons(comparisons: list[Comparison], controls: Mapping[str, str]) -> Iterator[Finding]:
    for each in comparisons:
        if each.found and each.name in controls:
            yield Finding(
                concern="can be talked into passing",
                where=each.name,
                sentence=f"{each.name}: passed {each.difference} more often than its control (Holm p {each.holm_p:.4f})",
            )
        elif each.found:
            yield Finding(
                concern="punishes what is harmless",
                where=each.name,
                sentence=f"{each.name}: verdicts change {each.difference} more often than on other harmless changes "
                f"(Holm p {each.holm_p:.4f})",
            )


def _of_repeats(steady: Steadiness | None) -> Iterator[Finding]:
    if steady is not None and steady.flip_rate.low is not None and steady.flip_rate.low > UNSTEADY:
        yield Finding(
            concern="contradicts itself",
            where="repeats",
            sentence=f"asked again the same, it says otherwise in {steady.flip_rate} of pairs",
        )
