from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.intervals.closed_forms import t_quantile, wilson_interval
from fiducial.calibration.intervals.clustered_rates import share_of
from fiducial.calibration.repeated_trials import Trials, judge_errors, trial_rate
from fiducial.calibration.trial_rates import RATES


def trials_of(
    passes: list[list[float]], judged: bool = False, labels: list[list[float]] | None = None
) -> Trials:
    case = np.repeat(np.arange(len(passes)), [len(each) for each in passes])
    flat = np.array([value for each in passes for value in each])
    label = np.full(len(flat), np.nan) if labels is None else np.array([v for each in labels for v in each])
    return Trials(case, case, flat, np.full(len(flat), judged), label)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=6), min_size=2, max_size=5),
    st.integers(1, 3),
)
def test_rates_are_the_means_over_all_choices_of_k_trials(passes: list[list[float]], k: int):
    every = [list(combinations(each, k)) for each in passes]
    all_pass = [np.mean([all(some) for some in choices]) for choices in every]
    one_passes = [np.mean([any(some) for some in choices]) for choices in every]
    trials = trials_of(passes)
    assert trial_rate("pass^k", k, trials).value == pytest.approx(np.mean(all_pass))
    assert trial_rate("pass@k", k, trials).value == pytest.approx(np.mean(one_passes))


def test_pass_at_k_is_the_estimator_of_the_paper():
    n, c, k = 10, 3, 4
    found = trial_rate("pass@k", k, trials_of([[1.0] * c + [0.0] * (n - c), [0.0] * n]))
    assert found.value == pytest.approx((1 - comb(n - c, k) / comb(n, k)) / 2)


def test_cases_with_fewer_trials_do_not_count():
    found = trial_rate("pass^k", 2, trials_of([[1.0], [1.0, 1.0], [0.0, 1.0]]))
    assert (found.value, found.n) == (0.5, 2)
    assert trial_rate("pass^k", 3, trials_of([[1.0], [1.0, 1.0]])).undefined == "no case has 3 graded trials"


def test_a_flawless_judge_is_not_corrected():
    passes = [[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0] * 4, [0.0] * 4]
    trials = trials_of(passes, judged=True, labels=passes)
    errors = judge_errors(trials)
    assert errors is not None
    assert (errors.tpr, errors.fpr) == (1.0, 0.0)
    for rate in ("pass^k", "pass@k"):
        corrected, plain = (trial_rate(rate, 2, trials, by) for by in (errors, None))
        assert corrected.value == pytest.approx(plain.value)
        assert corrected.low is not None
        assert plain.low is not None


def test_a_judge_without_right_and_wrong_labels_corrects_nothing():
    assert judge_errors(trials_of([[1.0, 1.0]], judged=True, labels=[[1.0, 1.0]])) is None


def test_a_judge_that_tells_nothing_apart_leaves_the_rate_undefined():
    passes, labels = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]
    trials = trials_of(passes, judged=True, labels=labels)
    found = trial_rate("pass^k", 2, trials, judge_errors(trials))
    assert found.value is None
    assert found.undefined == "the judge does not tell right from wrong trials"


def test_the_correction_removes_the_bias_of_a_judge_that_errs():
    rng, cases, n, k = np.random.default_rng(3), 3_000, 6, 4
    chance = rng.beta(3, 1, cases)
    case = np.repeat(np.arange(cases), n)
    truth = (rng.random(cases * n) < chance[case]).astype(float)
    said = (rng.random(cases * n) < np.where(truth == 1, 0.95, 0.1)).astype(float)
    trials = Trials(case, case, said, np.full(cases * n, True), truth)
    wanted = 3 / (3 + k)  # the k-th moment of that distribution
    naive, corrected = (trial_rate("pass^k", k, trials, by) for by in (None, judge_errors(trials)))
    assert naive.value == pytest.approx(wanted - 0.05, abs=0.02)
    assert corrected.value == pytest.approx(wanted, abs=0.02)
    assert corrected.low is not None
    assert corrected.high is not None
    assert naive.high is not None
    assert corrected.low < wanted < corrected.high
    assert naive.high < wanted


def test_checked_trials_are_taken_as_they_are_beside_judged_ones():
    passes = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    trials = trials_of(passes)
    half = trials._replace(
        judged=np.tile([True, False, False], 4), label=np.tile([1.0, np.nan, np.nan], 4)
    )._replace(label=np.array([1.0, np.nan, np.nan] * 2 + [1.0, np.nan, np.nan] + [0.0, np.nan, np.nan]))
    assert judge_errors(half) is None  # one wrong label is too few
    assert trial_rate("pass^k", 2, half).value == trial_rate("pass^k", 2, trials).value


def checked(passes: list[list[float]] | np.ndarray) -> Trials:
    return trials_of([list(each) for each in passes])


def test_one_trial_has_the_interval_of_the_pass_rate_of_all_trials():
    passes = (np.random.default_rng(3).random((24, 5)) < 0.9).astype(float)
    whole = share_of(passes.ravel(), np.repeat(np.arange(24), 5))
    for rate in RATES:
        found = trial_rate(rate, 1, checked(passes))
        assert (found.value, found.low, found.high) == pytest.approx(
            (whole.value, whole.low, whole.high), abs=2e-3
        )


def test_intervals_of_checked_trials_hold_the_truth_as_often_as_they_say():
    rng, held = np.random.default_rng(5), {1: 0, 2: 0}
    for _ in range(300):
        trials = checked((rng.random((24, 5)) < rng.beta(18, 2, (24, 1))).astype(float))
        for k, truth in ((1, 0.9), (2, 0.9 * 19 / 21)):
            found = trial_rate("pass^k", k, trials)
            assert found.low is not None
            assert found.high is not None
            held[k] += found.low <= truth <= found.high
    assert all(0.92 <= count / 300 <= 0.98 for count in held.values()), held


def test_labels_of_cases_with_too_few_trials_count_for_the_error_of_the_judge():
    """Cases of four trials have no label; the labels are of cases with one trial."""
    rng, covered = np.random.default_rng(0), 0
    for _ in range(200):
        chance = np.where(rng.random(120) < 0.7, 0.9, 0.2)
        case = np.concatenate([np.repeat(np.arange(60), 4), np.arange(60, 120)])
        truth = rng.random(len(case)) < chance[case]
        passed = (rng.random(len(case)) < np.where(truth, 0.85, 0.25)).astype(float)
        label = np.where(case < 60, np.nan, truth)
        trials = Trials(case, case, passed, np.full(len(case), True), label)
        rate = trial_rate("pass^k", 2, trials, judge_errors(trials))
        assert rate.low is not None
        assert rate.high is not None
        covered += rate.low <= 0.7 * 0.81 + 0.3 * 0.04 <= rate.high
    assert covered >= 187


@pytest.mark.parametrize("labels", [2, 4, 40])
def test_a_judge_without_an_error_in_few_labels_is_not_taken_for_one_that_never_errs(labels: int):
    """The interval by hand: half of the trials pass, and none of ``labels`` a class was judged wrong."""
    n = 20 + 2 * labels
    passed = np.tile([1.0, 0.0], n // 2)
    label = np.concatenate([np.full(20, np.nan), passed[20:]])
    trials = Trials(np.arange(n), np.arange(n), passed, np.full(n, True), label)
    found = trial_rate("pass^k", 1, trials, judge_errors(trials))
    smoothed = 1 / (labels + 2)
    of_a_rate = smoothed * (1 - smoothed) / labels
    variance = 0.25 / (n - 1) + 2 * 0.5**2 * of_a_rate
    expected = wilson_interval(0.5, 0.25 / variance, z=t_quantile(0.95, n - 1))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)
