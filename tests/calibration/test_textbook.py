"""Worked examples with published answers, recomputed."""

from __future__ import annotations

import numpy as np
import pytest
from each_row import each_row

from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.significance import (
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar,
)
from fiducial.calibration.corrected_rate.two_verdicts import rogan_gladen
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.calibration.statistics.krippendorff import Level
from fiducial.calibration.statistics.rates import cohen_kappa, gwet_ac1, scott_pi, weighted_kappa_table

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
