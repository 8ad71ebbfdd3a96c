"""Worked examples with published answers, recomputed."""

from __future__ import annotations

import numpy as np
import pytest
from each_row import each_row

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.agreement.alt_test import alt_test
from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.significance import (
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar,
)
from fiducial.calibration.corrected_rate.binary_verdicts import rogan_gladen
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.calibration.statistics.krippendorff import Level
from fiducial.calibration.statistics.rates import cohen_kappa, gwet_ac1, scott_pi, weighted_kappa_table
from fiducial.calibration.trial_rates import trial_rates

_ = np.nan
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
THREE_CODERS = np.array(
    [
        [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
        [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
        [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
    ]
)


@each_row(
    ("ratings", "level", "published"),
    [
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
        (FOUR_OBSERVERS, "ratio", 0.797),
        (THREE_CODERS, "nominal", 0.691),
        (THREE_CODERS, "interval", 0.811),
    ],
)
def test_krippendorff_2011_alpha_with_many_raters_and_gaps(
    ratings: FloatArray, level: Level, published: float
) -> None:
    assert reliability(ratings, level).value == pytest.approx(published, abs=6e-4)


def test_gwet_2002_paradox_high_agreement_and_kappa_below_zero() -> None:
    table = np.array([[118.0, 5.0], [2.0, 0.0]])
    assert cohen_kappa(table) == pytest.approx(-0.0234, abs=1e-4)
    assert scott_pi(table) == pytest.approx(-0.0288, abs=1e-4)
    assert gwet_ac1(table) == pytest.approx(0.9408, abs=1e-4)


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[20, 5], [10, 15]], 0.400),
        ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492),
        ([[53, 5, 2], [11, 14, 5], [1, 6, 3]], 0.429),
    ],
    ids=["fifty proposals", "Cohen 1960", "Fleiss, Cohen and Everitt 1969"],
)
def test_cohen_kappa(table: list[list[int]], kappa: float) -> None:
    assert cohen_kappa(np.array(table, dtype=float)) == pytest.approx(kappa, abs=6e-4)


def test_cohen_1968_weighted_kappa_with_his_own_weights() -> None:
    table = np.array([[88.0, 14, 18], [10, 40, 10], [2, 6, 12]])
    weights = np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert weighted_kappa_table(table, weights) == pytest.approx(0.348, abs=6e-4)


@pytest.mark.parametrize(
    ("discordant", "published"),
    [((1, 7), (0.0703, 0.0391)), ((6, 16), (0.0525, 0.0347))],
    ids=["Bentur 2009", "Cavo 2012"],
)
def test_fagerland_2013_mcnemar(discordant: tuple[int, int], published: tuple[float, ...]) -> None:
    test = mcnemar(*discordant)
    assert test == pytest.approx(published, abs=6e-5)


def test_lee_2025_rogan_gladen_with_lang_reiczigel_interval() -> None:
    result = rogan_gladen(0.4, 1000, true_positives=180, positives=200, true_negatives=140, negatives=200)
    assert result.value == pytest.approx(1 / 6)
    assert (result.low, result.high) == pytest.approx((0.0563507248, 0.2627330258), abs=1e-9)


def test_lee_2025_through_estimate_with_labels_from_elsewhere() -> None:
    rows = [("t", n, n < 400, None) for n in range(1000)]
    rows += [("right", n, n < 180, 1.0) for n in range(200)]
    rows += [("wrong", n, n < 60, 0.0) for n in range(200)]
    table = table_from_rows(
        [
            {"item_id": f"{part}{n}", "judge": "j", "score": float(passed), "label": label}
            for part, n, passed, label in rows
        ]
    )
    found = estimate(table, labels_chosen_by="elsewhere").all
    assert (found.reported, found.judge_mean) == ("rogan_gladen", pytest.approx(0.4))
    assert found.rate.value == pytest.approx(1 / 6)
    assert (found.rate.low, found.rate.high) == pytest.approx((0.0563507248, 0.2627330258), abs=1e-9)
    # Taken for a random sample the labels give a rate far from it, so that nothing is corrected undeclared.
    undeclared = estimate(table).all
    assert undeclared.reported is None


def test_tau_bench_pass_hat_k() -> None:
    # Successes of four trials; by hand: the mean of C(c, k) / C(4, k).
    successes = [4, 3, 2, 1, 0]
    rows = [
        {"item_id": f"c{case}", "judge": "j", "trial": trial, "score": float(trial < passed), "label": None}
        for case, passed in enumerate(successes)
        for trial in range(4)
    ]
    rates = trial_rates(table_from_rows(rows), [1, 2, 3, 4])["all"].rates
    by_hand = {1: 10 / 20, 2: (6 + 3 + 1) / 30, 3: (4 + 1) / 20, 4: 1 / 5}
    assert {k: rate.value for k, rate in rates["pass^k"].items()} == pytest.approx(by_hand)
    at_least_one = {1: 10 / 20, 2: (6 + 6 + 5 + 3) / 30, 3: (4 + 4 + 4 + 3) / 20, 4: 4 / 5}
    assert {k: rate.value for k, rate in rates["pass@k"].items()} == pytest.approx(at_least_one)


def test_calderon_2025_winning_and_advantage_rates_by_their_definitions() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 60).astype(float)
    people = np.stack(
        [np.where(rng.random(60) < right, truth, 1 - truth) for right in (0.9, 0.8, 0.7)], axis=1
    )
    judge = np.where(rng.random(60) < 0.85, truth, 1 - truth)
    advantages: list[float] = []
    for one in range(3):
        ahead = 0
        for item in range(60):
            others = [people[item, other] for other in range(3) if other != one]
            ahead += sum(judge[item] == each for each in others) >= sum(
                people[item, one] == each for each in others
            )
        advantages.append(ahead / 60)
    found = alt_test(people, judge, epsilon=0.2)
    assert [annotator.judge_ahead for annotator in found.annotators] == pytest.approx(advantages)
    assert found.advantage == pytest.approx(np.mean(advantages))
    assert found.winning_rate == pytest.approx(
        np.mean([annotator.rejected for annotator in found.annotators])
    )
    assert found.passes == (np.mean([annotator.rejected for annotator in found.annotators]) >= 0.5)


def test_wilson_of_eight_out_of_ten() -> None:
    assert wilson_interval(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_benjamini_and_hochberg_1995_reject_four_where_holm_rejects_three() -> None:
    p_values = np.array(
        [
            0.0001,
            0.0004,
            0.0019,
            0.0095,
            0.0201,
            0.0278,
            0.0298,
            0.0344,
            0.0459,
            0.324,
            0.4262,
            0.5719,
            0.6528,
            0.759,
            1.0,
        ]
    )
    rejected = [
        int((adjust(p_values) <= 0.05).sum()) for adjust in (benjamini_hochberg, holm, benjamini_yekutieli)
    ]
    assert rejected == [4, 3, 3]
