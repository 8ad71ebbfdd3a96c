"""Paired comparisons of twins, attacks and prompts, corrected for multiplicity.

A harmless twin is compared with others, an attack with its control, one prompt with another.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import msgspec
import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.comparison.significance import adjust_known
from ...calibration.intervals.clustered_means import Shift, paired_shift
from ...calibration.monitoring.flip_rate import flips, self_consistency
from ...records import ItemKey
from .audit_results import AuditComparison, Steadiness
from .sampling import site_of
from .scored import Scored

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
"""Audit that an operator belongs to, if not invariance or attack."""
PAIR = 2
"""Fewest verdicts on one output that can agree or differ."""

_ALONE = "no other harmless change of these outputs was judged, and right outputs were judged once; ask with --repeats 2"


def twin_and_attack_comparisons(
    scored: Mapping[ItemKey, Scored], controls: Mapping[str, str]
) -> list[AuditComparison]:
    """Compare every twin and every attack of one judge, and test them together.

    A kind of twin that has an effect is no measure for the others, so these are compared again without it, until no
    further effect is found.
    """
    of_attacks = list(attacks(scored, controls))
    with_effect: dict[str, AuditComparison] = {}
    while True:
        tests = [*invariances(scored, with_effect.keys()), *of_attacks]
        result = corrected(tests, lambda each: (each.difference.value or 0.0) > 0.0)
        new = [each for each in result if each.found and each.name not in {*with_effect, *controls}]
        if not new:
            return [with_effect.get(each.name, each) for each in result]
        with_effect.update((each.name, each) for each in new)


def invariances(scored: Mapping[ItemKey, Scored], ignored: Container[str] = ()) -> Iterator[AuditComparison]:
    """Test if a judge changes its mind more on one sort of harmless twin than on others.

    Plain repetition is not a measure: a judge that makes mistakes, but repeats its answer to the same question, always agrees with
    itself, and changes its mind at random on any change. So one kind of change is compared with the others of the same output; an
    output with no other kind is compared with its repetitions.

    Yields:
        The share of twins judged differently from the right output, minus the mean share of the other twins of the same
        output.
    """
    twins = by_operator(each for each in scored.values() if each.facts.plants == "twin")
    changes = _changes(twins, scored)
    for operator, group in twins.items():
        usual = (
            _beside(changes, operator, ignored)
            or _beside(changes, operator, ())
            or _on_repetition(changes, operator, scored)
        )
        pairs = [(twin, usual[twin.facts.source]) for twin in group if twin.facts.source in usual]
        graded = [(twin, share) for twin, share in pairs if twin.score is not None]
        shift = shift_of(
            (_change(twin, scored[twin.facts.source]) - share, twin.cluster) for twin, share in graded
        )
        alone = not usual and any(operator in of_source for of_source in changes.values())
        yield comparison_of(operator, AUDITS.get(operator, "invariance"), shift, _ALONE if alone else None)


def _changes(
    twins: Mapping[str, Sequence[Scored]], scored: Mapping[ItemKey, Scored]
) -> dict[ItemKey, dict[str, float]]:
    """Return by right output and sort of change the share of twins judged differently."""
    shares: dict[ItemKey, dict[str, list[float]]] = {}
    for operator, group in twins.items():
        for twin in group:
            source = scored.get(twin.facts.source)
            if twin.score is not None and source is not None and source.repeats:
                of_source = shares.setdefault(twin.facts.source, {})
                of_source.setdefault(operator, []).append(_change(twin, source))
    return {source: {name: fmean(each) for name, each in by.items()} for source, by in shares.items()}


def _beside(
    changes: Mapping[ItemKey, Mapping[str, float]], operator: str, ignored: Container[str]
) -> dict[ItemKey, float]:
    """Return by right output the mean share over its other sorts of change."""
    others = {
        source: [share for name, share in by.items() if name != operator and name not in ignored]
        for source, by in changes.items()
        if operator in by
    }
    return {source: fmean(shares) for source, shares in others.items() if shares}


def _on_repetition(
    changes: Mapping[ItemKey, Mapping[str, float]],
    operator: str,
    scored: Mapping[ItemKey, Scored],
) -> dict[ItemKey, float]:
    """Return by right output how often the judge contradicts itself on repetition."""
    return {
        source: flips([score >= scored[source].threshold for score in scored[source].repeats])
        for source, by in changes.items()
        if operator in by and len(scored[source].repeats) >= PAIR
    }


def _change(twin: Scored, source: Scored) -> float:
    """Return the share of verdicts on the right output that differ from the twin's verdict."""
    return sum((score >= source.threshold) != twin.passed for score in source.repeats) / len(source.repeats)


def attacks(scored: Mapping[ItemKey, Scored], controls: Mapping[str, str]) -> Iterator[AuditComparison]:
    """Compare each attack with its control: how much more often the wrong output passes."""
    graded = [each for each in scored.values() if each.score is not None]
    by_place = {(each.facts.operator, each.facts.source, site_of(each.facts)): each for each in graded}
    for operator, tried in by_operator(each for each in graded if each.facts.plants == "attack").items():
        if operator in controls:
            pairs = [(each, control) for each in tried if (control := _control(each, controls, by_place))]
            shift = shift_of((float(each.passed) - control.passed, each.cluster) for each, control in pairs)
            yield comparison_of(operator, AUDITS.get(operator, "attack"), shift)


def compare_prompts(judges: Mapping[str, Mapping[ItemKey, Scored]]) -> list[AuditComparison]:
    """Compare judges on the same probes.

    Faults and right outputs are compared apart, since a judge may trade one for the other.

    Returns:
        Share right of the first minus share right of the second, for each pair; corrected over all pairs.
    """
    comparisons: list[AuditComparison] = []
    for one, other in combinations(judges, 2):
        both = [
            (first, second)
            for key, first in judges[one].items()
            if first.score is not None
            and (second := judges[other].get(key)) is not None
            and second.score is not None
        ]
        for noun, sign in (("faults", -1.0), ("right outputs", 1.0)):
            pairs = [
                (first, second)
                for first, second in both
                if (first.facts.right if sign > 0.0 else first.facts.plants == "fault")
            ]
            if pairs:
                shift = shift_of((sign * (float(a.passed) - b.passed), a.cluster) for a, b in pairs)
                comparisons.append(comparison_of(f"{one} against {other}, {noun}", "prompts", shift))
    return corrected(comparisons, lambda _: True)


def corrected(
    comparisons: Sequence[AuditComparison], matters: Callable[[AuditComparison], bool]
) -> list[AuditComparison]:
    """Adjust the p-values of comparisons for how many there are (Holm)."""
    adjusted = adjust_known([each.p for each in comparisons])
    return [
        msgspec.structs.replace(each, holm_p=p, found=p is not None and p <= ALPHA and matters(each))
        for each, p in zip(comparisons, adjusted, strict=True)
    ]


def steadiness(scored: Mapping[ItemKey, Scored], originals: Iterable[ItemKey]) -> Steadiness | None:
    """Return how often repeats on right outputs agree; None if nothing was judged twice."""
    repeated = [scored[key] for key in originals if key in scored and len(scored[key].repeats) >= PAIR]
    if not repeated:
        return None
    repeats = [[score >= each.threshold for score in each.repeats] for each in repeated]
    consistency = self_consistency(repeats, cluster_numbers(each.cluster for each in repeated))
    return Steadiness(
        repeats=max(map(len, repeats)), flip_rate=consistency.flip_rate, all_equal=consistency.all_equal
    )


def _control(
    attack: Scored, controls: Mapping[str, str], by_place: Mapping[tuple[str, ItemKey, int], Scored]
) -> Scored | None:
    """Return the attack's control: the one of the same number, else the first.

    A right output may have one control for all its attacks.
    """
    operator, source = controls[attack.facts.operator], attack.facts.source
    return by_place.get((operator, source, site_of(attack.facts))) or by_place.get((operator, source, 0))


def by_operator(scored: Iterable[Scored]) -> dict[str, list[Scored]]:
    """Group the probes by operator."""
    groups: dict[str, list[Scored]] = {}
    for each in scored:
        groups.setdefault(each.facts.operator, []).append(each)
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
