"""Harmless twins compared: does one sort of change make a judge change its mind more often than others do?"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from statistics import fmean

from ...calibration.monitoring.flip_rate import flips
from ...records import ItemKey
from .comparisons import AUDITS, PAIR, attacks, by_operator, comparison_of, corrected, shift_of
from .results import Comparison
from .scored import Scored

_ALONE = "no other harmless change of these outputs was judged, and right outputs were judged once; ask with --repeats 2"


def twin_and_attack_comparisons(
    scored: Mapping[ItemKey, Scored], controls: Mapping[str, str]
) -> list[Comparison]:
    """Every twin and every attack of one judge, tested together.

    What is found among twins is no measure for the others any more, so they are compared again without it, until nothing
    new is found.
    """
    tried = list(attacks(scored, controls))
    found: dict[str, Comparison] = {}
    while True:
        tests = [*invariances(scored, found.keys()), *tried]
        result = corrected(tests, lambda each: (each.difference.value or 0.0) > 0.0)
        new = [each for each in result if each.found and each.name not in {*found, *controls}]
        if not new:
            return [found.get(each.name, each) for each in result]
        found.update((each.name, each) for each in new)


def invariances(scored: Mapping[ItemKey, Scored], known: Container[str] = ()) -> Iterator[Comparison]:
    """For each sort of harmless twin: does the judge change its mind more often than on other harmless changes?

    Plain repetition is no measure: a judge that makes mistakes, and answers the same question the same way each time, agrees
    with itself always and changes its mind on any change, by chance. What is particular to one sort of change shows beside the
    others of the same output. Where an output has no other, repetition is all there is to compare with.

    Yields:
        The share of twins that are judged otherwise than the right output, minus the mean share of the other twins of the same
        output.
    """
    twins = by_operator(each for each in scored.values() if each.facts.plants == "twin")
    changes = _changes(twins, scored)
    for operator, group in twins.items():
        usual = (
            _beside(changes, operator, known)
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
    """By right output and sort of change: the share of its twins that are judged otherwise."""
    found: dict[ItemKey, dict[str, list[float]]] = {}
    for operator, group in twins.items():
        for twin in group:
            source = scored.get(twin.facts.source)
            if twin.score is not None and source is not None and source.repeats:
                of_source = found.setdefault(twin.facts.source, {})
                of_source.setdefault(operator, []).append(_change(twin, source))
    return {source: {name: fmean(each) for name, each in by.items()} for source, by in found.items()}


def _beside(
    changes: Mapping[ItemKey, Mapping[str, float]], operator: str, known: Container[str]
) -> dict[ItemKey, float]:
    """By right output: the mean share of its other sorts of change."""
    others = {
        source: [share for name, share in by.items() if name != operator and name not in known]
        for source, by in changes.items()
        if operator in by
    }
    return {source: fmean(shares) for source, shares in others.items() if shares}


def _on_repetition(
    changes: Mapping[ItemKey, Mapping[str, float]],
    operator: str,
    scored: Mapping[ItemKey, Scored],
) -> dict[ItemKey, float]:
    """By right output: how often the judge says otherwise when it is asked the same again."""
    return {
        source: flips([score >= scored[source].cut for score in scored[source].repeats])
        for source, by in changes.items()
        if operator in by and len(scored[source].repeats) >= PAIR
    }


def _change(twin: Scored, source: Scored) -> float:
    """The share of verdicts on the right output that the verdict on a twin is another than."""
    return sum((score >= source.cut) != twin.passed for score in source.repeats) / len(source.repeats)
