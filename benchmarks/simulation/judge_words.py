"""Words on judges: biased, and both error rates below 10 %."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement import judge_panel
from fiducial.calibration.label_declarations import LabelsDeclaredBy
from fiducial.calibration.statistic_catalogue import ESTIMATORS
from fiducial.calibration.tables.calibration_table import Table
from fiducial.report.text.trust_words import LOW_ERRORS, OFF_WORDS, Trust, trust_of

from .scenario import Scenario, mean, share

_RATE, _TPR = 0.85, 0.95
_TNR = 1 - (1 - _TPR) * _RATE / (1 - _RATE)
"""Pass rate of outputs, and rates of a judge that passes as many as there are."""


_BEHIND = ("accuracy", "balanced_accuracy", "true_positive_rate", "true_negative_rate", "bias")
"""Statistics behind the verdicts."""


class _World(NamedTuple):
    """Outputs that judges grade, and their labels.

    Attributes:
        outputs: Number of outputs.
        labels: Number of labels: of each class if ``golden``, else of all.
        golden: Whether as many good as bad ones are labelled.
        declared: How outputs were chosen for labels.
    """

    outputs: int
    labels: int
    golden: bool = False
    declared: LabelsDeclaredBy | None = None


def unbiased_judges(draws: int) -> Iterator[Scenario]:
    """Simulate judges without a bias, and one with, by how labels were chosen."""
    worlds = {
        "50 good and 50 bad of 1,000 labelled": _World(1_000, 50, golden=True),
        "100 random of 1,000, undeclared": _World(1_000, 100),
        "100 random of 1,000, declared": _World(1_000, 100, declared="random"),
        "300 of 300 labelled": _World(300, 300),
    }
    for number, (title, world) in enumerate(worlds.items()):
        for judges, before in ((1, "46 to 100 %" if world.golden else ""), (15, "52 %")):
            rng = np.random.default_rng([49, 9, number, judges])
            biased, off = list[bool](), list[bool]()
            for _ in range(max(1, draws // (4 if judges == 1 else 5))):
                words = {trust.word for trust in _trust(rng, world, [(_TPR, _TNR)] * judges)}
                biased.append("biased" in words)
                off.append(not words.isdisjoint(OFF_WORDS))
            what = f"{title}, {_of(judges)} without a bias: "
            yield share(f"{what}called biased", before, "at most 5 %", biased)
            if world.golden:
                yield share(f"{what}passes more than labels do, on these labels", "", "", off)
    for title, world in list(worlds.items())[2:]:
        rng = np.random.default_rng([49, 9, len(title)])
        found = [_trust(rng, world, [(0.98, 0.4)])[0].word == "biased" for _ in range(max(1, draws // 4))]
        yield share(f"{title}, a judge with a bias of 7 points: called biased", "", "most", found)


def _of(judges: int) -> str:
    return "a judge" if judges == 1 else f"any of {judges} judges"


def _trust(rng: np.random.Generator, world: _World, judges: Sequence[tuple[float, float]]) -> Sequence[Trust]:
    right = rng.random(world.outputs) < _RATE
    known = np.zeros(world.outputs, dtype=np.bool_)
    for side in (right, ~right) if world.golden else (np.ones_like(right),):
        known[rng.choice(np.flatnonzero(side), world.labels, replace=False)] = True
    rows = [
        {"item_id": f"i{n}", "judge": f"j{judge}", "score": float(score[n])}
        | {"label": float(right[n]) if known[n] else None}
        for judge, rates in enumerate(judges)
        for score in [_verdicts(rng, right, rates)]
        for n in range(world.outputs)
    ]
    table = replace(table_from_rows(rows), labels_chosen_by=world.declared)
    return _verdicts_of(table, slices=False)


def _verdicts(rng: np.random.Generator, right: np.ndarray, rates: tuple[float, float]) -> np.ndarray:
    return np.where(rng.random(len(right)) < np.where(right, *rates), right, ~right)


def low_errors(draws: int) -> Iterator[Scenario]:
    """Simulate judges of which one error rate is 10 % or more, if only on one system."""
    uneven = {"a": (0.97, 0.97), "b": (0.865, 0.97)}
    edge = {"a": (0.97, 0.97), "b": (0.9, 0.97)}
    for title, rates, judges, labels, before in (
        ("errs on 13.5 % of one system", uneven, 1, 200, "7 to 10 %"),
        ("errs on 10 % of one system", edge, 1, 200, ""),
        ("errs on 10 % of one system", edge, 1, 1_000, ""),
        ("passes 12 %, fails 11 %", {"a": (0.89, 0.88)}, 20, 100, "7 to 10 %"),
        ("passes 10 %, fails 10 %", {"a": (0.9, 0.9)}, 20, 100, ""),
        ("passes 10 %, fails 1 %", {"a": (0.99, 0.9)}, 20, 100, ""),
    ):
        rng = np.random.default_rng([49, 10, labels, judges, len(title), round(1000 * rates["a"][0])])
        said = [
            any(trust.word == LOW_ERRORS for trust in _by_system(rng, rates, judges, labels))
            for _ in range(max(1, draws // (4 if judges == 1 else 5)))
        ]
        what = f"{_of(judges)} that {title}, {labels} labels of each class" + " a system" * (len(rates) > 1)
        yield share(f"{what}: both error rates below 10 %", before, "at most 5 %", said)
    for systems in (1, 3):
        rng = np.random.default_rng([49, 10, systems])
        rates = dict.fromkeys("abc"[:systems], (0.97, 0.97))
        said = [_by_system(rng, rates, 3, 200)[0].word == LOW_ERRORS for _ in range(max(1, draws // 4))]
        what = f"one of 3 judges that err on 3 %, 200 labels of each class, systems: {systems}"
        yield share(f"{what}: both error rates below 10 %", "", "most", said)
    rng = np.random.default_rng([49, 10, 0])
    few = [
        float(trust.word not in {"needs more labels", LOW_ERRORS})
        for _ in range(max(1, draws // 4))
        for trust in _by_system(rng, {"a": (0.93, 0.93)}, 5, 12)
    ]
    yield mean(
        "5 judges that err on 7 %, 12 labels of each class: a worse word than needs more labels",
        "",
        "at most 0.05",
        few,
    )


def _by_system(
    rng: np.random.Generator, rates: Mapping[str, tuple[float, float]], judges: int, labels: int
) -> Sequence[Trust]:
    right = np.arange(2 * labels) < labels
    rows = [
        {"item_id": f"{name}{n}", "system": name, "judge": f"j{judge}", "score": float(score[n])}
        | {"label": float(right[n])}
        for judge in range(judges)
        for name, each in rates.items()
        for score in [_verdicts(rng, right, each)]
        for n in range(2 * labels)
    ]
    return _verdicts_of(table_from_rows(rows), slices=len(rates) > 1)


def _verdicts_of(table: Table, *, slices: bool) -> Sequence[Trust]:
    """Return the verdicts by the statistics that they rest on, which are quick to compute."""
    few = {name: ESTIMATORS[name] for name in _BEHIND}
    with patch.object(judge_panel, "ESTIMATORS", few):
        return list(trust_of(calibrate(table, slices=slices, replicates=20)))
