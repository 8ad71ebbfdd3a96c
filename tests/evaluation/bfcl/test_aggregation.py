"""Summary scores: means, weights, and what counts for a category that is missing."""

from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.evaluation.bfcl.aggregation import summarise
from fiducial.evaluation.bfcl.category_scores import CategoryScore, CategoryTally
from fiducial.formats.bfcl import CATEGORIES


def scores(**counts: tuple[int, int]) -> dict[str, CategoryScore]:
    return {name: CategoryScore(CATEGORIES[name], CategoryTally(*count)) for name, count in counts.items()}


ALL = scores(
    **{name: (1, 2) for name, category in CATEGORIES.items() if category.group != "retired"}
    | {
        "simple_python": (4, 4),
        "simple_java": (1, 4),
        "simple_javascript": (1, 4),
        "live_simple": (3, 3),
        "live_multiple": (0, 1),
        "live_parallel": (0, 1),
        "live_parallel_multiple": (0, 1),
        "irrelevance": (1, 1),
        "live_irrelevance": (0, 9),
        "memory_kv": (1, 1),
        "memory_vector": (1, 1),
    }
)


@each_row(
    ("name", "value"),
    [
        ("simple", 0.5),
        ("non_live", 0.5),
        ("live", 0.5),
        ("irrelevance", 0.5),
        ("relevance", 0.5),
        ("multi_turn", 0.5),
        ("web_search", 0.5),
        ("memory", 5 / 6),
        ("agentic", (0.5 + 5 / 6) / 2),
        ("overall", 0.6 * 0.5 + 0.4 * (0.5 + 5 / 6) / 2),
    ],
)
def test_plain_means_everywhere_but_in_live_and_in_the_overall_score(name: str, value: float):
    accuracy = getattr(summarise(ALL), name)
    assert accuracy.value == pytest.approx(value)
    assert accuracy.available


def test_live_weighs_categories_by_their_answers():
    live = summarise(scores(live_simple=(9, 9), live_multiple=(0, 1))).live
    missing = CATEGORIES["live_parallel"].size + CATEGORIES["live_parallel_multiple"].size
    assert live.value == pytest.approx(9 / (10 + missing))
    assert live.count == 10 + missing


def test_a_missing_category_counts_as_0_and_makes_its_summaries_unavailable():
    summary = summarise({name: score for name, score in ALL.items() if name != "simple_java"})
    assert summary.simple.value == pytest.approx((1 + 0.25) / 3)
    assert not summary.simple.available
    assert not summary.non_live.available
    assert summary.live.available
    assert not summary.overall.available
    assert summary.overall.always().available


def test_relevance_is_shown_but_counts_nowhere():
    without = {name: score for name, score in ALL.items() if name != "live_relevance"}
    assert summarise(without).overall == summarise(ALL).overall


def test_undecided_answers_leave_the_lower_bound():
    half_open = {"memory_kv": CategoryScore(CATEGORIES["memory_kv"], CategoryTally(3, 3), undecided=1)}
    accuracy = summarise(ALL | half_open).categories["memory_kv"]
    assert (accuracy.value, accuracy.count, accuracy.available) == (0.75, 4, False)
