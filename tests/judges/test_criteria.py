"""The formula of rubrics, beside one that was written from HealthBench's own source."""

from __future__ import annotations

import math
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judges.criteria import criteria_of, question_cases, question_ids
from fiducial.records import Case
from fiducial.records.rubric_points import clipped, met_of, points_of, tag_names

POINTS = st.integers(-10, 10).filter(bool)
ITEM = st.lists(st.tuples(POINTS, st.booleans()), min_size=1, max_size=12)


def healthbench_score(item: list[tuple[int, bool]]) -> float | None:
    """As `calculate_score` of `simple-evals/healthbench_eval.py` does it."""
    total_possible_points = sum(points for points, _ in item if points > 0)
    if total_possible_points == 0:
        return None
    achieved_points = sum(points for points, met in item if met)
    return achieved_points / total_possible_points


@given(ITEM)
def test_points_over_positive_points_are_as_in_the_original(item: list[tuple[int, bool]]):
    points = points_of((points, float(met)) for points, met in item)
    expected = healthbench_score(item)
    if expected is None:
        assert points.possible == 0
    else:
        assert points.shares == (expected, expected)


@given(ITEM, st.data())
def test_bounds_hold_whatever_the_ungraded_criteria_are(item: list[tuple[int, bool]], data: st.DataObject):
    known = data.draw(st.lists(st.booleans(), min_size=len(item), max_size=len(item)))
    points = points_of(
        (points, float(met) if told else None) for (points, met), told in zip(item, known, strict=True)
    )
    whole = points_of((points, float(met)) for points, met in item)
    assert points.low <= whole.low <= points.high
    every = [
        sum(points for points, _ in item if points < 0),
        sum(points for points, _ in item if points > 0),
    ]
    if not any(known):
        assert [points.low, points.high] == every


def test_worked_examples_of_the_paper():
    """A met negative criterion loses 7 of 10 points; a negative total; the mean, clipped."""
    first = points_of([(5, 1.0), (5, 1.0), (-7, 1.0)]).shares[0]
    second = points_of([(2, 0.0), (-6, 1.0)]).shares[0]
    assert (first, second) == (pytest.approx(0.3), -3.0)
    assert clipped(mean([first, second])) == 0.0
    assert clipped(mean([first, clipped(second)])) != clipped(mean([first, second]))


@pytest.mark.parametrize(
    ("score", "points", "met"), [(1.0, 5, 1.0), (1.0, -5, 0.0), (0.0, -5, 1.0), (None, -5, None)]
)
def test_a_good_verdict_on_a_bad_criterion_means_that_it_is_not_met(
    score: float | None, points: float, met: float | None
):
    assert met_of(score, points) == met


def rubric(*texts: str, **more: Any) -> Case:
    return Case(id="c", kind="open_answer", reference={"criteria": [{"text": text} for text in texts]} | more)


def test_each_criterion_has_a_case_of_its_own_even_where_two_are_alike():
    cases = question_cases(rubric("One.", "Two.", "One."))
    assert len({case.id for case in cases}) == 3
    assert all(case.id.startswith("c#") for case in cases)
    assert cases[2].id == f"{cases[0].id}.1"
    assert [case.reference["criterion"] for case in cases] == ["One.", "Two.", "One."]
    assert question_ids("d", ["k", "k"]) == ["d#k", "d#k.1"]


def test_a_single_criterion_is_worth_a_point():
    (only,) = criteria_of(Case(id="c", kind="open_answer", reference={"criterion": "One."}))
    assert (only.text, only.points) == ("One.", 1)
    assert criteria_of(Case(id="c", kind="open_answer")) == []


def test_tags_are_names_or_values_by_name():
    assert tag_names(["axis:a", "axis:b", "plain", "plain"]) == ["axis:a", "axis:b", "plain"]
    assert tag_names({"axis": "a", "level": 2}) == ["axis:a", "level:2"]


def test_shares_of_no_positive_points_are_undefined():
    with pytest.raises(ZeroDivisionError):
        _ = points_of([(-5, 1.0)]).shares
    assert math.isfinite(points_of([]).possible)
