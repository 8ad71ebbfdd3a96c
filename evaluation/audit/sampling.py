"""Choose the probes that a judge is asked about.

Each operator has at most a given number, spread over clusters, systems and right outputs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ...deterministic.mutation import probe_number, rank
from ...records import ItemKey
from .probe_folder import ORIGINAL, ProbeFacts

ClusterOf = Callable[[str], str]
"""Returns the cluster of a case, by the case's id."""


class ChosenProbes(NamedTuple):
    """Probes that an audit asks about.

    Attributes:
        probes: The probes by output, right outputs included.
        originals: The right outputs among them, about which judges are asked repeatedly.
    """

    probes: Mapping[ItemKey, ProbeFacts]
    originals: frozenset[ItemKey]


def choose_probes(
    facts: Iterable[ProbeFacts], per_operator: int, cluster: ClusterOf, operators: Collection[str] = ()
) -> ChosenProbes:
    """Choose probes reproducibly; a larger sample contains the smaller ones.

    Clusters take turns, and so do the systems of a cluster. If a right output has several probes of an operator, a hash decides which
    comes first, so that several templates of an attack are tried. All operators take right outputs in the same order, so few right
    outputs need judging for comparison. An attack is chosen together with its control.

    Args:
        facts: All probes.
        per_operator: Maximum number of probes of one operator.
        cluster: Returns the cluster of a case.
        operators: Names of operators; all if empty.

    Returns:
        The chosen probes, the right outputs that chosen twins were made of, and up to ``per_operator`` right outputs.
    """
    by_operator: dict[str, list[ProbeFacts]] = {}
    for probe in facts:
        by_operator.setdefault(probe.operator, []).append(probe)
    positions = _positions({probe.source for probes in by_operator.values() for probe in probes}, cluster)
    originals = {probe.key: probe for probe in by_operator.pop(ORIGINAL, [])}
    chosen_probes: dict[ItemKey, ProbeFacts] = {}
    for operator, probes in by_operator.items():
        if not operators or operator in operators:
            chosen_probes.update(
                (probe.key, probe) for probe in _choice_order(probes, positions, cluster)[:per_operator]
            )
    needed_originals = {probe.source for probe in chosen_probes.values() if probe.plants == "twin"}
    needed_originals.update(
        probe.key for probe in _choice_order(originals.values(), positions, cluster)[:per_operator]
    )
    chosen_originals = {key: probe for key, probe in originals.items() if key in needed_originals}
    return ChosenProbes({**chosen_originals, **chosen_probes}, frozenset(chosen_originals))


def site_of(probe: ProbeFacts) -> int:
    """Return the number of a probe among those of its operator and right output, from 0.

    An attack and its control have the same number.
    """
    return 0 if probe.operator == ORIGINAL else probe_number(probe.key.trial)


def _positions(sources: Iterable[ItemKey], cluster: ClusterOf) -> dict[ItemKey, int]:
    """Number right outputs in the order in which all operators take them.

    ``rank`` is a hash, so that the order is random and the same in every run.
    """
    queues: dict[str, dict[str, deque[ItemKey]]] = {}
    for source in sorted(sources, key=lambda source: (rank(source), source)):
        queues.setdefault(cluster(source.case_id), {}).setdefault(source.system, deque()).append(source)
    return {source: position for position, source in enumerate(_alternating(queues))}


def _alternating(queues: Mapping[str, dict[str, deque[ItemKey]]]) -> Iterator[ItemKey]:
    """Yield one right output per cluster in turn, from the system with the fewest so far."""
    clusters = sorted(queues, key=lambda cluster: (rank(cluster), cluster))
    drawn_of_system: Counter[str] = Counter()
    while clusters:
        for cluster in clusters:
            by_system = queues[cluster]
            system = min(
                by_system, key=lambda system: (drawn_of_system[system], rank(by_system[system][0]), system)
            )
            drawn_of_system[system] += 1
            yield by_system[system].popleft()
            if not by_system[system]:
                del by_system[system]
        clusters = [cluster for cluster in clusters if queues[cluster]]


def _choice_order(
    probes: Iterable[ProbeFacts], positions: Mapping[ItemKey, int], cluster: ClusterOf
) -> list[ProbeFacts]:
    """Return the probes of one operator in the order in which they are chosen.

    Each cluster gives one right output, and each right output one probe, before any gives a second.
    """
    by_source: dict[ItemKey, list[ProbeFacts]] = {}
    for probe in sorted(probes, key=lambda probe: (positions[probe.source], probe.key)):
        by_source.setdefault(probe.source, []).append(probe)
    sources_of_cluster: Counter[str] = Counter()
    # Sorted by turn of the right output, turn of its cluster, and position.
    order: list[tuple[int, int, int, ProbeFacts]] = []
    for source, probes_of_source in by_source.items():
        cluster_name = cluster(source.case_id)
        start = rank(source, "first") % len(probes_of_source)
        for turn, probe in enumerate((*probes_of_source[start:], *probes_of_source[:start])):
            order.append((turn, sources_of_cluster[cluster_name], positions[source], probe))
        sources_of_cluster[cluster_name] += 1
    return [probe for *_, probe in sorted(order)]
