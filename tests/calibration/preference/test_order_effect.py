"""Strengths beside an order effect: unbiased where the judge favours what is shown first."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from fiducial.calibration.preference.bradley_terry import strengths
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.order_effect import ordered_strengths

PLANTED = np.array([0.8, 0.1, -0.9])


def choices(effect: float, n: int = 2_000) -> Choices:
    """Return the expected choices of a judge, as fractions, of three systems in both orders."""
    pairs = np.array([(0, 1), (0, 2), (1, 2)])[np.arange(n) % 3]
    a, b = pairs.T
    odds, unknown = PLANTED[a] - PLANTED[b], np.full(n, np.nan)
    return Choices(
        ["x", "y", "z"],
        a,
        b,
        expit(odds + effect),
        expit(effect - odds),
        np.arange(n),
        unknown,
        unknown,
        unknown,
        unknown,
    )


@pytest.mark.parametrize("effect", [-1.0, 0.0, 0.8, 2.5])
def test_planted_strengths_and_order_effects_are_found(effect: float):
    found = ordered_strengths(choices(effect))
    assert [strength.value for strength in found.strengths] == pytest.approx(PLANTED.tolist(), abs=1e-6)
    assert found.order.value == pytest.approx(effect, abs=1e-6)


def test_without_an_order_effect_strengths_are_those_of_both_orders_together():
    drawn = choices(0.0)
    plain = strengths(drawn.systems, drawn.a, drawn.b, drawn.preferred, drawn.cluster)
    assert [strength.value for strength in ordered_strengths(drawn).strengths] == pytest.approx(
        [statistic.value for statistic in plain], abs=1e-6
    )


def test_where_the_order_decides_all_there_is_no_effect_to_estimate():
    drawn = choices(0.0)
    always_first = drawn._replace(a_first=np.ones(len(drawn.a)), b_first=np.ones(len(drawn.a)))
    found = ordered_strengths(always_first)
    assert found.order.undefined == "the order decides too many choices"
    assert [strength.value for strength in found.strengths] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
