"""Localisation in audits: the steps that a judge named, beside those at which faults were planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ...calibration.arrays import IntArray, cluster_numbers
from ...calibration.localisation import NamedSteps, localisation
from .audit_results import LocatedFault
from .comparisons import by_operator
from .scored import Scored


def located_faults(scored: Iterable[Scored]) -> list[LocatedFault]:
    """Return how often a judge named the planted step, by sort of fault; none for a judge that names no steps.

    Faults whose step is not known, such as those of older folders of probes, are left out.
    """
    groups = by_operator(each for each in scored if each.facts.planted is not None)
    groups = {name: group for name, group in groups.items() if group[0].facts.plants == "fault"}
    if not any(each.named is not None for group in groups.values() for each in group):
        return []
    return [_located(name, group, len(groups)) for name, group in groups.items()]


def _located(operator: str, group: Sequence[Scored], sorts: int) -> LocatedFault:
    graded = [each for each in group if each.named is not None]
    rows = NamedSteps(
        named=_whole(each.named or 0 for each in graded),
        planted=_whole(each.facts.planted.step for each in graded if each.facts.planted is not None),
        steps=_whole(each.facts.planted.steps for each in graded if each.facts.planted is not None),
        cluster=cluster_numbers(each.cluster for each in graded),
    )
    return LocatedFault(
        operator=operator,
        found=localisation(rows, sorts=sorts),
        ungraded=dict(Counter(each.outcome for each in group if each.named is None)),
    )


def _whole(values: Iterable[int]) -> IntArray:
    return np.array(list(values), dtype=np.int64)
