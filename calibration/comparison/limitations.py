"""Cautions that limit a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..cautions import FEW_CLUSTERS, Caution, ComparisonCaution
from ..pass_threshold import PassThreshold
from ..statistic_catalogue import ESTIMATORS
from ..statistics.estimator import Estimator
from .comparison_results import ComparedPair, ComparedStratum, Strata
from .contestants import Contestant
from .outputs import FEWEST_LABELS, Field
from .pairs import every_pair

FEW_DIFFERING = 20
"""With fewer items that tell two judges apart, a bootstrap of their difference covers 91 to 93 % for 95."""

FEW_FOR_A_T_TEST = 10
"""With clusters that are worth fewer, an interval of a difference of shares is wide, and covers 91 to 93 % near 0 and 1."""


def rough(pairs: Sequence[ComparedPair], estimator: Estimator) -> list[Caution]:
    """Return cautions for differences whose interval is known to be rough."""
    names = {f"{pair.a} and {pair.b}": pair for pair in pairs if pair.n}
    shares = estimator.proportion is not None
    enough = FEW_FOR_A_T_TEST if shares else FEW_CLUSTERS
    clusters = {name: math.floor(pair.effective_clusters) for name, pair in names.items()}
    clusters = {name: count for name, count in clusters.items() if count < enough}
    differing = {name: pair.a_only_right + pair.b_only_right for name, pair in names.items()}
    few = {name: count for name, count in differing.items() if 0 < count < FEW_DIFFERING}
    return [*_one("few_clusters", clusters), *_one("few_differing", {} if shares else few)]


def idle(everybody: Sequence[Contestant]) -> list[Caution]:
    """Return a caution for contestants without usable rows, which are compared with nobody.

    It counts their rows.
    """
    return _one("left_out", {each.name: each.left_out for each in everybody if not len(each.key)})


def of_cuts(
    contestants: Mapping[str, Contestant], cuts: Mapping[str, PassThreshold], against: str | None
) -> list[Caution]:
    """Return cautions for two judges that are compared, and whose different thresholds decide which is right."""
    unsaid: dict[str, int] = {}
    between: dict[str, int] = {}
    for first, second in ((contestants[a], contestants[b]) for a, b in every_pair(contestants, against)):
        low, high = sorted((first.cut, second.cut))
        if low == high:
            continue
        _, mine, theirs = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
        names = f"{first.name} and {second.name}"
        decided = (low <= first.label[mine]) & (first.label[mine] < high)
        between[names] = int(decided.sum())
        for each, rows in ((first, mine), (second, theirs)):
            if cuts[each.name].source == "default":
                unsaid[names] = int((decided | ((low <= each.score[rows]) & (each.score[rows] < high))).sum())
    return [*_one("cut_not_declared", unsaid), *_one("labels_between_cuts", between)]


def of_systems(field: Field, strata: Strata) -> list[Caution]:
    """Return the cautions that limit a comparison of systems."""
    left, whole = strata.open, strata.all
    tasks = set[int]().union(*(each.task.tolist() for each in field.systems.values()))
    absent = {name: len(tasks) - len(each.task) for name, each in field.systems.items()}
    silent = {name: count - left.graded[name] for name, count in left.outputs.items()}
    some = {name: count for name, count in left.labelled.items() if count}
    drawn = {name: count for name, count in some.items() if count < left.graded[name]}
    return [
        *rough([*strata.decided.pairs, *left.pairs, *whole.pairs], ESTIMATORS["accuracy"]),
        *_one("no_output", absent),
        *_one("not_graded", silent),
        *_one("parts_differ", _apart(strata)),
        *_one(
            "uncorrected", {name: n for name, n in left.graded.items() if name not in left.corrected_systems}
        ),
        *_one("labels_of_some", _lacking(left) if some else {}),
        *_one("chosen_by_score", {name: left.labelled[name] for name in left.chosen}),
        *_one("corrected", {name: n for name, n in drawn.items() if name in left.corrected_systems}),
        *_one("repeats", field.repeats),
    ]


def _lacking(left: ComparedStratum) -> dict[str, int]:
    """Labels left to give each system that has open outputs and too few labels of them."""
    lacking = {name: FEWEST_LABELS - count for name, count in left.labelled.items() if left.graded[name]}
    return {name: count for name, count in lacking.items() if count > 0}


def _apart(strata: Strata) -> dict[str, int]:
    """Items of which one output is decided and the other is not, by pair."""
    parts = zip(strata.all.pairs, strata.decided.pairs, strata.open.pairs, strict=True)
    return {f"{whole.a} and {whole.b}": whole.n - decided.n - left.n for whole, decided, left in parts}


def _one(kind: ComparisonCaution, about: Mapping[str, int]) -> list[Caution]:
    there: dict[str, float] = {name: count for name, count in about.items() if count}
    return [Caution(kind, there)] if there else []
