"""Which probes a judge is asked about: so many of each operator, from as many right outputs as there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from heapq import nsmallest
from typing import NamedTuple

from ...deterministic.mutation import probe_number, rank
from ...records import ItemKey
from .probe_folder import ORIGINAL, ProbeFacts


class Chosen(NamedTuple):
    """The probes of an audit.

    Attributes:
        probes: By output.
        originals: The right outputs among them, which are asked about repeatedly.
    """

    probes: Mapping[ItemKey, ProbeFacts]
    originals: frozenset[ItemKey]


def choose(facts: Iterable[ProbeFacts], per_operator: int, operators: Collection[str] = ()) -> Chosen:
    """Choose probes.

    Of each operator those come first that are the first of their right output, and among them those whose right
    output has the smallest hash: the sample is random with respect to anything that matters, the same in every run, it grows
    with its size without changing what was chosen before, and operators share right outputs, so that few have to be
    judged for comparison. Attacks and their controls are chosen in pairs.

    Args:
        facts: All probes.
        per_operator: So many of each at most.
        operators: Names of operators; all, when empty.

    Returns:
        The probes, with the right outputs that twins were made of; the right outputs are a sample of their own, too.
    """
    by_operator: dict[str, list[ProbeFacts]] = {}
    for probe in facts:
        by_operator.setdefault(probe.operator, []).append(probe)
    originals = {probe.key: probe for probe in by_operator.pop(ORIGINAL, [])}
    chosen: dict[ItemKey, ProbeFacts] = {}
    for operator, probes in by_operator.items():
        if not operators or operator in operators:
            chosen.update((probe.key, probe) for probe in nsmallest(per_operator, probes, key=_order))
    needed = {probe.source for probe in chosen.values() if probe.plants == "twin"}
    needed.update(probe.key for probe in nsmallest(per_operator, originals.values(), key=_order))
    kept = {key: originals[key] for key in needed & originals.keys()}
    return Chosen({**kept, **chosen}, frozenset(kept))


def _order(probe: ProbeFacts) -> tuple[int, int, ItemKey]:
    return site_of(probe), rank(probe.source), probe.key


def site_of(probe: ProbeFacts) -> int:
    """Which probe of its operator and right output it is, counted from 0; pairs of attack and control share it."""
    return 0 if probe.operator == ORIGINAL else probe_number(probe.key.trial)
