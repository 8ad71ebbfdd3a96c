"""Wealth of stakes, and the evidence that is their mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration.betting import STAKES, evidence, log_evidence, log_wealth


def test_the_evidence_is_the_mean_of_products_of_bets():
    gains = np.array([0.5, -1.0, 1.0])
    stakes: list[float] = STAKES.tolist()
    products = [float(np.prod(1 + stake * gains)) for stake in stakes]
    assert evidence(log_wealth(gains)) == pytest.approx(np.mean(products))
    assert log_evidence(log_wealth(gains)) == pytest.approx(math.log(np.mean(products)))


def test_without_observations_the_evidence_is_one():
    assert evidence(log_wealth(np.zeros(0))) == 1.0
    assert log_evidence(log_wealth(np.zeros(0))) == 0.0


def test_very_strong_evidence_has_a_finite_log():
    assert math.isfinite(log_evidence(log_wealth(np.ones(100_000))))
    assert math.isfinite(evidence(log_wealth(np.ones(100_000))))
