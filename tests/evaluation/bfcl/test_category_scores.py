"""The first line of a score file; latency and tokens."""

from __future__ import annotations

import math
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic import PASSED, Finding, fault, undecided
from fiducial.evaluation.bfcl.category_scores import CategoryScore, CategoryTally, Effort, spread
from fiducial.formats.bfcl import CATEGORIES, CONFIGURATIONS

WRONG = fault("value_error:string", "wrong")


def score_of(category: str, *findings: tuple[str, Finding]) -> CategoryScore:
    score = CategoryScore(CATEGORIES[category])
    for entry_id, finding in findings:
        score.add(entry_id, finding)
    return score


def test_accuracy_is_an_unrounded_fraction():
    score = score_of("simple_python", ("a_0", PASSED), ("a_1", WRONG), ("a_2", WRONG))
    assert score.header() == {"accuracy": 1 / 3, "correct_count": 1, "total_count": 3}


def test_undecided_answers_are_neither_right_nor_wrong():
    score = score_of("live_relevance", ("a_0", PASSED), ("a_1", undecided("open")))
    assert score.header() == {"accuracy": 1.0, "correct_count": 1, "total_count": 1, "undecided_count": 1}
    assert score.bounds == (0.5, 1.0)


def test_a_category_with_nothing_decided_has_no_accuracy():
    assert score_of("live_relevance", ("a_0", undecided("open"))).header()["accuracy"] is None


def test_format_sensitivity_adds_every_configuration_in_order_of_appearance():
    first, second = CONFIGURATIONS[5].id, CONFIGURATIONS[2].id
    score = score_of(
        "format_sensitivity",
        (f"format_sensitivity_0:{first}:simple_python_0", PASSED),
        (f"format_sensitivity_1:{second}:simple_python_0", WRONG),
        (f"format_sensitivity_2:{first}:simple_python_2", WRONG),
    )
    header = score.header()
    assert list(header)[3:] == ["accuracy_max_delta", "accuracy_variance", "accuracy_std", first, second]
    assert header[first] == {"accuracy": 0.5, "correct_count": 1, "total_count": 2}


def test_spread_is_in_percent_points_of_the_sample():
    spreads = spread({"a": CategoryTally(1, 2), "b": CategoryTally(3, 4), "c": CategoryTally(4, 4)})
    assert spreads == {"accuracy_max_delta": 50.0, "accuracy_variance": 625.0, "accuracy_std": 25.0}


def test_one_configuration_has_no_spread():
    assert set(spread({"a": CategoryTally(1, 2)}).values()) == {0.0}


def effort_of(*latencies: Any) -> Effort:
    effort = Effort()
    for latency in latencies:
        effort.add({"latency": latency})
    return effort


def test_turns_of_steps_count_step_by_step():
    assert list(effort_of(1.5, [[1, 2], [3]]).latencies) == [1.5, 1.0, 2.0, 3.0]


@each_row("nothing", [0, None, "2", True, math.nan, math.inf, [], {"a": 1}])
def test_what_is_no_measurement_is_left_out(nothing: Any):
    assert list(effort_of(nothing, 2).latencies) == [2.0]


def test_statistics_are_those_of_a_sample():
    effort = effort_of(1, 2, 3, 4)
    assert effort.mean == 2.5
    assert effort.deviation == pytest.approx(math.sqrt(5 / 3))
    assert effort.percentile_95 == pytest.approx(3.85)


def test_one_measurement_has_no_deviation_and_none_has_nothing():
    for effort, expected in ((effort_of(2), (2.0, None, 2.0)), (effort_of(), (None, None, None))):
        assert (effort.mean, effort.deviation, effort.percentile_95) == expected


def test_tokens_are_summed():
    effort = Effort()
    effort.add({"input_token_count": [[10, 20]], "output_token_count": 5})
    assert (effort.input_tokens, effort.output_tokens) == (30, 5)
