"""Rates of small groups: the posterior of each, and of sums of them."""

from __future__ import annotations

import pytest
from lazily import Lazily

from fiducial.calibration.rubrics.shrunken_rates import JudgeRates, ShrunkenRates, SuccessCount, shrink

stats = Lazily("scipy.stats")

RATES = ShrunkenRates(0.8, 10.0, 0.004, {"often": SuccessCount(12, 20), "seldom": SuccessCount(1, 2)})
NEGATIVE = ShrunkenRates(0.9, 10.0, 0.001, {})


@pytest.mark.parametrize(
    ("group", "successes", "trials"), [("often", 12, 20), ("seldom", 1, 2), ("never", 0, 0)]
)
def test_a_groups_rate_is_the_mean_of_its_beta_posterior(group: str, successes: float, trials: float):
    posterior = stats.beta(8 + successes, 2 + trials - successes)
    assert RATES.rate(group) == pytest.approx(float(posterior.mean()))
    assert RATES.variance(group) == pytest.approx(float(posterior.var()))
    assert RATES.weight(group) == pytest.approx(trials / (trials + 10))


def test_the_error_of_the_overall_rate_is_shared_by_all_groups():
    alone = RATES.variance_of_sum({"often": 2.0})
    assert alone == pytest.approx(4 * RATES.variance("often") + (2 * 10 / 30) ** 2 * 0.004)
    both = RATES.variance_of_sum({"often": 2.0, "never": -1.0})
    independent = 4 * RATES.variance("often") + RATES.variance("never")
    assert both == pytest.approx(independent + (2 * 10 / 30 - 1) ** 2 * 0.004)


def test_groups_without_trials_do_not_count_for_the_overall_rate():
    found = shrink({"a": SuccessCount(3, 4), "none": SuccessCount()})
    assert found is not None
    assert found.pooled == pytest.approx(3.5 / 5)
    assert found.counts.keys() == {"a"}


def test_what_a_verdict_says_of_a_criterion_follows_from_both_rates():
    judge = JudgeRates(RATES, NEGATIVE)
    tpr, fpr = judge.of("often")[0], 0.1
    assert judge.informedness("often") == pytest.approx(tpr - fpr)
    assert [judge.truth("often", score) for score in (fpr, tpr)] == pytest.approx([0.0, 1.0])
    assert judge.chance("often", met=True) == pytest.approx(tpr / (tpr + fpr))
    assert judge.chance("often", met=False) == pytest.approx((1 - tpr) / (1 - tpr + 0.9))
