"""Verdicts on pairs, combined: a judge's choice in the first order and in the second."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.preference.choices import Choices
from ...records import Author, ItemKey, Outcome, Verdict
from .paired_inputs import PairInputs, length_of


class PairVerdict(NamedTuple):
    """Choices of one judge on pairs, and its verdicts without a choice, by outcome."""

    choices: Choices
    ungraded: Mapping[Outcome, int]


def choices_of(
    verdicts: Iterable[Verdict], pairs: PairInputs, truth: Mapping[ItemKey, float]
) -> dict[Author, PairVerdict]:
    """Sort verdicts on pairs by judge and by the outputs they are about."""
    scores: defaultdict[Author, defaultdict[ItemKey, list[float]]] = defaultdict(lambda: defaultdict(list))
    ungraded: defaultdict[Author, Counter[Outcome]] = defaultdict(Counter)
    for verdict in verdicts:
        if verdict.key not in pairs.members:
            continue
        of_judge = scores[verdict.author]
        if verdict.score is None:
            ungraded[verdict.author][verdict.outcome] += 1
        else:
            of_judge[verdict.key].append(verdict.score)
    return {
        judge: PairVerdict(
            _choices({key: fmean(each) for key, each in said.items()}, pairs, truth), ungraded[judge]
        )
        for judge, said in scores.items()
    }


def _choices(said: Mapping[ItemKey, float], pairs: PairInputs, truth: Mapping[ItemKey, float]) -> Choices:
    number = {system: place for place, system in enumerate(pairs.systems)}
    turned = {(second, first): key for key, (first, second) in pairs.members.items()}
    asked = [
        (key, turned[members], *members)
        for key, members in pairs.members.items()
        if number[members[0].system] < number[members[1].system]
    ]
    people = np.array([_person(truth, key, other) for key, other, _, _ in asked], dtype=np.float64)
    labels = np.array([_better(truth.get(a), truth.get(b)) for _, _, a, b in asked], dtype=np.float64)
    length = {key: length_of(pairs.output(key)) for _, _, *both in asked for key in both}
    return Choices(
        systems=pairs.systems,
        a=np.array([number[a.system] for _, _, a, _ in asked], dtype=np.int64),
        b=np.array([number[b.system] for _, _, _, b in asked], dtype=np.int64),
        a_first=np.array([said.get(key, np.nan) for key, _, _, _ in asked], dtype=np.float64),
        b_first=np.array([said.get(key, np.nan) for _, key, _, _ in asked], dtype=np.float64),
        cluster=cluster_numbers(pairs.cases.cluster(a.case_id) for _, _, a, _ in asked),
        length_a=np.array([length[a] for _, _, a, _ in asked], dtype=np.float64),
        length_b=np.array([length[b] for _, _, _, b in asked], dtype=np.float64),
        label=np.where(np.isnan(labels), people, labels),
        person=people,
    )


def _better(a: float | None, b: float | None) -> float:
    """Return 1 if the first is better, 0 if the second is, 0.5 if equal, NaN if one is unknown."""
    if a is None or b is None:
        return np.nan
    return float(np.sign(a - b)) / 2 + 0.5


def _person(truth: Mapping[ItemKey, float], pair: ItemKey, turned: ItemKey) -> float:
    """Return a person's choice between two outputs that were shown together, in either order; NaN if nobody chose."""
    said = [
        *([truth[pair]] if pair in truth else []),
        *([1.0 - truth[turned]] if turned in truth else []),
    ]
    return float(np.sign(fmean(said) - 0.5)) / 2 + 0.5 if said else np.nan
