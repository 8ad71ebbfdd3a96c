"""DeLong's test of two areas, and Fisher's exact test."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from fiducial.calibration.comparison.significance import delong, fisher_more

# The oracle has no types.
roc_auc_score: Any = import_module("sklearn.metrics").roc_auc_score


@pytest.mark.parametrize("table", [(3, 20, 10, 400), (0, 5, 3, 7), (5, 5, 0, 9)])
def test_fishers_test_equals_scipys(table: tuple[int, int, int, int]) -> None:
    first, first_n, second, second_n = table
    counts = np.array([[first, first_n - first], [second, second_n - second]])
    expected = fisher_exact(counts, alternative="greater")
    assert fisher_more(*table) == pytest.approx(expected.pvalue, rel=1e-9)


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
        (each[right][:, None] > each[~right]) + 0.5 * (each[right][:, None] == each[~right])
        for each in scores
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
