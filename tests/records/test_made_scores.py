from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.records.made_scores import mean_score, reaches, rounded_score
from fiducial.records.rubric_points import met_of, points_of
from fiducial.records.scale import Scale
from fiducial.tables.grades import grade_score, majority

SCORES = st.floats(0, 1, allow_subnormal=False)


def test_errors_of_rounding_go_and_thirds_keep_their_digits():
    assert rounded_score(0.7 + 0.7 + 0.7 - 1.4) == 0.7
    assert rounded_score(0.1 + 0.2) == 0.3
    assert [rounded_score(part / 7) for part in range(8)] == [part / 7 for part in range(8)]


@given(SCORES, st.integers(1, 30))
def test_the_mean_of_equal_scores_is_that_score(score: float, count: int):
    assert mean_score([score] * count) == score


@given(st.lists(st.tuples(st.floats(0.01, 10), SCORES), min_size=1, max_size=20))
def test_a_mean_lies_between_the_lowest_and_the_highest_score(weighted: list[tuple[float, float]]):
    weights, scores = zip(*weighted, strict=True)
    for mean in (mean_score(scores), mean_score(scores, weights)):
        assert min(scores) - 1e-14 <= mean <= max(scores) + 1e-14


@given(st.integers(1, 100), st.lists(st.integers(0, 100), min_size=1, max_size=40))
def test_the_mean_of_shares_reaches_the_threshold_that_it_is(of: int, parts: list[int]):
    parts = [min(part, of) for part in parts]
    mean = mean_score([part / of for part in parts])
    whole = sum(parts) / (of * len(parts))
    assert mean == pytest.approx(whole, abs=1e-15)
    if whole == round(whole, 12):
        assert mean == whole


@each_row(
    ("score", "made"),
    [
        (0.1, lambda: Scale(better="low").normalise(0.9)),
        (0.3, lambda: Scale(1.0, 2.0).normalise(1.3)),
        (0.1, lambda: grade_score("0.9", Scale.from_ends(ends=(1.0, 0.0)))),
        (0.3, lambda: grade_score(1.3, Scale.from_ends(ends=(1.0, 2.0)))),
        (0.7, lambda: majority([0.7, 0.7, 0.7], Scale.from_ends())),
        (0.7, lambda: majority([0.6, 0.7, 0.8], Scale.from_ends())),
        (0.8, lambda: points_of([(0.7, 1.0), (0.1, 1.0), (0.2, 0.0)]).shares[0]),
        (0.4, lambda: points_of([(0.1, float(met < 40)) for met in range(100)]).shares[0]),
        (0.1, lambda: met_of(0.9, -1.0)),
    ],
)
def test_every_score_made_of_scores_reaches_its_threshold(score: float, made: Callable[[], float | None]):
    assert made() == score


@given(st.integers(1, 100), st.integers(0, 100), st.integers(1, 15))
def test_equal_opinions_reach_the_threshold_that_they_are(of: int, part: int, count: int):
    share = min(part, of) / of
    assert reaches(mean_score([share] * count), share)


def test_scores_reach_their_own_thresholds_and_nan_none():
    passed = reaches(np.array([0.7, 0.69, np.nan, 0.2]), np.array([0.7, 0.7, 0.7, 0.1]))
    assert passed.tolist() == [True, False, False, True]
    assert reaches(0.7, 0.7)
    assert not reaches(float("nan"), 0.1)
