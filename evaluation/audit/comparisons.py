"""Paired comparisons of probes and prompts, corrected for multiplicity.

A harmless twin is compared with other twins, an attack with its control, and a prompt with another.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

import msgspec
import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.comparison.significance import adjust_known
from ...calibration.intervals.clustered_means import Shift, paired_shift
from ...calibration.monitoring.flip_rate import flips, self_consistency
from ...records import ItemKey
from ...records.made_scores import reaches
from .audit_results import AuditComparison, Steadiness
from .sampling import site_of
from .scored import ScoredProbe

ALPHA = 0.05
"""Chance of any false alarm among all comparisons of a judge."""

AUDITS = {
    "tools_reordered": "position",
    "call_order": "position",
    "list_order": "position",
    "passages_reordered": "position",
    "claims_reordered": "position",
    "answers_reordered": "position",
    "unrelated_tool": "irrelevant material",
    "unrelated_passage": "irrelevant material",
    "answer_padded": "verbosity",
    "padded_value": "verbosity",
    "master_key": "master keys",
    "empty_answer": "master keys",
    "question_repeated": "master keys",
    "answer_padded_wrong": "verbosity",
    "injected_verdict": "injected verdicts",
    "answer_injected_verdict": "injected verdicts",
    "plain_verdict": "injected verdicts",
    "answer_plain_verdict": "injected verdicts",
}
"""Audit of an operator; others belong to ``invariance`` or ``attack``."""

MIN_REPEATS = 2
"""Number of verdicts on one output from which they can agree or differ."""

_NO_OTHER_CHANGE = "no other harmless change of these outputs was judged, and right outputs were judged once; ask twice or more"


def twin_and_attack_comparisons(
    scored: Mapping[ItemKey, ScoredProbe], controls: Mapping[str, str]
) -> list[AuditComparison]:
    """Compare every twin and every attack of one judge, and test them together.

    Operators whose twins have an effect cannot serve as a standard for the others. So the comparison is repeated without them until no
    further effect is found.
    """
    attack_comparisons = list(compare_attacks(scored, controls))
    with_effect: dict[str, AuditComparison] = {}
    while True:
        uncorrected = [*compare_twins(scored, with_effect.keys()), *attack_comparisons]
        corrected = correct_p_values(
            uncorrected, lambda comparison: (comparison.difference.value or 0.0) > 0.0
        )
        new_effects = [
            comparison
            for comparison in corrected
            # ``controls`` names the attacks compared, which are no standard for twins.
            if comparison.found and comparison.name not in {*with_effect, *controls}
        ]
        if not new_effects:
            return [with_effect.get(comparison.name, comparison) for comparison in corrected]
        with_effect.update((comparison.name, comparison) for comparison in new_effects)


def compare_twins(
    scored: Mapping[ItemKey, ScoredProbe], ignored: Container[str] = ()
) -> Iterator[AuditComparison]:
    """Test if a judge changes its verdict more often for one harmless change than for others.

    Repeats of the question are a poor standard: a judge that errs may repeat its answer to the same question, and still change its
    verdict at random on any change. So each operator is compared with the other operators on the same outputs. If there are none, it is
    compared with repeats of the question.

    Args:
        scored: Probes with the judge's verdicts.
        ignored: Operators that are not used as a standard if there are others.

    Yields:
        One comparison per operator. Its difference is the share of its twins that are judged unlike their right output, minus the mean
        share among the other twins of the same output.
    """
    twins = by_operator(probe for probe in scored.values() if probe.facts.plants == "twin")
    changes = _twin_changes(twins, scored)
    for operator, group in twins.items():
        standard = (
            _other_changes(changes, operator, ignored)
            or _other_changes(changes, operator, ())
            or _changes_on_repeats(changes, operator, scored)
        )
        compared_twins = [twin for twin in group if twin.score is not None and twin.facts.source in standard]
        shift = shift_of(
            (_share_changed(twin, scored[twin.facts.source]) - standard[twin.facts.source], twin.cluster)
            for twin in compared_twins
        )
        has_no_standard = not standard and any(operator in shares for shares in changes.values())
        untested = _NO_OTHER_CHANGE if has_no_standard else None
        yield comparison_of(operator, AUDITS.get(operator, "invariance"), shift, untested)


def _twin_changes(
    twins: Mapping[str, Sequence[ScoredProbe]], scored: Mapping[ItemKey, ScoredProbe]
) -> dict[ItemKey, dict[str, float]]:
    """Return the share of twins judged unlike their right output, by right output and operator."""
    changes: dict[ItemKey, dict[str, float]] = {}
    for operator, group in twins.items():
        shares_by_source: dict[ItemKey, list[float]] = {}
        for twin in group:
            source = scored.get(twin.facts.source)
            if twin.score is not None and source is not None and source.repeats:
                shares_by_source.setdefault(twin.facts.source, []).append(_share_changed(twin, source))
        for key, source_shares in shares_by_source.items():
            changes.setdefault(key, {})[operator] = fmean(source_shares)
    return changes


def _other_changes(
    changes: Mapping[ItemKey, Mapping[str, float]], operator: str, ignored: Container[str]
) -> dict[ItemKey, float]:
    """Return the mean share over the other operators, by right output."""
    means: dict[ItemKey, float] = {}
    for source, shares in changes.items():
        others = [share for name, share in shares.items() if name != operator and name not in ignored]
        if operator in shares and others:
            means[source] = fmean(others)
    return means


def _changes_on_repeats(
    changes: Mapping[ItemKey, Mapping[str, float]],
    operator: str,
    scored: Mapping[ItemKey, ScoredProbe],
) -> dict[ItemKey, float]:
    """Return the share of pairs of repeats that differ, by right output."""
    return {
        source: flips([reaches(score, scored[source].threshold) for score in scored[source].repeats])
        for source, shares in changes.items()
        if operator in shares and len(scored[source].repeats) >= MIN_REPEATS
    }


def _share_changed(twin: ScoredProbe, source: ScoredProbe) -> float:
    is_changed = [reaches(score, source.threshold) != twin.passed for score in source.repeats]
    return sum(is_changed) / len(is_changed)


def compare_attacks(
    scored: Mapping[ItemKey, ScoredProbe], controls: Mapping[str, str]
) -> Iterator[AuditComparison]:
    """Compare each attack with its control: how much more often the wrong output passes."""
    graded_probes = [probe for probe in scored.values() if probe.score is not None]
    by_site = probes_by_site(graded_probes)
    for operator, group in by_operator(
        probe for probe in graded_probes if probe.facts.plants == "attack"
    ).items():
        if operator in controls:
            pairs = [(probe, control_of(probe, controls[operator], by_site)) for probe in group]
            shift = shift_of(
                (float(attack.passed) - control.passed, attack.cluster)
                for attack, control in pairs
                if control is not None
            )
            yield comparison_of(operator, AUDITS.get(operator, "attack"), shift)


def compare_prompts(judges: Mapping[str, Mapping[ItemKey, ScoredProbe]]) -> list[AuditComparison]:
    """Compare judges on the probes that both graded.

    Faults and right outputs are compared separately, since a judge may trade one for the other.

    Returns:
        Share right of the first minus share right of the second, for each pair; corrected over all pairs.
    """
    comparisons: list[AuditComparison] = []
    for first_name, second_name in combinations(judges, 2):
        first, second = judges[first_name], judges[second_name]
        pairs = [
            (probe, second[key])
            for key, probe in first.items()
            if probe.score is not None and key in second and second[key].score is not None
        ]
        # Right is to fail a fault and to pass a right output, hence the two signs.
        faults = [(b.passed - float(a.passed), a.cluster) for a, b in pairs if a.facts.plants == "fault"]
        right_outputs = [(float(a.passed) - b.passed, a.cluster) for a, b in pairs if a.facts.right]
        for noun, differences in (("faults", faults), ("right outputs", right_outputs)):
            if differences:
                name = f"{first_name} against {second_name}, {noun}"
                comparisons.append(comparison_of(name, "prompts", shift_of(differences)))
    return correct_p_values(comparisons, lambda _: True)


def correct_p_values(
    comparisons: Sequence[AuditComparison], matters: Callable[[AuditComparison], bool]
) -> list[AuditComparison]:
    """Correct p-values by Holm, and mark significant comparisons that ``matters`` accepts."""
    adjusted = adjust_known([comparison.p for comparison in comparisons])
    return [
        msgspec.structs.replace(
            comparison, holm_p=p, found=p is not None and p <= ALPHA and matters(comparison)
        )
        for comparison, p in zip(comparisons, adjusted, strict=True)
    ]


def steadiness(scored: Mapping[ItemKey, ScoredProbe], originals: Iterable[ItemKey]) -> Steadiness | None:
    """Return how often repeats on right outputs agree, or None if nothing was judged twice."""
    repeated = [scored[key] for key in originals if key in scored and len(scored[key].repeats) >= MIN_REPEATS]
    if not repeated:
        return None
    repeats = [[reaches(score, probe.threshold) for score in probe.repeats] for probe in repeated]
    consistency = self_consistency(repeats, cluster_numbers(probe.cluster for probe in repeated))
    return Steadiness(
        repeats=max(map(len, repeats)), flip_rate=consistency.flip_rate, all_equal=consistency.all_equal
    )


ProbesBySite: TypeAlias = Mapping[tuple[str, ItemKey, int], ScoredProbe]
"""Probes by operator, right output, and number (see `site_of`)."""


def probes_by_site(scored: Iterable[ScoredProbe]) -> ProbesBySite:
    """Index the graded probes by operator, right output and number."""
    graded_probes = (probe for probe in scored if probe.score is not None)
    return {
        (probe.facts.operator, probe.facts.source, site_of(probe.facts)): probe for probe in graded_probes
    }


def control_of(attack: ScoredProbe, operator: str, by_site: ProbesBySite) -> ScoredProbe | None:
    """Return the attack's control: the one with the same number, else the first.

    A right output may have one control for all its attacks.
    """
    source = attack.facts.source
    return by_site.get((operator, source, site_of(attack.facts))) or by_site.get((operator, source, 0))


def by_operator(scored: Iterable[ScoredProbe]) -> dict[str, list[ScoredProbe]]:
    """Group the probes by operator."""
    groups: dict[str, list[ScoredProbe]] = {}
    for probe in scored:
        groups.setdefault(probe.facts.operator, []).append(probe)
    return groups


def shift_of(differences: Iterable[tuple[float, str]]) -> Shift:
    """Return the mean of paired differences, each given with its cluster."""
    differences = list(differences)
    values = np.array([value for value, _ in differences], dtype=np.float64)
    return paired_shift(values, cluster_numbers(cluster for _, cluster in differences))


def comparison_of(name: str, audit: str, shift: Shift, untested: str | None = None) -> AuditComparison:
    """Return a comparison that is not yet corrected for multiplicity."""
    return AuditComparison(
        name=name,
        audit=audit,
        difference=shift.difference,
        p=shift.p,
        minimum_detectable=shift.minimum_detectable,
        untested=untested,
    )
