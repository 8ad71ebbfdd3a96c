"""Cautions that limit a comparison of judges or systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from ..corrected_rate.label_order import label_rounds
from ..label_declarations import LabelsChosenBy
from ..pass_threshold import PassThreshold
from ..sample import Estimator
from ..statistic import FEW_CLUSTERS, Caution, ComparisonCaution
from ..statistic_catalogue import ESTIMATORS
from .comparison_results import ComparedPair, ComparedStratum, Strata
from .outputs import MIN_LABELS, AllOutputs, graded_of
from .pairs import ContenderRows, every_pair
from .rates_by_case import uneven_rates

FEW_DIFFERING = 20
"""Number of items on which two judges differ below which a bootstrap interval is rough.

A 95 % interval of their difference then covers 91 to 93 %.
"""

FEW_DISCORDANT = 10
"""Number of items on which only one is right below which a significant difference of shares is fragile.

It rests on a handful of verdicts: one wrong label may undo it.
"""

FEW_FOR_A_T_TEST = 10
"""Effective number of clusters below which an interval of a difference of shares is rough.

A 95 % interval is then wide, and covers 91 to 93 % near 0 and 1.
"""


def rough_interval_cautions(pairs: Sequence[ComparedPair], estimator: Estimator) -> list[Caution]:
    """Return cautions for differences whose interval is known to be rough."""
    by_name = {f"{pair.a} and {pair.b}": pair for pair in pairs if pair.n}
    is_share = estimator.proportion is not None
    min_clusters = FEW_FOR_A_T_TEST if is_share else FEW_CLUSTERS
    clusters = {name: math.floor(pair.effective_clusters) for name, pair in by_name.items()}
    few_clusters = _cautions(
        "few_clusters", {name: count for name, count in clusters.items() if count < min_clusters}
    )
    if is_share:
        return [*few_clusters, *_cautions("few_discordant", _few_discordant(pairs))]
    if estimator.weight_of_passes is not None:
        return few_clusters
    # Only statistics that are bootstrapped remain.
    differing = {name: pair.a_only_right + pair.b_only_right for name, pair in by_name.items()}
    few_differing = {name: count for name, count in differing.items() if 0 < count < FEW_DIFFERING}
    return [*few_clusters, *_cautions("few_differing", few_differing)]


def _few_discordant(pairs: Sequence[ComparedPair]) -> dict[str, int]:
    """Return the pairs with a significant difference on few items, with the number of items."""
    differing = {
        f"{pair.a} and {pair.b}": pair.a_only_right + pair.b_only_right for pair in pairs if pair.better
    }
    return {name: count for name, count in differing.items() if 0 < count < FEW_DISCORDANT}


def left_out_cautions(contenders: Sequence[ContenderRows]) -> list[Caution]:
    """Return a caution for contenders without usable rows, with the number of rows left out."""
    return _cautions(
        "left_out", {contender.name: contender.left_out for contender in contenders if not len(contender.key)}
    )


def threshold_cautions(
    contenders: Mapping[str, ContenderRows], thresholds: Mapping[str, PassThreshold], against: str | None
) -> list[Caution]:
    """Return cautions for compared judges whose different thresholds decide which is right."""
    undeclared: dict[str, int] = {}
    labels_between: dict[str, int] = {}
    for a, b in every_pair(contenders, against):
        first, second = contenders[a], contenders[b]
        low, high = sorted((first.threshold, second.threshold))
        if low == high:
            continue
        _, in_first, in_second = np.intersect1d(
            first.key, second.key, assume_unique=True, return_indices=True
        )
        names = f"{a} and {b}"
        label = first.label[in_first]
        label_between = (low <= label) & (label < high)
        labels_between[names] = int(label_between.sum())
        # The thresholds differ, so at most one of the two is the default.
        for contender, rows in ((first, in_first), (second, in_second)):
            if thresholds[contender.name].source == "default":
                score = contender.score[rows]
                undeclared[names] = int((label_between | ((low <= score) & (score < high))).sum())
    return [
        *_cautions("threshold_not_declared", undeclared),
        *_cautions("labels_between_thresholds", labels_between),
    ]


def system_cautions(outputs: AllOutputs, strata: Strata) -> list[Caution]:
    """Return the cautions that limit a comparison of systems."""
    undecided = strata.open
    tasks = set[int]().union(*(system.task.tolist() for system in outputs.systems.values()))
    missing = {name: len(tasks) - len(system.task) for name, system in outputs.systems.items()}
    ungraded = {name: count - undecided.graded[name] for name, count in undecided.outputs.items()}
    labelled = {name: count for name, count in undecided.labelled.items() if count}
    partly_labelled = {name: count for name, count in labelled.items() if count < undecided.graded[name]}
    corrected = set(undecided.corrected_systems)
    return [
        *rough_interval_cautions(
            [*strata.decided.pairs, *undecided.pairs, *strata.all.pairs], ESTIMATORS["accuracy"]
        ),
        *_cautions("no_output", missing),
        *_cautions("not_graded", ungraded),
        *_cautions("parts_differ", _in_different_parts(strata)),
        *_cautions(
            "uncorrected",
            {name: n for name, n in undecided.graded.items() if name not in corrected},
        ),
        *_cautions("labels_of_some", _missing_labels(undecided) if labelled else {}),
        *_cautions("labels_for_estimate", _labels_not_random(undecided)),
        *_cautions("chosen_by_score", {name: undecided.labelled[name] for name in undecided.chosen}),
        *_cautions("corrected", {name: n for name, n in partly_labelled.items() if name in corrected}),
        *_cautions("looked_at", _label_rounds(outputs, undecided)),
        *_cautions("repeats", outputs.repeats),
        *_uneven_trials(outputs),
    ]


def _uneven_trials(outputs: AllOutputs) -> list[Caution]:
    rates = uneven_rates(graded_of(outputs))
    values = {name: rate.value for name, rate in rates.items() if rate.value is not None}
    return [Caution("uneven_trials", values)] if values else []


def _labels_not_random(undecided: ComparedStratum) -> dict[str, int]:
    """Count labels of undecided outputs that are declared not to be random, by declaration."""
    counts: dict[str, int] = {}
    for name, chosen_by in undecided.declared.items():
        # Only these declarations say that the labels are no random sample.
        if chosen_by is not None and chosen_by in get_args(LabelsChosenBy):
            counts[chosen_by] = counts.get(chosen_by, 0) + undecided.labelled[name]
    return counts


def _label_rounds(outputs: AllOutputs, undecided: ComparedStratum) -> dict[str, int]:
    """Return the number of rounds of labels that correct systems, if there were several.

    Where every output has a label, nobody can have stopped labelling early because of a result.
    """
    corrected = {*undecided.corrected_systems, *undecided.if_random}
    if outputs.table is None or all(undecided.declared.get(name) == "every_output" for name in corrected):
        return {}
    rounds = len(label_rounds(outputs.table))
    return {"rounds": rounds} if rounds > 1 else {}


def _missing_labels(undecided: ComparedStratum) -> dict[str, int]:
    missing = {
        name: MIN_LABELS - count for name, count in undecided.labelled.items() if undecided.graded[name]
    }
    return {name: count for name, count in missing.items() if count > 0}


def _in_different_parts(strata: Strata) -> dict[str, int]:
    """Count the items with one decided and one undecided output, by pair."""
    pairs = zip(strata.all.pairs, strata.decided.pairs, strata.open.pairs, strict=True)
    return {
        f"{overall.a} and {overall.b}": overall.n - decided.n - undecided.n
        for overall, decided, undecided in pairs
    }


def _cautions(kind: ComparisonCaution, counts_by_name: Mapping[str, int]) -> list[Caution]:
    counts: dict[str, float] = {name: count for name, count in counts_by_name.items() if count}
    return [Caution(kind, counts)] if counts else []
