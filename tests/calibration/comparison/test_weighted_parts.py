"""A part in one cluster, such as a single checked output, widens a rate and is not hidden."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.comparison.weighted_parts import WeightedPart, sum_of_parts


def part(values: list[float], coefficient: float, first_cluster: int, size: int = 1) -> WeightedPart:
    return WeightedPart(np.array(values), first_cluster + np.arange(len(values)) // size, coefficient)


MIXED = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_a_single_row_moves_the_value_and_widens_the_interval():
    alone, rest = part([0.0], 0.2, 100), part(MIXED, 0.8, 0)
    found = sum_of_parts([alone, rest])
    assert found.value == pytest.approx(0.8 * np.mean(MIXED))
    assert found.error**2 == pytest.approx(sum_of_parts([rest]).error ** 2 + 0.2**2 * 2 / 9)
    assert found.rows == pytest.approx(1 / (0.2**2 + 0.8**2 / 8))


def test_a_cluster_of_many_rows_shows_no_more_than_one():
    rest = part(MIXED, 0.5, 0)
    one = sum_of_parts([part([1.0], 0.5, 100), rest])
    many = sum_of_parts([part([1.0] * 8, 0.5, 100, size=8), rest])
    assert many.error == pytest.approx(one.error)


def test_parts_with_a_spread_are_summed_as_they_are():
    parts = [part(MIXED, 0.5, 0), part(MIXED[:4], 0.5, 100)]
    whole = sum_of_parts(parts)
    assert whole.error**2 == pytest.approx(
        sum(sum_of_parts([weighted_part]).error ** 2 for weighted_part in parts)
    )


def test_a_spread_that_no_part_shows_stays_unknown():
    assert math.isnan(sum_of_parts([part([1.0], 0.5, 0), part([0.0], 0.5, 1)]).error)


@given(
    checked=st.lists(st.sampled_from([0.0, 1.0]), max_size=3),
    judged=st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0, None])), max_size=12),
    same_cluster=st.booleans(),
)
def test_every_rate_of_a_system_has_an_interval(
    checked: list[float], judged: list[tuple[float, float | None]], same_cluster: bool
):
    outputs = [(None, None, each) for each in checked] + [(score, label, None) for score, label in judged]
    rows = [
        {
            "item_id": f"c{number}|{system}|0",
            "judge": "j",
            "system": system,
            "score": score,
            "label": label,
            "checker_score": decided,
            "cluster": "one" if same_cluster else f"c{number}",
        }
        for system in ("x", "y")
        for number, (score, label, decided) in enumerate(outputs)
    ]
    if not any(score is not None for score, _, _ in outputs):
        return
    strata = compare(table_from_rows(rows), by="system").strata
    assert strata is not None
    for stratum in (strata.decided, strata.open, strata.all):
        for rate in stratum.rates.values():
            assert rate.value is None or (rate.low is not None and rate.high is not None)
            assert rate.value is None or rate.low <= rate.value <= rate.high  # type: ignore[operator]
