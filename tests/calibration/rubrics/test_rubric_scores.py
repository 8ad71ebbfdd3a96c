"""Scores by rubrics, with judges whose errors are known."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.rubrics.rubric_scores import (
    JudgedCriterion,
    JudgedRubric,
    judges_on_criteria,
    rubric_of_judge,
)
from fiducial.calibration.rubrics.shrunken_rates import SuccessCount, shrink


def item(number: int, *criteria: JudgedCriterion, system: str = "a") -> JudgedRubric:
    return JudgedRubric(f"{number}|{system}|0", system, str(number), criteria)


def test_the_mean_over_items_is_clipped_as_a_whole_and_not_item_by_item():
    """As `_compute_clipped_stats` of simple-evals does it."""
    items = [
        item(1, JudgedCriterion("x", 5, met=1.0), JudgedCriterion("y", 5, met=1.0)),
        item(2, JudgedCriterion("x", 5, met=0.0), JudgedCriterion("z", -4, met=1.0)),
        item(3, JudgedCriterion("z", -4, met=1.0)),
    ]
    found = rubric_of_judge("j", items).systems[0]
    assert found.means[0].score.value == pytest.approx((1.0 - 0.8) / 2)
    assert found.means[0].score.n == found.means[0].items == 2
    assert [score.score for score in found.items] == [1.0, -0.8, None]
    alone = rubric_of_judge("j", items[1:]).systems[0].means[0].score
    assert alone.value == 0.0


def test_tags_have_means_over_their_own_criteria():
    items = [
        item(1, JudgedCriterion("x", 5, ("axis:a",), met=1.0), JudgedCriterion("y", 5, ("axis:b",), met=0.0)),
        item(
            2, JudgedCriterion("x", 5, ("axis:a",), met=1.0), JudgedCriterion("z", -5, ("axis:b",), met=1.0)
        ),
    ]
    means = {mean.tag: mean for mean in rubric_of_judge("j", items).systems[0].means}
    assert (means["axis:a"].score.value, means["axis:a"].items) == (1.0, 2)
    assert (means["axis:b"].score.value, means["axis:b"].items) == (0.0, 1)


def test_ungraded_criteria_give_bounds_and_are_in_no_mean():
    items = [
        item(1, JudgedCriterion("x", 6, met=1.0), JudgedCriterion("y", 2), JudgedCriterion("z", -4)),
        item(2, JudgedCriterion("x", 6, met=1.0)),
        item(3),
    ]
    found = rubric_of_judge("j", items).systems[0]
    mean = found.means[0]
    assert (mean.score.value, mean.score.n, mean.items, mean.ungraded) == (1.0, 1, 3, 2)
    assert mean.bounds == (pytest.approx((2 / 8 + 1 + 0) / 3), pytest.approx((8 / 8 + 1 + 1) / 3))
    assert found.items[0].bounds == (2 / 8, 8 / 8)
    assert found.items[2].score is None


def test_a_judges_errors_are_told_by_criterion_and_by_tag():
    criteria = [
        JudgedCriterion("x", 1, ("t",), met=1.0, label=1.0),
        JudgedCriterion("x", 1, ("t",), met=0.0, label=1.0),
        JudgedCriterion("y", 1, ("t",), met=1.0, label=0.0),
        JudgedCriterion("y", 1, (), met=0.0, label=0.0),
    ]
    found = rubric_of_judge("j", [item(number, each) for number, each in enumerate(criteria)], str.upper)
    assert found.agreement is not None
    assert (found.agreement.true_positive_rate.value, found.agreement.true_negative_rate.value) == (0.5, 0.5)
    assert {criterion.name: criterion.labelled for criterion in found.criteria} == {"X": 2, "Y": 2}
    (tag,) = found.tags
    assert (tag.labelled, tag.true_negative_rate.value) == (3, 0.0)


def test_without_labels_nothing_is_corrected():
    found = rubric_of_judge("j", [item(1, JudgedCriterion("x", 1, met=1.0))])
    assert found.agreement is None
    assert found.systems[0].means[0].corrected is None
    assert found.systems[0].items[0].expected is None


def test_a_judge_that_says_nothing_corrects_nothing():
    rng = np.random.default_rng(3)
    items = [
        item(number, JudgedCriterion("x", 1, met=float(rng.random() < 0.5), label=float(number % 2)))
        for number in range(400)
    ]
    corrected = rubric_of_judge("j", items).systems[0].means[0].corrected
    assert corrected is not None
    assert corrected.value is None or corrected.high == 1.0 or corrected.low == 0.0


def test_rates_of_few_labels_are_drawn_towards_those_of_all():
    rates = shrink(
        {
            "much": SuccessCount(90, 100),
            "little": SuccessCount(0, 2),
            "none": SuccessCount(0, 0),
            "half": SuccessCount(40, 50),
        }
    )
    assert rates is not None
    assert rates.rate("much") == pytest.approx(0.9, abs=0.03)
    assert rates.rate("none") == rates.rate("never seen") == pytest.approx(rates.pooled)
    assert 0.0 < rates.rate("little") < rates.pooled
    assert rates.weight("none") == 0.0
    assert rates.variance("much") < rates.variance("none")
    assert shrink({"none": SuccessCount(0, 0)}) is None


def test_alike_groups_share_one_rate_and_unlike_ones_keep_their_own():
    alike = shrink({str(number): SuccessCount(80, 100) for number in range(20)})
    unlike = shrink({str(number): SuccessCount(100 * (number % 2), 100) for number in range(20)})
    assert alike is not None
    assert unlike is not None
    assert alike.strength > 1000
    assert unlike.strength < 5
    assert unlike.rate("1") > 0.9


def simulated(rng: np.random.Generator) -> tuple[list[JudgedRubric], float]:
    """Draw a hundred items of five criteria out of thirty with different rates.

    A fifth of the verdicts have labels.
    """
    rates = rng.beta(18, 2, 30), rng.beta(16, 4, 30)
    prevalence = rng.uniform(0.3, 0.8, 30)
    points = rng.choice([-4, 2, 3, 5], 30)
    items: list[JudgedRubric] = []
    for number in range(100):
        chosen = [
            *rng.choice(np.flatnonzero(points > 0), 3, replace=False),
            *rng.choice(30, 2, replace=False),
        ]
        judged: list[JudgedCriterion] = []
        for fromkey in dict.fromkeys(map(int, chosen)):
            truth = rng.random() < prevalence[fromkey]
            met = rng.random() < (rates[0][fromkey] if truth else 1 - rates[1][fromkey])
            label = float(truth) if rng.random() < 0.2 else None
            judged.append(JudgedCriterion(str(fromkey), float(points[fromkey]), (), float(met), label))
        items.append(item(number, *judged))
    positive = np.flatnonzero(points > 0)
    return items, _true_mean(rng, positive, points, prevalence)


def _true_mean(
    rng: np.random.Generator, positive: np.ndarray, points: np.ndarray, prevalence: np.ndarray
) -> float:
    """The mean score of many items drawn likewise, with criteria met as they are in truth."""
    total = 0.0
    for _ in range(2000):
        chosen = dict.fromkeys(
            map(int, [*rng.choice(positive, 3, replace=False), *rng.choice(30, 2, replace=False)])
        )
        possible = sum(max(0, points[each]) for each in chosen)
        total += sum(points[each] * prevalence[each] for each in chosen) / possible
    return total / 2000


@pytest.mark.slow
def test_corrected_means_cover_the_truth_where_uncorrected_ones_do_not():
    rng = np.random.default_rng(11)
    corrected = plain = 0
    draws = 150
    for _ in range(draws):
        items, truth = simulated(rng)
        mean = rubric_of_judge("j", items).systems[0].means[0]
        assert mean.corrected is not None
        assert mean.corrected.low is not None
        assert mean.corrected.high is not None
        assert mean.score.low is not None
        assert mean.score.high is not None
        corrected += mean.corrected.low <= truth <= mean.corrected.high
        plain += mean.score.low <= truth <= mean.score.high
    assert 0.9 <= corrected / draws <= 1.0
    assert plain < corrected


def test_two_judges_are_compared_on_the_labelled_criteria_that_both_judged():
    def said(*met: float | None) -> list[JudgedRubric]:
        return [
            item(number, JudgedCriterion("x", 1, met=each, label=None if number == 9 else 1.0))
            for number, each in enumerate(met)
        ]

    judges = {"a": said(1, 1, 1, 0, 1, 1, 1, 1, None, 1), "b": said(0, 0, 1, 1, 0, 0, 0, 0, 1, 1)}
    (pair,) = judges_on_criteria(judges)
    assert (pair.n, pair.a_only_right, pair.b_only_right) == (8, 6, 1)
    assert pair.difference.value == pytest.approx(5 / 8)
    assert pair.p == pytest.approx(2 * (1 + 7) / 2**7)
    assert judges_on_criteria({"a": said(1)}) == []
