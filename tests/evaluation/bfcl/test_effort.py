"""Latency and tokens."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fiducial.evaluation.bfcl.scores import Effort


def effort_of(*latencies: Any) -> Effort:
    effort = Effort()
    for latency in latencies:
        effort.add({"latency": latency})
    return effort


def test_turns_of_steps_count_step_by_step():
    assert list(effort_of(1.5, [[1, 2], [3]]).latencies) == [1.5, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("nothing", [0, None, "2", True, math.nan, math.inf, [], {"a": 1}])
def test_what_is_no_measurement_is_left_out(nothing: Any):
    assert list(effort_of(nothing, 2).latencies) == [2.0]


def test_statistics_are_those_of_a_sample():
    effort = effort_of(1, 2, 3, 4)
    assert effort.mean == 2.5
    assert effort.deviation == pytest.approx(math.sqrt(5 / 3))
    assert effort.percentile_95 == pytest.approx(3.85)


def test_one_measurement_has_no_deviation():
    effort = effort_of(2)
    assert (effort.mean, effort.deviation, effort.percentile_95) == (2.0, None, 2.0)


def test_no_measurement_has_nothing():
    effort = effort_of()
    assert (effort.mean, effort.deviation, effort.percentile_95) == (None, None, None)


def test_tokens_are_summed():
    effort = Effort()
    effort.add({"input_token_count": [[10, 20]], "output_token_count": 5})
    assert (effort.input_tokens, effort.output_tokens) == (30, 5)
