"""Systems whose undecided outputs have few labels: alarms, corrections, differences, leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fiducial.calibration.comparison.comparison_results import Strata
from fiducial.calibration.comparison.outputs import AllOutputs, SystemOutputs
from fiducial.calibration.comparison.systems import SystemTerms, strata_of
from fiducial.calibration.corrected_rate.chosen_labels import chosen_by_score
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged
from fiducial.report.overview import overview_leads

from .scenario import Scenario, share

TPR, TNR = 0.9, 0.8
"""True positive and true negative rate of the simulated judge."""

OPEN = 100
"""Undecided outputs of a system."""


class Labelled(NamedTuple):
    """Number of labels of undecided outputs: of each system, or in all."""

    each: int | None = None
    in_all: int | None = None


def judged(rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    """Return a judge's verdicts on outputs."""
    agrees = rng.random(truth.shape) < np.where(truth, TPR, TNR)
    return np.where(agrees, truth, ~truth)


def systems(
    rng: np.random.Generator, rates: Sequence[float], labelled: Labelled, *, decided: int = 0
) -> Strata:
    """Compare systems of these rates on the same tasks, ``decided`` of them by a checker."""
    count, tasks = len(rates), decided + (OPEN if labelled != Labelled() else 0)
    left = tasks - decided
    truth = rng.random((count, tasks)) < np.array(rates)[:, None]
    verdicts = judged(rng, truth)
    known = np.zeros((count, left), dtype=np.bool_)
    if labelled.in_all:
        known.ravel()[rng.choice(count * left, labelled.in_all, replace=False)] = True
    elif labelled.each:
        for row in known:
            row[rng.choice(left, labelled.each, replace=False)] = True
    found: dict[str, SystemOutputs] = {}
    for number in range(count):
        is_undecided = np.arange(tasks) >= decided
        label = np.full(tasks, np.nan)
        label[decided:] = np.where(known[number], truth[number, decided:], np.nan)
        found[f"s{number}"] = SystemOutputs(
            np.arange(tasks),
            np.arange(tasks),
            np.ones(tasks, dtype=np.int64),
            np.arange(tasks),
            np.arange(tasks),
            np.where(is_undecided, np.nan, truth[number]),
            verdicts[number][None].astype(np.float64),
            verdicts[number][None].astype(np.float64),
            label[None],
            np.arange(tasks),
        )
    outputs = AllOutputs(found, ["checker"] if decided else [], ["judge"] if left else [], {})
    return strata_of(outputs, SystemTerms([str(n) for n in range(tasks)], None, 0, 0.95, "random"))


def alarms(draws: int) -> Iterator[Scenario]:
    """Simulate false alarms on random labels, and on labels that favour failures 4:1.

    There are 200 outputs, of which the judge passes nine in ten.
    """
    for labels, before in ((5, "33 %"), (10, "38 %"), (20, "13 %"), (30, "4.3 %")):
        rng = np.random.default_rng(labels)
        hits = [_alarms(rng, labels, 0.9, 1.0) for _ in range(draws)]
        yield share(f"{labels} random labels of 200, judge passes 0.9", before, "at most 1.5 %", hits)
    for labels in (50, 100):
        rng = np.random.default_rng(labels)
        hits = [_alarms(rng, labels, 0.7, 4.0) for _ in range(draws)]
        yield share(
            f"{labels} of 1,000 labels drawn 4:1 for fails, judge passes 0.7",
            "98 %" if labels == 50 else "100 %",
            "unchanged",
            hits,
        )
        hits = [_alarms(rng, labels, 0.9, 4.0) for _ in range(draws)]
        yield share(
            f"{labels} of 1,000 labels drawn 4:1 for fails, judge passes 0.9",
            "67 %" if labels == 50 else "95 %",
            "unchanged",
            hits,
        )


def _alarms(rng: np.random.Generator, labels: int, passes: float, favoured: float) -> bool:
    size = 200 if favoured == 1.0 else 1_000
    score = (rng.random(size) < passes).astype(np.float64)
    weight = np.where(score == 1.0, 1.0, favoured)
    chosen = np.zeros(size, dtype=np.bool_)
    chosen[rng.choice(size, labels, replace=False, p=weight / weight.sum())] = True
    items = np.arange(size)
    data = LabelledAndJudged(score[chosen], score[chosen], score[~chosen], items[chosen], items[~chosen])
    return chosen_by_score(data) is not None


def corrected_runs(draws: int) -> Iterator[Scenario]:
    """Simulate which runs and systems are corrected, with random labels over all systems."""
    for count, labels, before in ((5, 50, "74 %"), (20, 100, "6.7 %")):
        rng = np.random.default_rng(count)
        runs: list[bool] = []
        able: list[bool] = []
        for _ in range(max(1, draws // (1 if count == 5 else 4))):
            left = systems(rng, [0.7] * count, Labelled(in_all=labels)).open
            known = [name for name, n in left.labelled.items() if n >= 2]
            corrected = set(left.corrected_systems)
            runs.append(len(corrected) == len(known))
            able += [name in corrected for name in known]
        yield share(
            f"{count} systems, {labels} labels in all: every system of two labels is corrected",
            before,
            "at least 98 %",
            runs,
        )
        yield share(f"{count} systems: a system of two labels is corrected", "", "at least 98 %", able)


_FALSE = {
    (5, 0.7): ("9.6 %", "80 to 92 %"),
    (5, 0.9): ("15.5 %", "80 to 92 %"),
    (5, 0.97): ("8.4 %", "80 to 92 %"),
    (10, 0.7): ("6.6 %", ""),
    (10, 0.9): ("9.9 %", ""),
    (10, 0.97): ("12.3 %", ""),
}


def _pairs(draws: int, labels: int, rate: float, decided: int) -> Iterator[Strata]:
    rng = np.random.default_rng([labels, round(100 * rate), decided])
    for _ in range(draws):
        yield systems(rng, [rate, rate], Labelled(each=labels), decided=decided)


def false_winners(draws: int) -> Iterator[Scenario]:
    """Simulate false winners between two equal systems, corrected with a few labels each."""
    for (labels, rate), (before, _) in _FALSE.items():
        for decided in (0, 100):
            hits = [
                found.all.pairs[0].better is not None and found.open.corrected
                for found in _pairs(draws, labels, rate, decided)
            ]
            checked = f", {decided} checked outputs" if decided else ""
            what = f"{labels} labels each, open rate {rate:g}{checked}"
            yield share(what, "" if decided else before, "at most 6 %", hits)


def differences(draws: int) -> Iterator[Scenario]:
    """Simulate coverage of the difference of two systems, equal or not."""
    for labels in (5, 10, 20):
        for rates in ((0.7, 0.7), (0.9, 0.9), (0.97, 0.97), (0.8, 0.6), (0.95, 0.8)):
            rng = np.random.default_rng([labels, *(round(100 * rate) for rate in rates), 4])
            hits: list[bool] = []
            for _ in range(draws):
                left = systems(rng, rates, Labelled(each=labels)).open
                found = left.pairs[0].difference
                if left.pairs[0].corrected and found.low is not None and found.high is not None:
                    hits.append(found.low <= rates[0] - rates[1] <= found.high)
            before = "80 to 92 %" if labels == 5 else ""
            yield share(
                f"{labels} labels each, rates {rates[0]:g} and {rates[1]:g}", before, "at least 94 %", hits
            )


def leads(draws: int) -> Iterator[Scenario]:
    """Simulate simultaneous coverage of the leads of the best of several systems."""
    for count, before in ((5, "64 %"), (20, "10 %")):
        for spread in (0.0, 0.2):
            rates = list(np.linspace(0.8, 0.8 - spread, count))
            rng = np.random.default_rng([count, round(10 * spread)])
            hits: list[bool] = []
            for _ in range(max(1, draws // (count // 5))):
                found = systems(rng, rates, Labelled(), decided=150)
                leader, rows = overview_leads(found)
                truth = rates[int(leader[1:])]
                hits.append(
                    all(
                        each.low is not None
                        and each.high is not None
                        and each.low <= truth - rates[int(name[1:])] <= each.high
                        for name, each in rows.items()
                    )
                )
            kind = "equal" if not spread else "different"
            yield share(f"{count} {kind} systems", before if not spread else "", "at least 95 %", hits)
