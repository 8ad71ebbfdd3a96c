"""DeLong's test of two areas, and Fisher's exact test."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import printed
from lazily import Lazily

from fiducial.calibration import Statistic, estimate, table_from_rows
from fiducial.calibration.comparison.significance import delong, fisher_one_sided, ranks, simultaneous_level

fisher_exact = Lazily("scipy.stats").fisher_exact

# The oracle has no types.
roc_auc_score = Lazily("sklearn.metrics").roc_auc_score


@pytest.mark.parametrize("table", [(3, 20, 10, 400), (0, 5, 3, 7), (5, 5, 0, 9)])
def test_fishers_test_equals_scipys(table: tuple[int, int, int, int]) -> None:
    first, first_n, second, second_n = table
    counts = np.array([[first, first_n - first], [second, second_n - second]])
    expected = fisher_exact(counts, alternative="greater")
    assert fisher_one_sided(*table) == pytest.approx(expected.pvalue, rel=1e-9)


def test_delong_areas_are_areas_and_equal_scores_do_not_differ() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(60) < 0.4
    first, second = rng.random(60) + right, rng.random(60).round(1)
    result = delong(right, first, second)
    assert result is not None
    assert result.areas == pytest.approx((roc_auc_score(right, first), roc_auc_score(right, second)))
    same = delong(right, first, first)
    assert same is not None
    assert (same.difference, same.p) == (0.0, None)


def test_the_variance_of_independent_rows_is_delongs() -> None:
    rng = np.random.default_rng(3)
    right = rng.random(70) < 0.5
    scores = [rng.random(70) + 0.5 * right for _ in range(2)]
    beats = [
        (score[right][:, None] > score[~right]) + 0.5 * (score[right][:, None] == score[~right])
        for score in scores
    ]
    gap = beats[0] - beats[1]
    variance = sum(gap.mean(axis=axis).var(ddof=1) / gap.shape[1 - axis] for axis in (0, 1))
    result = delong(right, scores[0], scores[1])
    assert result is not None
    assert result.standard_error == pytest.approx(np.sqrt(variance))


def test_delong_holds_its_level() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        right = rng.random(120) < 0.5
        tests = delong(right, rng.normal(size=120) + right, rng.normal(size=120) + right)
        alarms += tests is not None and tests.p is not None and tests.p <= 0.05
    assert 0.025 <= alarms / 400 <= 0.08


def test_delong_holds_its_level_over_clusters() -> None:
    rng = np.random.default_rng(5)
    cluster = np.repeat(np.arange(25), 6)
    alarms = {"clusters": 0, "rows": 0}
    for _ in range(400):
        right = (rng.normal(size=25)[cluster] + rng.normal(size=150)) > 0
        # Each judge has clusters that it gets wrong.
        scores = [right + rng.normal(size=25)[cluster] + rng.normal(size=150) for _ in range(2)]
        for name, of in (("clusters", cluster), ("rows", None)):
            found = delong(right, scores[0], scores[1], of)
            alarms[name] += found is not None and found.p is not None and found.p <= 0.05
    assert alarms["clusters"] / 400 <= 0.08
    assert alarms["rows"] / 400 > 0.09


def rate(value: float, half: float) -> Statistic:
    return Statistic(value=value, low=value - half, high=value + half, n=100)


def places(found: dict[str, Statistic]) -> dict[str, tuple[float | None, ...]]:
    return {name: (each.value, each.low, each.high) for name, each in found.items()}


def test_systems_whose_intervals_are_apart_have_one_place() -> None:
    found = ranks({"b": rate(0.5, 0.05), "a": rate(0.7, 0.05), "c": rate(0.3, 0.05)})
    assert places(found) == {"a": (1, 1, 1), "b": (2, 2, 2), "c": (3, 3, 3)}


def test_systems_whose_intervals_touch_may_change_places() -> None:
    found = ranks({"a": rate(0.7, 0.05), "b": rate(0.65, 0.05), "c": rate(0.3, 0.05)})
    assert places(found) == {"a": (1, 1, 2), "b": (2, 1, 2), "c": (3, 3, 3)}


def test_equal_systems_share_the_better_place() -> None:
    found = ranks({"a": rate(0.5, 0.1), "b": rate(0.5, 0.1)})
    assert places(found) == {"a": (1, 1, 2), "b": (1, 1, 2)}


def test_a_system_without_a_rate_has_no_rank() -> None:
    found = ranks({"a": rate(0.5, 0.1), "b": Statistic(n=0, undefined="no label")})
    assert found["b"].undefined == "the system's rate has no interval"
    assert found["a"].n == 1
    assert found["a"].undefined == "no other system's rate has an interval"


def test_a_system_without_a_rate_may_stand_above_any_other() -> None:
    found = ranks({"a": rate(0.7, 0.05), "b": rate(0.5, 0.05), "c": Statistic(n=0, undefined="no label")})
    assert places(found) == {"a": (1, 1, 2), "b": (2, 2, 3), "c": (None, None, None)}


def test_the_intervals_of_more_systems_must_each_be_surer() -> None:
    assert simultaneous_level(0.95, 1) == pytest.approx(0.95)
    assert simultaneous_level(0.95, 10) == pytest.approx(0.995)


def test_ranks_hold_together_as_often_as_they_say() -> None:
    truth = {"a": 0.6, "b": 0.55, "c": 0.4}
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(400):
        rates = {name: rng.binomial(200, share) / 200 for name, share in truth.items()}
        half = 2.394 * np.sqrt(0.25 / 200)  # the normal quantile at 1 - 0.05 / 3
        found = ranks({name: rate(float(value), float(half)) for name, value in rates.items()})
        wrong += any(
            not (found[name].low or 0) <= place <= (found[name].high or 0)
            for place, name in enumerate("abc", 1)
        )
    assert wrong / 400 <= 0.05


def test_estimates_by_system_are_ranked() -> None:
    rows = [
        {
            "item_id": f"{number}|{system}|0",
            "judge": "j",
            "system": system,
            "score": float(number % 10 < passes),
            "label": float(number % 10 < passes) if number < 100 else None,
        }
        for system, passes in (("good", 8), ("bad", 2))
        for number in range(300)
    ]
    result = estimate(table_from_rows(rows))
    assert result["all"].rank is None
    assert [rank and rank.value for rank in (result["good"].rank, result["bad"].rank)] == [1.0, 2.0]
    assert [line.split() for line in printed(result).splitlines()[-3:-1]] == [
        ["1", "good", "1"],
        ["2", "bad", "2"],
    ]
