"""Sample the probes a judge is asked about.

The sample has a number of probes per operator, spread over clusters, systems and right outputs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ...deterministic.mutation import probe_number, rank
from ...records import ItemKey
from .probe_folder import ORIGINAL, ProbeFacts

ClusterOf = Callable[[str], str]
"""From a case's id to its cluster."""


class Chosen(NamedTuple):
    """Probes of an audit by output, and the right outputs among them, which are repeated."""

    probes: Mapping[ItemKey, ProbeFacts]
    originals: frozenset[ItemKey]


def choose_probes(
    facts: Iterable[ProbeFacts], per_operator: int, cluster: ClusterOf, operators: Collection[str] = ()
) -> Chosen:
    """Choose probes.

    Clusters take turns, and within them systems do. If a right output has several probes of an operator, a hash says which comes first,
    so that several templates of an attack are tried. The sample is random with respect to anything that matters, and the same in every
    run; a larger one contains the smaller. Operators share right outputs, so that few need judging for comparison. Attacks and
    their controls are chosen in pairs.

    Args:
        facts: All probes.
        per_operator: Most probes of one operator.
        cluster: From a case's id to its cluster.
        operators: Names of operators; all, when empty.

    Returns:
        The probes, the right outputs that chosen twins were made of, and a sample of the other right outputs.
    """
    by_operator: dict[str, list[ProbeFacts]] = {}
    for probe in facts:
        by_operator.setdefault(probe.operator, []).append(probe)
    places = _places({probe.source for probes in by_operator.values() for probe in probes}, cluster)
    originals = {probe.key: probe for probe in by_operator.pop(ORIGINAL, [])}
    chosen: dict[ItemKey, ProbeFacts] = {}
    for operator, probes in by_operator.items():
        if not operators or operator in operators:
            chosen.update((probe.key, probe) for probe in _in_turn(probes, places, cluster)[:per_operator])
    needed = {probe.source for probe in chosen.values() if probe.plants == "twin"}
    needed.update(probe.key for probe in _in_turn(list(originals.values()), places, cluster)[:per_operator])
    right = {key: originals[key] for key in needed & originals.keys()}
    return Chosen({**right, **chosen}, frozenset(right))


def site_of(probe: ProbeFacts) -> int:
    """Return the index of a probe within its operator and right output, counted from 0.

    Pairs of attack and control share it.
    """
    return 0 if probe.operator == ORIGINAL else probe_number(probe.key.trial)


def _places(sources: Iterable[ItemKey], cluster: ClusterOf) -> dict[ItemKey, int]:
    """Order right outputs alike for all operators: clusters take turns, and so do systems."""
    queues: dict[str, dict[str, deque[ItemKey]]] = {}
    for source in sorted(sources, key=lambda source: (rank(source), source)):
        queues.setdefault(cluster(source.case_id), {}).setdefault(source.system, deque()).append(source)
    return {source: place for place, source in enumerate(_alternating(queues))}


def _alternating(queues: Mapping[str, dict[str, deque[ItemKey]]]) -> Iterator[ItemKey]:
    """Yield one right output per cluster in turn, preferring the system with the fewest so far."""
    waiting = sorted(queues, key=lambda name: (rank(name), name))
    drawn: Counter[str] = Counter()
    while waiting:
        for name in waiting:
            of_systems = queues[name]
            system = min(of_systems, key=lambda system: (drawn[system], rank(of_systems[system][0]), system))
            drawn[system] += 1
            yield of_systems[system].popleft()
            if not of_systems[system]:
                del of_systems[system]
        waiting = [name for name in waiting if queues[name]]


def _in_turn(probes: list[ProbeFacts], places: Mapping[ItemKey, int], cluster: ClusterOf) -> list[ProbeFacts]:
    """Return the probes of one operator in the order in which they are chosen."""
    by_source: dict[ItemKey, list[ProbeFacts]] = {}
    for probe in sorted(probes, key=lambda probe: (places[probe.source], probe.key)):
        by_source.setdefault(probe.source, []).append(probe)
    before: Counter[str] = Counter()
    order: list[tuple[int, int, int, ProbeFacts]] = []
    for source, of_source in by_source.items():
        name = cluster(source.case_id)
        first = rank(source, "first") % len(of_source)
        for turn, probe in enumerate((*of_source[first:], *of_source[:first])):
            order.append((turn, before[name], places[source], probe))
        before[name] += 1
    return [probe for *_, probe in sorted(order)]
