"""Ranks: places, and the places that the intervals leave open."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import printed

from fiducial.calibration import Statistic, estimate, table_from_rows
from fiducial.calibration.corrected_rate.ranks import ranks, simultaneous_level


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
    assert [line.split() for line in printed(result).splitlines()[-2:]] == [
        ["1", "good", "1"],
        ["2", "bad", "2"],
    ]
