"""Bounds of a gate: what ungraded outputs, trials and clusters do to its ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from each_row import each_row
from scipy.special import ndtri, stdtrit

from fiducial.calibration.gating.gate_bounds import (
    GatedRow,
    GatedScores,
    answer_of,
    combined_answer,
    corrected_bounds,
    drop_bounds,
    gated_scores,
    more_cases,
    rate_bounds,
    shifted_bounds,
    trial_bounds,
)
from fiducial.calibration.gating.gate_results import GateBounds
from fiducial.calibration.statistic import Statistic


def cases(passed: int, failed: int, ungraded: int = 0) -> GatedScores:
    grades = [1.0] * passed + [0.0] * failed + [None] * ungraded
    return gated_scores(GatedRow(f"c{i:04}", f"c{i:04}", each) for i, each in enumerate(grades))


def test_a_rate_passes_by_its_lower_end_and_fails_by_its_upper_one():
    bounds = rate_bounds(cases(90, 10))
    assert bounds.low == pytest.approx(0.8238, abs=1e-4)
    assert bounds.high == pytest.approx(0.9510, abs=1e-4)
    assert [answer_of(bounds, limit) for limit in (0.8, 0.9, 0.96)] == ["passes", "cannot tell", "fails"]


def test_ungraded_outputs_are_failures_below_and_passes_above():
    bounds = rate_bounds(cases(90, 10, 100))
    assert (bounds.value, bounds.n, bounds.of) == (0.9, 100, 200)
    assert bounds.low == rate_bounds(cases(90, 110)).low
    assert bounds.high == rate_bounds(cases(190, 10)).high


@pytest.mark.parametrize("n", [2, 10, 1_000])
def test_half_ungraded_never_passes_a_limit_above_one_half(n: int):
    assert answer_of(rate_bounds(cases(n, 0, n)), 0.5001) == "cannot tell"


def test_nothing_graded_is_never_an_answer():
    assert answer_of(rate_bounds(cases(0, 0, 5)), 0.0) == "cannot tell"
    assert answer_of(drop_bounds(cases(0, 0, 5), cases(5, 0)), -1.0) == "cannot tell"
    assert answer_of(trial_bounds(cases(0, 0, 5), 1), 0.0) == "cannot tell"
    assert combined_answer([]) == "cannot tell"


def test_a_case_weighs_one_whatever_its_trials():
    outputs = [GatedRow("easy", "easy", 1.0)] * 30 + [GatedRow("hard", "hard", 0.0)]
    assert rate_bounds(gated_scores(outputs)).value == 0.5


def test_a_drop_is_paired_and_its_ungraded_outputs_may_be_any():
    was, now = cases(39, 1), cases(20, 20)
    bounds = drop_bounds(was, now)
    assert bounds.value == pytest.approx(-19 / 40)
    assert answer_of(bounds, -0.02) == "fails"
    hidden = drop_bounds(was, cases(20, 0, 20))
    assert hidden.value == 0.0
    assert answer_of(hidden, -0.02) == "cannot tell"


def test_more_conditions_that_may_fail_ask_for_more_before_one_does():
    alone, among = (rate_bounds(cases(15, 15), conditions=literal) for literal in (1, 10))
    assert alone.low == among.low
    assert alone.high is not None
    assert among.high is not None
    assert alone.high < among.high


def test_pass_to_the_k_needs_k_trials_of_each_case():
    rows = [GatedRow(f"c{i}", f"c{i}", 1.0) for i in range(20) for _ in range(2)]
    assert answer_of(trial_bounds(gated_scores(rows), 2), 0.8) == "passes"
    assert answer_of(trial_bounds(gated_scores(rows), 3), 0.1) == "cannot tell"


def wilson(passed: int, n: int, z: float) -> tuple[float, float]:
    centre, half = passed + z**2 / 2, z * math.sqrt(passed * (n - passed) / n + z**2 / 4)
    return (centre - half) / (n + z**2), (centre + half) / (n + z**2)


def student(passed: int, n: int, tail: float) -> tuple[float, float]:
    return wilson(passed, n, -float(stdtrit(n - 1, tail)) * math.sqrt(n / (n - 1)))


@each_row(("conditions", "tail"), [(1, 0.02), (4, 0.005)])
def test_an_ungraded_trial_fails_pass_to_the_k_below_and_passes_above(conditions: int, tail: float):
    # Of 20 cases 12 pass twice, 5 once with an ungraded trial, and 3 fail once.
    second = [1.0] * 12 + [None] * 5 + [0.0] * 3
    rows = [GatedRow(f"c{i:02}", f"c{i:02}", each) for i, grade in enumerate(second) for each in (1.0, grade)]
    bounds = trial_bounds(gated_scores(rows), 2, conditions=conditions)
    assert (bounds.value, bounds.least, bounds.most) == (0.8, 12 / 20, 17 / 20)
    assert (bounds.level, bounds.high_level) == (0.96, pytest.approx(1 - 2 * tail))
    assert bounds.low is not None
    assert bounds.high is not None
    # Wilson's ends of 20 cases, or somewhat wider ones: a spread of 20 is known up to Student's quantile.
    assert student(12, 20, 0.02)[0] <= bounds.low <= wilson(12, 20, -ndtri(0.02))[0]
    assert wilson(17, 20, -ndtri(tail))[1] <= bounds.high <= student(17, 20, tail)[1]


def test_errors_of_a_judge_shift_all_that_ungraded_outputs_leave_open():
    bounds = rate_bounds(cases(60, 20, 20))
    wider = shifted_bounds(bounds, 0.05)
    assert bounds.low is not None
    assert bounds.high is not None
    assert (wider.low, wider.high) == pytest.approx((bounds.low - 0.05, bounds.high + 0.05))
    assert (wider.least, wider.most) == pytest.approx((0.6 - 0.05, 0.8 + 0.05))
    assert more_cases(bounds, 0.58) is not None
    assert more_cases(wider, 0.58) is None


def test_what_labels_corrected_covers_only_graded_outputs():
    wider = ndtri(0.98) / ndtri(0.975)
    rate = Statistic(value=0.9, low=0.8, high=1.0, n=50)
    bounds = corrected_bounds(rate, 0.5, of=100)
    assert (bounds.low, bounds.high) == (pytest.approx(0.5 * (0.9 - 0.1 * wider)), 1.0)
    change = corrected_bounds(Statistic(value=0.0, low=-0.1, high=0.1, n=50), 0.5, of=100, ends=(-1.0, 1.0))
    assert (change.low, change.high) == pytest.approx((-0.5 - 0.05 * wider, 0.5 + 0.05 * wider))


@each_row(
    ("scores", "level"),
    [
        (cases(9, 3), 0.95),
        (gated_scores(GatedRow(f"c{n}", f"g{n // 2}", 1.0) for n in range(12)), 0.96),
        (gated_scores(GatedRow(f"c{n}", f"c{n}", n / 12) for n in range(12)), 0.96),
        (gated_scores(GatedRow(f"c{n}", f"c{n}", float(trial)) for n in range(12) for trial in (0, 1)), 0.96),
    ],
)
def test_intervals_by_approximation_have_a_level_to_spare(scores: GatedScores, level: float):
    for bounds in (rate_bounds(scores), drop_bounds(scores, scores)):
        assert (bounds.level, bounds.high_level) == (level, level)


def test_one_failure_fails_the_whole_and_doubt_keeps_it_from_passing():
    assert combined_answer(["passes", "cannot tell", "fails"]) == "fails"
    assert combined_answer(["passes", "cannot tell"]) == "cannot tell"
    assert combined_answer(["passes", "passes"]) == "passes"


def test_more_cases_tell_unless_the_value_is_the_limit_or_hidden_behind_ungraded_ones():
    needed = more_cases(rate_bounds(cases(85, 15)), 0.8)
    assert needed is not None
    assert (
        answer_of(
            rate_bounds(cases(round(0.85 * (100 + needed) * 1.1), round(0.15 * (100 + needed) * 1.1))), 0.8
        )
        == "passes"
    )
    assert more_cases(rate_bounds(cases(80, 20)), 0.8) is None
    assert more_cases(rate_bounds(cases(45, 5, 50)), 0.8) is None


def test_more_cases_count_what_ungraded_ones_add_to_the_spread():
    def change(count: int) -> GateBounds:
        ungraded = count // 40
        return drop_bounds(cases(count, 0), cases(count - ungraded, 0, ungraded))

    needed = more_cases(change(200), -0.05)
    assert needed is not None
    assert 50 < needed < 200
    assert answer_of(change(200 + needed), -0.05) == "passes"
    assert answer_of(change(200 + needed // 3), -0.05) == "cannot tell"


def test_clusters_widen_the_ends():
    score = np.repeat([1.0, 0.0], [80, 20])
    case = np.arange(100)
    alone, all_conditions = (
        rate_bounds(GatedScores(case, cluster, score, np.ones(100, np.bool_)))
        for cluster in (case, case // 10)
    )
    assert alone.low is not None
    assert all_conditions.low is not None
    assert all_conditions.low < alone.low
