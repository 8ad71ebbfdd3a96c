"""Two judges' probabilities on the same items, such as of two versions of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from ...records.made_scores import reaches
from ..agreement.diagnosis_results import MAX_GRADES
from ..arrays import FloatArray
from ..intervals.clustered_means import mean_of, mean_over_clusters
from .comparison_results import ComparedPair, ProbabilityDifference
from .pairs import ContenderRows


def with_probabilities(
    pairs: Sequence[ComparedPair], rows: Mapping[str, ContenderRows], names: Sequence[str], level: float
) -> list[ComparedPair]:
    """Add the differences of probabilities to pairs of judges with finer scores than grades."""
    fine = {
        name
        for name, each in rows.items()
        if len(np.unique(each.score[np.isfinite(each.score)])) > MAX_GRADES
    }
    return [
        replace(pair, probabilities=_difference(rows[pair.a], rows[pair.b], names, level))
        if pair.n and {pair.a, pair.b} <= fine
        else pair
        for pair in pairs
    ]


def _difference(
    first: ContenderRows, second: ContenderRows, names: Sequence[str], level: float
) -> ProbabilityDifference | None:
    _, in_first, in_second = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    p, q = first.score[in_first], second.score[in_second]
    scored = np.flatnonzero(np.isfinite(p) & np.isfinite(q))
    if not len(scored):
        return None
    change, cluster = (p - q)[scored], first.cluster[in_first][scored]
    largest = scored[np.argmax(np.abs(change))]
    labels = first.label[in_first], second.label[in_second]
    passes = [reaches(label, each.threshold) for label, each in zip(labels, (first, second), strict=True)]
    # With two labels of one item, neither judge's loss on it is known.
    labelled = (
        np.isfinite(labels[0])
        & np.isfinite(labels[1])
        & (passes[0] == passes[1])
        & np.isfinite(p)
        & np.isfinite(q)
    )
    truth = passes[0].astype(np.float64)
    losses: FloatArray = ((p - truth) ** 2 - (q - truth) ** 2)[labelled]
    of_labelled = first.cluster[in_first][labelled]
    return ProbabilityDifference(
        change=mean_of(change, cluster, level=level),
        size=mean_of(np.abs(change), cluster, level=level, least=0.0),
        largest=float(p[largest] - q[largest]),
        largest_item=names[int(first.item[in_first][largest])],
        brier=mean_of(losses, of_labelled, level=level),
        brier_p=mean_over_clusters(losses, of_labelled).p() if len(losses) else None,
    )
