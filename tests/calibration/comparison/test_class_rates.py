"""Statistics that weigh both classes: known numbers, costs of errors, and the best by them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration import Settings, Table, compare, table_from_rows
from fiducial.calibration.comparison.class_rates import ErrorCosts, weighted_accuracy
from fiducial.calibration.comparison.difference import PairedRows, difference
from fiducial.calibration.intervals.closed_forms import normal_quantile, wilson_interval
from fiducial.calibration.intervals.special_intervals import tango_interval
from fiducial.calibration.sample import make_sample
from fiducial.calibration.statistic_catalogue import ESTIMATORS
from fiducial.errors import InputError, UsageError

BALANCED = ESTIMATORS["balanced_accuracy"]
LABEL = np.repeat([1.0, 0.0], [80, 20])
CAREFUL = np.concatenate([np.repeat([1.0, 0.0], [72, 8]), np.repeat([0.0, 1.0], [16, 4])])
"""Right on 72 of 80 good outputs and on 16 of 20 bad ones."""
LENIENT = np.ones(100)


def judged() -> Table:
    return table_from_rows(
        [
            {"item_id": f"i{n}", "judge": judge, "score": score, "label": LABEL[n]}
            for judge, scores in {"careful": CAREFUL, "lenient": LENIENT}.items()
            for n, score in enumerate(scores.tolist())
        ]
    )


def test_a_difference_by_class_combines_the_intervals_of_both_classes() -> None:
    found = difference(BALANCED, PairedRows(LABEL, CAREFUL, LENIENT), Settings()).estimate
    z = normal_quantile(0.95)
    good, bad = tango_interval(0.0, 8 / 80, 80, z), tango_interval(16 / 20, 0.0, 20, z)
    below, above = (
        math.hypot(side[0] - side[1], side[2] - side[3]) / 2
        for side in (
            (-0.1, good[0], 0.8, bad[0]),
            (good[1], -0.1, bad[1], 0.8),
        )
    )
    assert (found.value, found.low, found.high) == pytest.approx((0.35, 0.35 - below, 0.35 + above))


def test_the_p_of_a_difference_by_class_says_what_its_interval_says() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        first, second = (np.where(rng.random(100) < 0.8, LABEL, 1 - LABEL) for _ in range(2))
        tested = difference(BALANCED, PairedRows(LABEL, first, second), Settings())
        low, high = tested.estimate.low, tested.estimate.high
        assert low is not None
        assert high is not None
        assert tested.p is not None
        assert (tested.p <= 0.05) == (low > 0 or high < 0)


def test_equal_costs_are_the_accuracy_and_costs_inverse_to_frequencies_balance_it() -> None:
    sample = make_sample(LABEL, CAREFUL)
    for costs, name in (((1, 1), "accuracy"), ((7, 7), "accuracy"), ((80, 20), "balanced_accuracy")):
        value = weighted_accuracy(ErrorCosts(*costs)).formula(sample.counts, sample.cells)
        assert value == pytest.approx(ESTIMATORS[name].formula(sample.counts, sample.cells))


def test_costs_weigh_the_errors_of_judges_and_of_baselines() -> None:
    found = compare(judged(), statistic=ErrorCosts(5, 1))
    assert (found.statistic, found.error_costs) == ("weighted_accuracy", (5, 1))
    # All errors would cost 20 x 5 + 80 x 1 = 180.
    values = {name: each.rate.value for name, each in found.contenders.items()}
    assert values == pytest.approx({"careful": 1 - (4 * 5 + 8) / 180, "lenient": 1 - 100 / 180})
    assert [statistic.value for statistic in found.baselines_compared.values()] == pytest.approx(
        [80 / 180, 100 / 180]
    )
    assert found.best is not None
    assert found.best.name == "careful"


def test_a_judge_above_chance_that_costs_more_than_passing_everything_is_never_the_best() -> None:
    found = compare(judged(), statistic=ErrorCosts(1, 50))
    assert found.contenders["careful"].not_above_chance is None
    assert (found.contenders["careful"].not_above, found.best) == ("always_pass", None)


def test_judges_are_compared_by_balanced_accuracy_if_labels_have_both_classes() -> None:
    found = compare(judged())
    assert (found.statistic, found.best and found.best.name) == ("balanced_accuracy", "careful")
    (pair,) = found.pairs
    # 88 and 80 of 100 are right: counts and their tests are of accuracy.
    assert (pair.a_only_right, pair.b_only_right) == (16, 8)
    assert pair.midp == compare(judged(), statistic="accuracy").pairs[0].p
    one_class = judged().take(np.isfinite(judged().label) & (judged().label == 1.0))
    assert compare(one_class).statistic == "accuracy"


def test_the_interval_of_each_judge_holds_for_all_at_once() -> None:
    found = compare(judged(), statistic="accuracy").contenders["careful"].simultaneous
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson_interval(0.88, 100, 1 - 0.05 / 2))
    assert found.level == 0.95


def test_systems_have_no_costs_of_errors_and_nothing_without_labels_has() -> None:
    with pytest.raises(UsageError, match="weighs errors of judges"):
        compare(judged(), right="score", statistic=ErrorCosts(5, 1))
    systems = table_from_rows([{"item_id": "i", "judge": "j", "system": "s", "score": 1, "label": 1}])
    with pytest.raises(InputError, match="measures agreement"):
        compare(systems, by="system", statistic=ErrorCosts(5, 1))
