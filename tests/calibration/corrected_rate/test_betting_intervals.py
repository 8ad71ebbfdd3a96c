"""Confidence sequences by betting: against confseq, by enumeration, over many looks."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from each_row import each_row
from scipy.optimize import brentq
from scipy.stats import binom

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.betting import STAKES
from fiducial.calibration.corrected_rate.betting_intervals import (
    LabelSequence,
    interval_of_population,
    interval_of_these,
    log_unlike,
)
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, power_tuned

LABELS = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1], dtype=np.float64)


def world(seed: int, size: int, rate: float = 0.8) -> tuple[FloatArray, FloatArray]:
    """Return labels of all outputs in random order, and scores of a judge that is right on 85 %."""
    rng = np.random.default_rng(seed)
    right = rng.random(size) < rate
    score = np.where(rng.random(size) < 0.85, right, ~right)
    return right.astype(np.float64), score.astype(np.float64)


@each_row(
    ("mean", "above", "below"),
    [
        (0.4, 23316.539190437765, 0.04550422442251654),
        (0.5, 151.1539383401089, 0.050420737537237366),
        (0.6, 7.36354213682095, 0.059041892622013),
        (0.8, 0.4231971150706836, 0.1387852447904073),
        (0.9, 0.22939999869079952, 1.0157007916762049),
    ],
)
def test_without_a_judge_the_evidence_is_that_of_confseq(mean: float, above: float, below: float):
    """Compare with ``betting_mart`` of confseq 0.0.11, without replacement."""
    labels = LabelSequence(LABELS, np.zeros(20), np.zeros(50))
    assert math.exp(labels.log_evidence_above(mean)) == pytest.approx(above)
    assert math.exp(labels.log_evidence_below(mean)) == pytest.approx(below)


def test_with_a_judge_the_evidence_is_that_of_its_definition():
    label, score = world(1, 30)
    labels, mean = LabelSequence(label[:12], score[:12], score), 0.6
    wealth = np.ones(len(STAKES))
    for t in range(12):
        weight = float(labels.weight[t])
        rest, left = score[t:], 30 - t
        bet = label[t] - weight * (score[t] - rest.mean())
        expected = (30 * mean - label[:t].sum()) / left
        least = min(-weight * (each - rest.mean()) for each in (0.0, 1.0))
        wealth *= 1 + STAKES * (bet - expected) / (expected - least)
    assert labels.log_evidence_above(mean) == pytest.approx(math.log(wealth.mean()))


def test_lambda_of_a_label_does_not_depend_on_it_or_on_later_ones():
    label, score = world(2, 200)
    whole = LabelSequence(label[:100], score[:100], score).weight
    part = LabelSequence(np.append(label[:50], 1 - label[50]), score[:51], score).weight
    assert whole[:51] == pytest.approx(part)
    assert whole[-1] > 0.4


@each_row("judge", [True, False])
def test_over_all_orders_the_evidence_against_the_true_mean_is_one_on_average(judge: bool):
    label = np.array([1.0, 0.0, 1.0, 1.0, 0.4])
    score = np.array([1.0, 0.0, 0.5, 1.0, 0.0]) if judge else np.zeros(5)
    found = [
        [
            math.exp(each(float(label.mean())))
            for sequence in [LabelSequence(label[[*order]][:3], score[[*order]][:3], score)]
            for each in (sequence.log_evidence_above, sequence.log_evidence_below)
        ]
        for order in permutations(range(5))
    ]
    assert np.mean(found, axis=0) == pytest.approx([1.0, 1.0])


@each_row(("clusters", "mean"), [(20, 0.5), (20, 0.9), (300, 0.8), (300, 0.02), (5, 1.0)])
def test_evidence_that_outputs_are_unlike_their_population_is_one_on_average(clusters: int, mean: float):
    counts = np.arange(clusters + 1)
    unlike = np.exp(log_unlike(counts / clusters, mean, clusters))
    assert float(binom.pmf(counts, clusters, mean) @ unlike) == pytest.approx(1.0, abs=1e-6)


def test_an_interval_that_is_looked_at_after_each_label_is_seldom_wrong():
    wrong = 0
    for seed in range(60):
        label, score = world(seed, 40)
        truth = float(label.mean())
        looks = (LabelSequence(label[:n], score[:n], score) for n in (10, 20, 30))
        wrong += any(
            max(look.log_evidence_above(truth), look.log_evidence_below(truth)) >= math.log(40)
            for look in looks
        )
    assert wrong / 60 <= 0.05


def test_the_interval_of_all_these_outputs_is_a_point_once_all_have_a_label():
    label, score = world(3, 80)
    low, high = interval_of_these(LabelSequence(label, score, score))
    assert (low, high) == pytest.approx((label.mean(), label.mean()), abs=1e-6)
    wide = interval_of_population(LabelSequence(label, score, score), 80)
    assert wide[0] < label.mean() - 0.05
    assert wide[1] > label.mean() + 0.05


def test_a_judge_narrows_the_interval_and_the_population_widens_it():
    label, score = world(4, 1_000)
    with_judge = LabelSequence(label[:150], score[:150], score)
    alone = LabelSequence(label[:150], np.zeros(150), np.zeros(1_000))
    widths = [np.ptp(interval_of_these(sequence)) for sequence in (with_judge, alone)]
    assert widths[0] < 0.9 * widths[1]
    low, high = interval_of_these(with_judge)
    wider = interval_of_population(with_judge, 1_000)
    assert wider[0] < low < high < wider[1]
    assert np.ptp(wider) < 1.5 * widths[0]


@each_row("label", [0.0, 1.0, 0.5])
def test_equal_labels_have_an_interval_around_them(label: float):
    labels = LabelSequence(np.full(30, label), np.full(30, 0.5), np.full(100, 0.5))
    for low, high in (interval_of_these(labels), interval_of_population(labels, 100)):
        assert 0.0 <= low <= label <= high <= 1.0
        assert high - low > 0.05


def test_one_label_tells_little():
    low, high = interval_of_population(LabelSequence(np.ones(1), np.ones(1), np.ones(50)), 50)
    assert (low, high) == pytest.approx((0.0, 1.0), abs=0.05)


OUTPUTS = 400
"""Outputs of which those of `LABELS` are the first to have one."""


def log_wealth_above(mean: FloatArray, label: FloatArray) -> FloatArray:
    """Return the log evidence that the mean is above each of these, bet by bet, with no judge."""
    wealth = np.ones((len(STAKES), len(mean)))
    for t in range(len(label)):
        expected = (OUTPUTS * mean - label[:t].sum()) / (OUTPUTS - t)
        wealth *= 1 + STAKES[:, None] * (label[t] - expected) / expected
    return np.log(wealth.mean(axis=0))


def least(label: FloatArray) -> float:
    """Return the mean of all outputs if next to none of the others passes."""
    return float(label.sum()) / OUTPUTS + 1e-9


def log_ratios(means: FloatArray, mean: float) -> FloatArray:
    """Return the log evidence that outputs of these means are of a higher one (Bernoulli)."""
    steps = math.floor(math.log2(2.4 * math.sqrt(OUTPUTS) / 10))
    ratios = np.zeros(len(means))
    for step in range(steps + 1):
        other = mean + 2.4 / 2**step * math.sqrt(mean * (1 - mean) / OUTPUTS)
        other = min(other, (1 + mean) / 2)
        ratios += (other / mean) ** (OUTPUTS * means) * ((1 - other) / (1 - mean)) ** (OUTPUTS * (1 - means))
    return np.log(ratios / (steps + 1))


def low_of_these(label: FloatArray, needed: float) -> float:
    return float(
        brentq(lambda mean: log_wealth_above(np.array([mean]), label)[0] - needed, least(label), label.mean())
    )


def low_of_population(label: FloatArray, needed: float) -> float:
    """Return the low end by forty times as many means of these outputs as the interval looks at."""
    means: FloatArray = np.linspace(least(label), float(label.mean()), 4_001)
    above = log_wealth_above(means, label)
    return float(
        brentq(lambda mean: (above + log_ratios(means, mean)).min() - needed, least(label), label.mean())
    )


@each_row("level", [0.9, 0.95])
def test_an_end_is_where_the_evidence_of_its_half_of_the_error_is(level: float):
    needed = math.log(2 / (1 - level))
    found = interval_of_these(LabelSequence(LABELS, np.zeros(20), np.zeros(OUTPUTS)), level)
    ends = low_of_these(LABELS, needed), 1 - low_of_these(1 - LABELS, needed)
    assert found == pytest.approx(ends, abs=1e-9)


@each_row("level", [0.9, 0.95])
def test_an_end_of_a_population_is_where_no_mean_of_these_outputs_holds(level: float):
    needed = math.log(2 / (1 - level))
    low, high = interval_of_population(LabelSequence(LABELS, np.zeros(20), np.zeros(OUTPUTS)), OUTPUTS, level)
    exact = low_of_population(LABELS, needed), 1 - low_of_population(1 - LABELS, needed)
    # Between the means that are looked at the interval may be wider, and never narrower.
    assert exact[0] - 0.006 < low <= exact[0]
    assert exact[1] <= high < exact[1] + 0.006


def test_the_value_is_the_mean_label_moved_by_what_the_judge_says_of_the_rest():
    label, score = world(5, 400)
    first = np.argsort(-score, kind="stable")[:100:2]
    order = np.concatenate([first, np.random.default_rng(6).permutation(np.setdiff1d(np.arange(400), first))])
    label, score = label[order], score[order]
    n, rows = 150, np.arange(400)
    data = LabelledAndJudged(label[:n], score[:n], score[n:], rows[:n], rows[n:])
    value, expected = LabelSequence(label[:n], score[:n], score).value, power_tuned(data).estimate.value
    assert value == pytest.approx(expected, abs=0.01)
    assert value < float(label[:n].mean()) - 0.02
