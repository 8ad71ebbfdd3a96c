"""May a judge stand in for annotators? A test with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtr

from fiducial.calibration.agreement.alt_test import alt_test
from fiducial.calibration.arrays import FloatArray


def annotators(
    chance: np.random.Generator, items: int, accuracies: list[float]
) -> tuple[FloatArray, FloatArray]:
    """The truth, and annotators who are right so often."""
    truth = chance.integers(0, 2, items).astype(np.float64)
    columns = [np.where(chance.random(items) < accuracy, truth, 1 - truth) for accuracy in accuracies]
    return truth, np.stack(columns, axis=1)


def test_a_judge_that_is_always_right_beats_people_who_are_not():
    truth, people = annotators(np.random.default_rng(0), 200, [0.8, 0.8, 0.8])
    found = alt_test(people, truth)
    assert (found.winning_rate, found.passes) == (1.0, True)
    assert found.advantage is not None
    assert found.advantage > 0.8


def test_a_coin_does_not_pass():
    chance = np.random.default_rng(1)
    _, people = annotators(chance, 200, [0.9, 0.9, 0.9])
    found = alt_test(people, chance.integers(0, 2, 200).astype(np.float64))
    assert (found.winning_rate, found.passes) == (0.0, False)


def test_a_judge_that_is_like_the_annotators_wins_only_by_the_handicap():
    chance = np.random.default_rng(2)
    truth, people = annotators(chance, 2_000, [0.9, 0.9, 0.9, 0.9])
    judge = np.where(chance.random(2_000) < 0.9, truth, 1 - truth)
    assert alt_test(people, judge, epsilon=0.0).winning_rate == 0.0
    assert alt_test(people, judge, epsilon=0.1).winning_rate == 1.0


def test_the_single_tests_are_one_sided_t_tests_on_who_is_nearer_to_the_others():
    chance = np.random.default_rng(3)
    truth, people = annotators(chance, 60, [0.8, 0.8])
    (first, _) = alt_test(people, truth, epsilon=0.2).annotators
    judge_ahead = truth == people[:, 1]  # of two annotators, the other one is all there is to be near to
    own_ahead = people[:, 0] == people[:, 1]
    ahead = np.where(judge_ahead == own_ahead, 1.0, judge_ahead)
    behind = np.where(judge_ahead == own_ahead, 1.0, own_ahead)
    gap: FloatArray = behind - ahead
    t = (float(gap.mean()) - 0.2) / (float(gap.std(ddof=1)) / math.sqrt(60))
    away = gap - gap.mean()
    skewness = float((away**3).mean()) / float((away**2).mean()) ** 1.5 / math.sqrt(60)
    hall = float(t + skewness * t**2 / 3 + skewness * skewness * t**3 / 27 + skewness / 6)
    assert first.p == pytest.approx(float(stdtr(59.0, hall)))
    assert first.judge_ahead == pytest.approx(ahead.mean())


def test_annotators_with_few_items_are_left_out_and_named():
    truth, people = annotators(np.random.default_rng(4), 100, [0.8, 0.8, 0.8])
    people[20:, 2] = np.nan
    found = alt_test(people, truth)
    assert found.left_out == [2]
    assert found.left_out_items == [20]
    assert [test.annotator for test in found.annotators] == [0, 1]


def test_without_anyone_to_test_there_is_no_rate():
    found = alt_test(np.full((10, 2), np.nan), np.ones(10))
    assert (found.winning_rate, found.advantage, found.passes) == (None, None, False)


def test_no_difference_on_any_item_is_weighed_by_how_many_items_there_are():
    people = np.ones((40, 2))
    (test, _) = alt_test(people, np.ones(40), epsilon=0.1).annotators
    assert test.p == pytest.approx(0.9**40)
    assert alt_test(people, np.ones(40), epsilon=0.0).winning_rate == 0.0


def test_items_of_a_cluster_are_no_independent_evidence():
    chance = np.random.default_rng(6)
    alarms = {"clusters": 0, "items": 0}
    cluster = np.repeat(np.arange(20), 5)
    for _ in range(300):
        # The judge is at the handicap on average, and right or wrong on whole clusters.
        people = (chance.random((100, 2)) < 0.9).astype(np.float64)
        judge = (chance.random(100) < chance.beta(0.31, 0.09, size=20)[cluster]).astype(np.float64)
        for name, of in (("clusters", cluster), ("items", None)):
            p = alt_test(people, judge, epsilon=0.1, cluster=of).annotators[0].p
            alarms[name] += p is not None and p <= 0.05
    assert alarms["clusters"] / 300 <= 0.08 < alarms["items"] / 300


def test_items_of_one_cluster_say_nothing():
    truth, people = annotators(np.random.default_rng(7), 60, [0.8, 0.8])
    (test, _) = alt_test(people, truth, cluster=np.zeros(60, dtype=np.int64)).annotators
    assert (test.p, test.rejected, test.n_clusters) == (None, False, 1)


def test_graded_annotations_are_compared_by_how_near_they_are():
    chance = np.random.default_rng(5)
    truth = chance.random(200)
    people = np.stack([truth + chance.normal(0, 0.2, 200) for _ in range(3)], axis=1)
    assert alt_test(people, truth, likeness="near").passes
    assert not alt_test(people, 1 - truth, likeness="near").passes
