"""Variance: its forms against leaving out clusters by hand, and its two entry points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration import make_sample
from fiducial.calibration.intervals.variance import (
    cluster_error,
    cluster_sums,
    mean_spread,
    spread_of_rows,
    variance,
)

rng = np.random.default_rng(0)
CLUSTER = np.repeat(np.arange(9), rng.integers(1, 12, size=9))
VALUES = (rng.random(len(CLUSTER)) < rng.beta(2, 2, size=9)[CLUSTER]).astype(np.float64)
MEAN = float(VALUES.mean())
INFLUENCE = (VALUES - MEAN) / len(VALUES)
SUMS, SHARES = (
    cluster_sums(INFLUENCE, CLUSTER),
    cluster_sums(np.full(len(CLUSTER), 1 / len(CLUSTER)), CLUSTER),
)


def test_the_jackknife_form_is_what_leaving_out_one_cluster_at_a_time_gives() -> None:
    left_out = np.array([VALUES[number != CLUSTER].mean() for number in range(9)])
    by_hand = 8 / 9 * float(((left_out - MEAN) ** 2).sum())
    assert variance(SUMS, form="jackknife", shares=SHARES) == pytest.approx(by_hand, rel=1e-12)


def test_forms_agree_where_clusters_are_of_one_size_and_grow_where_they_are_not() -> None:
    even = np.array([0.1, -0.3, 0.2])
    forms = [variance(even, form=form, shares=1 / 3) for form in ("cr1", "cr2", "jackknife")]
    assert forms == pytest.approx([forms[0]] * 3, rel=1e-12)
    uneven = np.append(SUMS[:3] - SUMS[:3].mean(), 0.0)
    shares = np.array([0.7, 0.1, 0.1, 0.1])
    cr2, jackknife = (variance(uneven, form=form, shares=shares) for form in ("cr2", "jackknife"))
    assert float((uneven**2).sum()) < cr2 < jackknife


def test_a_sample_and_its_rows_have_one_spread() -> None:
    sample = make_sample(np.ones(len(VALUES)), VALUES, CLUSTER)
    spread = mean_spread(sample.cells.score, np.ones_like(sample.cells.score), sample)
    assert spread.clustered == pytest.approx(cluster_error(INFLUENCE, CLUSTER), rel=1e-12)
    assert spread.jackknife**2 == pytest.approx(variance(SUMS, form="jackknife", shares=SHARES), rel=1e-12)
    assert spread == pytest.approx(spread_of_rows(VALUES, CLUSTER), rel=1e-12)
    assert spread.cluster_size == pytest.approx(float((np.bincount(CLUSTER) ** 2).sum()) / len(VALUES))


def test_fewer_clusters_than_there_are_may_tell_the_spread() -> None:
    few = cluster_error(INFLUENCE, CLUSTER, label_cluster=np.array([4, 0, 1, 4]))
    assert few == pytest.approx(math.sqrt(float((SUMS**2).sum()) * 3 / 2), rel=1e-12)
    assert math.isnan(cluster_error(INFLUENCE, np.zeros_like(CLUSTER)))
