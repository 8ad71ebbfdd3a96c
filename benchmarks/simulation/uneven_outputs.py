"""Outputs that are not alike: hard ones ungraded, cases with more trials, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fiducial.calibration.arrays import IntArray
from fiducial.calibration.comparison.compare import compare
from fiducial.calibration.corrected_rate.estimation import estimate
from fiducial.calibration.statistic import Statistic
from fiducial.calibration.tables.calibration_table import DECIDED, TRIAL, Table
from fiducial.calibration.tables.columns import Column
from fiducial.calibration.trial_rates import trial_rates

from .scenario import Scenario, share

CASES = 200

SPREAD = 0.03
"""Standard deviation of the chances of cases that are alike hard."""


class World(NamedTuple):
    """Trials of cases that are easy or hard, each array of shape ``(n,)``.

    Attributes:
        case: Number of the case.
        trial: Number of the trial.
        passes: Whether the output is right.
        score: The judge's verdict; NaN if ungraded.
        truth: Expected pass rate of a case.
    """

    case: np.ndarray
    trial: np.ndarray
    passes: np.ndarray
    score: np.ndarray
    truth: float

    def table(self, labels: int, rng: np.random.Generator, system: str = "s") -> Table:
        """Return the rows with labels of a random sample."""
        n, label = len(self.case), np.full(len(self.case), np.nan)
        known = rng.choice(n, min(labels, n), replace=False)
        label[known] = self.passes[known]
        names = [f"c{number}" for number in range(CASES)]
        columns = {
            TRIAL: Column([str(number) for number in range(self.trial.max() + 1)], self.trial),
            "system": Column([system], np.zeros(n, dtype=np.int64)),
        }
        judge = Column(["j"], np.zeros(n, dtype=np.int64))
        return Table(Column(names, self.case), judge, self.score, label, self.case, columns)


def world(
    rng: np.random.Generator, *, trials: Callable[[np.ndarray], np.ndarray], hidden: float, bonus: float = 0.0
) -> World:
    """Draw cases that pass in 90 % (easy) and 40 % (hard), and a judge of TPR .9 and TNR .8.

    Args:
        rng: Random numbers.
        trials: Number of trials by whether a case is hard.
        hidden: Share of outputs of hard cases that stay ungraded; of easy ones a tenth of it.
        bonus: What is added to the chances.
    """
    hard = np.arange(CASES) % 2 == 1
    chance = np.clip(np.where(hard, 0.4, 0.9) + bonus + rng.normal(0, SPREAD, CASES), 0, 1)
    count = trials(hard)
    case = np.repeat(np.arange(CASES), count)
    first = np.cumsum(count) - count
    trial: IntArray = np.arange(len(case)) - first[case]
    passes = rng.random(len(case)) < chance[case]
    score = np.where(rng.random(len(case)) < np.where(passes, 0.9, 0.8), passes, ~passes).astype(np.float64)
    score[rng.random(len(case)) < np.where(hard[case], hidden, hidden / 10)] = np.nan
    return World(case, trial, passes, score, _TRUTH + bonus)


_TRUTH = 0.65
"""Mean chance to pass of a case; clipping changes it by less than 0.001."""


def _once(hard: np.ndarray) -> np.ndarray:
    return np.ones(len(hard), dtype=np.int64)


def _more_if_hard(hard: np.ndarray) -> np.ndarray:
    return np.where(hard, 8, 2)


def _covers(statistic: Statistic, truth: float) -> bool:
    low, high = statistic.low, statistic.high
    return low is not None and high is not None and low <= truth <= high


_WORLDS = {
    "hard outputs stay ungraded (40 %)": (_once, 0.4, "70 %"),
    "hard cases have 8 trials, easy ones 2": (_more_if_hard, 0.0, ""),
    "both at once": (_more_if_hard, 0.4, ""),
}


def corrected(draws: int) -> Iterator[Scenario]:
    """Coverage of the corrected rate, with random labels."""
    for title, (trials, hidden, before) in _WORLDS.items():
        for labels in (50, 100):
            rng = np.random.default_rng([8, labels, len(title)])
            hits: list[bool] = []
            for _ in range(draws):
                drawn = world(rng, trials=trials, hidden=hidden)
                found = estimate(drawn.table(labels, rng), labels_chosen_by="random").all
                hits.append(_covers(found.ppi_plus_plus, drawn.truth))
            yield share(f"{title}, {labels} labels", before, "93 % or more", hits)


def compared(draws: int) -> Iterator[Scenario]:
    """Coverage of the difference of two systems, and false winners of equal ones."""
    for title, (trials, hidden, _) in _WORLDS.items():
        for bonus in (0.0, 0.05):
            rng = np.random.default_rng([8, len(title), round(100 * bonus)])
            hits, winners = list[bool](), list[bool]()
            for _ in range(draws):
                first = world(rng, trials=trials, hidden=hidden, bonus=bonus).table(80, rng, "a")
                second = world(rng, trials=_once, hidden=hidden).table(80, rng, "b")
                strata = compare(_joined(first, second), by="system", labels_chosen_by="random").strata
                if strata is not None:
                    pair = strata.all.pairs[0]
                    hits.append(_covers(pair.difference, bonus))
                    winners.append(pair.better is not None)
            yield share(f"{title} of one system, difference {bonus:g}", "", "93 % or more", hits)
            if not bonus:
                yield share(
                    f"{title} of one system: an equal one is called better", "", "at most 5 %", winners
                )


def chosen(draws: int) -> Iterator[Scenario]:
    """Coverage with labels chosen by true class, by score, by stratum, or at random."""
    for title, of_labels in _CHOICES.items():
        rng = np.random.default_rng([41, len(title)])
        hits: list[bool] = []
        for _ in range(draws):
            drawn = world(rng, trials=_more_if_hard, hidden=0.0)
            table, options, name = of_labels(drawn, rng)
            found = estimate(table, **options).all
            hits.append(_covers(found.estimates[name], drawn.truth))
        yield share(f"hard cases 8 trials, easy ones 2: {title}", "refused", "93 % or more", hits)


class _Choice(NamedTuple):
    """Rows with labels, the options that say how these were chosen, and the estimate that they allow."""

    table: Table
    options: dict[str, Any]
    name: str


def _with_labels(drawn: World, rng: np.random.Generator, part: np.ndarray, each: int) -> Table:
    """Return the rows with as many random labels of either part."""
    table = drawn.table(0, rng)
    label = np.full(len(table), np.nan)
    for side in (part, ~part):
        known = rng.choice(np.flatnonzero(side), each, replace=False)
        label[known] = drawn.passes[known]
    return table.with_scores(table.score, label)


def _by_class(drawn: World, rng: np.random.Generator) -> _Choice:
    table = _with_labels(drawn, rng, drawn.passes, 60)
    return _Choice(table, {"labels_chosen_by": "label"}, "rogan_gladen")


def _by_score(drawn: World, rng: np.random.Generator) -> _Choice:
    table = _with_labels(drawn, rng, drawn.score == 1.0, 60)
    return _Choice(table, {"labels_chosen_by": "score"}, "stratified_ppi")


def _by_kind(drawn: World, rng: np.random.Generator) -> _Choice:
    hard = drawn.case % 2 == 1
    table = _with_labels(drawn, rng, hard, 60)
    kind = Column(["easy", "hard"], hard.astype(np.int64))
    table = replace(table, columns=dict(table.columns) | {"kind": kind})
    return _Choice(table, {"strata": "kind"}, "stratified_ppi")


def _at_random(drawn: World, rng: np.random.Generator) -> _Choice:
    return _Choice(drawn.table(120, rng), {"labels_chosen_by": "random"}, "post_stratified")


_CHOICES: dict[str, Callable[[World, np.random.Generator], _Choice]] = {
    "60 labels of right outputs and 60 of wrong ones": _by_class,
    "60 labels of passed outputs and 60 of failed ones": _by_score,
    "60 labels of hard outputs and 60 of easy ones": _by_kind,
    "post-stratified by 120 random labels": _at_random,
}


def _joined(first: Table, second: Table) -> Table:
    """Return the rows of two systems on the same cases, all undecided."""
    n, m = len(first), len(second)

    def both(name: str) -> Column:
        a, b = first.columns[name], second.columns[name]
        values = list(dict.fromkeys([*a.values, *b.values]))
        codes = [np.array([values.index(value) for value in part.values])[part.codes] for part in (a, b)]
        return Column(values, np.concatenate(codes))

    return Table(
        Column(first.item.values, np.concatenate([first.item.codes, second.item.codes])),
        Column(["j"], np.zeros(n + m, dtype=np.int64)),
        np.concatenate([first.score, second.score]),
        np.concatenate([first.label, second.label]),
        np.concatenate([first.cluster, second.cluster]),
        {"system": both("system"), TRIAL: both(TRIAL)},
        {DECIDED: np.full(n + m, np.nan)},
    )


def rates(draws: int) -> Iterator[Scenario]:
    """Coverage of pass^k where hard cases have more trials, and refusals of trials until a pass."""
    for k, before in ((1, ""), (2, "")):
        rng = np.random.default_rng(k)
        hits: list[bool] = []
        for _ in range(draws):
            drawn = world(rng, trials=_more_if_hard, hidden=0.0)
            passed = drawn._replace(score=drawn.passes.astype(np.float64)).table(0, rng)
            hits.append(_covers(trial_rates(passed)["s"].rates["pass^k"][k], _moment(k)))
        yield share(f"pass^{k}, hard cases 8 trials, easy ones 2", before, "93 % or more", hits)
    rng = np.random.default_rng(9)
    refused: list[bool] = []
    for _ in range(draws):
        drawn = world(rng, trials=lambda hard: np.full(len(hard), 8), hidden=0.0)
        first = np.full(CASES, 8)
        np.minimum.at(first, drawn.case[drawn.passes], drawn.trial[drawn.passes])
        kept = drawn.trial <= first[drawn.case]
        tried = World(drawn.case[kept], drawn.trial[kept], drawn.passes[kept], drawn.score[kept], drawn.truth)
        passed = tried._replace(score=tried.passes.astype(np.float64)).table(0, rng)
        refused.append(trial_rates(passed)["s"].retried is not None)
    yield share("tried again until a pass: no rate", "1 % covered", "100 %", refused)


def misread(draws: int) -> Iterator[Scenario]:
    """Refusals of a correction where a judge errs by case, and coverage where it errs by trial."""
    for by_case in (True, False):
        rng = np.random.default_rng([3, by_case])
        refused, hits = list[bool](), list[bool]()
        for _ in range(draws):
            drawn = world(rng, trials=lambda hard: np.full(len(hard), 4), hidden=0.0)
            wrong = rng.random(len(drawn.case)) < 0.15
            if by_case:
                wrong = (rng.random(CASES) < 0.15)[drawn.case]
            said = drawn._replace(score=np.where(wrong, ~drawn.passes, drawn.passes).astype(np.float64))
            found = trial_rates(said.table(250, rng), [2])["s"]
            refused.append(found.uncorrectable is not None)
            if found.uncorrectable is None:
                hits.append(_covers(found.rates["pass^k"][2], _moment(2)))
        title = "judge misreads 15 % of cases" if by_case else "judge misreads 15 % of trials"
        yield share(
            f"{title}, 250 labels: pass^2 is not corrected", "", "95 % or more" if by_case else "few", refused
        )
        if not by_case:
            yield share(f"{title}, 250 labels: pass^2 corrected", "", "93 % or more", hits)


def _moment(k: int) -> float:
    """Return the mean of the k-th power of a case's chance."""
    return float(np.mean([_power(chance, k) for chance in (0.4, 0.9)]))


def _power(chance: float, k: int) -> float:
    return chance if k == 1 else chance**2 + SPREAD**2


def uneven_outputs(draws: int) -> Iterator[Scenario]:
    """Rates, differences and trials of outputs that are not alike."""
    yield from corrected(draws)
    yield from compared(draws)
    yield from chosen(draws)
    yield from rates(draws)
    yield from misread(draws)
