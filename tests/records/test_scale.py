"""Scales of scores: which numbers they have, and where those lie between worst and best."""

from __future__ import annotations

import pytest

from fiducial.records.scale import UNDECLARED_SCALE, Scale, judge_scale, named_judges


@pytest.mark.parametrize("scale", [Scale(0.1, 0.4, 0.3), Scale(0, 1, 1), Scale(-0.1, 0.2, 0.3)])
def test_two_scores_are_two_whatever_rounding_makes_of_their_distance(scale: Scale):
    assert scale.is_binary
    assert str(scale) == f"{scale.minimum:g} or {scale.maximum:g}"


@pytest.mark.parametrize("scale", [Scale(1, 5, 2), Scale(0, 1, 0.5), Scale(0, 1)])
def test_more_than_two_scores_are_not_binary(scale: Scale):
    assert not scale.is_binary


def test_a_score_in_steps_is_the_number_that_is_written() -> None:
    low_is_best = Scale(0, 1, 0.1, "low")
    assert [low_is_best.normalise(index / 10) for index in range(11)] == [
        index / 10 for index in range(10, -1, -1)
    ]
    high_is_best = Scale(0, 1, 0.1)
    assert [high_is_best.normalise(high_is_best.nearest(index / 10)) for index in range(11)] == [
        index / 10 for index in range(11)
    ]


@pytest.mark.parametrize(
    ("minimum", "maximum", "step"),
    [
        (1, 1, None),
        (5, 1, None),
        (0, 1, 0),
        (0, 1, 0.3),
        (0, 1, 1e-7),
        (0, float("inf"), None),
        (-1e308, 1e308, None),
        (1, 10**400, None),
        (0.0, 10**400, None),
        (0, 1, 10**400),
    ],
)
def test_numbers_that_make_no_scale_are_refused(minimum: float, maximum: float, step: float | None):
    with pytest.raises(ValueError, match=r"."):
        Scale(minimum, maximum, step)


def test_a_scale_is_declared_by_its_worst_and_its_best_score():
    low_is_best = Scale.from_ends((5, 1))
    assert (low_is_best.minimum, low_is_best.maximum, low_is_best.better) == (1, 5, "low")
    assert low_is_best.ends == (5, 1)
    assert low_is_best.flipped == Scale.from_ends((1, 5))
    assert Scale.from_ends((5, 1), step=1) == Scale(1, 5, 1, "low")
    assert Scale.from_ends() == UNDECLARED_SCALE
    assert UNDECLARED_SCALE.is_unit


def test_a_threshold_says_what_numbers_mean_and_words_alone_do_not():
    assert Scale.from_ends(pass_at=70).reads_numbers
    assert not Scale.from_ends(words={"fine": 1.0}).reads_numbers


def test_a_judge_without_a_scale_has_that_of_all_others():
    points, grades = Scale.from_ends((0, 100)), Scale.from_ends((1, 5))
    scales = {"": points, "strict": grades}
    assert [judge_scale(scales, judge) for judge in ("strict", "lax", "")] == [grades, points, points]
    assert judge_scale({}, "lax") == UNDECLARED_SCALE
    assert named_judges(scales) == ["strict"]
