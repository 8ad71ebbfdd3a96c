"""Fitted ladders: planted thresholds, curves that do not fall, and clustered answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration.ladders import CurveFamily, LadderAnswers, fit_ladder

PLACES = np.linspace(0.0, 1.0, 11)
FAMILY = CurveFamily(PLACES.tolist())


def answers(shares: list[float], each: int = 40, copies: int = 1) -> LadderAnswers:
    """Return answers at each level with the given shares caught, spread over clusters.

    Each answer has ``copies`` copies in its cluster.
    """
    caught = np.concatenate([np.arange(each) * 7 % each < round(share * each) for share in shares]).astype(
        np.float64
    )
    level_index = np.repeat(np.arange(len(shares)), each)
    cluster = np.arange(each * len(shares))
    return LadderAnswers(
        np.repeat(level_index, copies), np.repeat(caught, copies), np.repeat(cluster, copies)
    )


def falling(threshold: float, slope: float = 15.0) -> list[float]:
    """Shares of a judge that catches 98 % of what is easy and 5 % of what it does not see."""
    middle = threshold + math.log((0.8 - 0.05) / (0.98 - 0.8)) / slope
    return [0.05 + 0.93 / (1 + math.exp(slope * (place - middle))) for place in PLACES.tolist()]


@pytest.mark.parametrize("threshold", [0.15, 0.4, 0.75])
def test_a_planted_threshold_is_found_within_its_interval(threshold: float):
    fit = fit_ladder(FAMILY, answers(falling(threshold)))
    assert fit.threshold == pytest.approx(threshold, abs=0.03)
    assert fit.low < threshold < fit.high
    assert not fit.flat


def test_what_is_caught_of_the_hardest_too_is_beyond_the_ladder():
    fit = fit_ladder(FAMILY, answers([0.975] * 11))
    assert fit.threshold == math.inf
    assert fit.beyond > 0.99
    assert fit.flat


def test_what_is_missed_of_the_easiest_too_is_before_the_ladder():
    fit = fit_ladder(FAMILY, answers([0.4] * 11))
    assert fit.threshold == fit.high == -math.inf
    assert fit.beyond < 0.001
    assert fit.flat
    assert (fit.drop.high or 1.0) < 0.3


def test_a_judge_that_catches_all_is_flat_and_one_that_falls_is_not():
    assert fit_ladder(FAMILY, answers([1.0] * 11)).flat
    assert not fit_ladder(FAMILY, answers([1.0] * 6 + [0.0] * 5)).flat


def test_answers_that_say_the_same_within_clusters_are_worth_less():
    alone, copied = (fit_ladder(FAMILY, answers(falling(0.5), 12, copies)) for copies in (1, 4))
    assert copied.answer_weight == pytest.approx(0.25, abs=0.08)
    assert copied.high - copied.low > 0.8 * (alone.high - alone.low)


def test_a_share_that_falls_and_rises_again_is_told_from_a_smooth_fall():
    smooth = fit_ladder(FAMILY, answers(falling(0.5)))
    dented = fit_ladder(FAMILY, answers([1.0, 1.0, 0.1, 1.0, 1.0, 1.0, 1.0, 0.5, 0.1, 0.0, 0.0]))
    assert (smooth.misfit_p or 0.0) > 0.05
    assert (dented.misfit_p or 0.0) < 0.001


def test_the_curve_is_drawn_from_the_easiest_level_to_the_hardest():
    points = fit_ladder(FAMILY, answers(falling(0.5))).points()
    assert (points[0].position, points[-1].position) == (0.0, 1.0)
    assert all(point.low <= point.share <= point.high for point in points)
    assert [point.share for point in points] == sorted((point.share for point in points), reverse=True)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_the_interval_of_a_cliff_holds_the_whole_gap_that_it_is_in(part: float):
    fit = fit_ladder(FAMILY, answers([1.0] * 5 + [0.0] * 6, each=100))
    cliff = float(PLACES[4] + part * (PLACES[5] - PLACES[4]))
    assert fit.low <= cliff <= fit.high


def test_a_level_caught_less_often_than_a_harder_one_is_a_dip():
    dented = [0.98, 0.98, 0.98, 0.5, 0.98, 0.98, 0.98, 0.5, 0.1, 0.05, 0.05]
    assert fit_ladder(FAMILY, answers(dented)).dip == 3
    assert fit_ladder(FAMILY, answers(falling(0.4))).dip is None
