"""The variance that a handful of equal labels does not show."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged
from fiducial.calibration.corrected_rate.few_labels import extra_variance


def labelled(passes: int, n: int, *, rows: int = 1) -> LabelledAndJudged:
    label = (np.arange(n) < passes).astype(float)
    return LabelledAndJudged(label, np.ones(n), np.ones(50), np.arange(n) // rows, 1_000 + np.arange(50))


def test_equal_labels_have_the_variance_of_one_more_of_each_kind() -> None:
    most = 6 / 7 * 1 / 7 / 5
    assert 0.8 * most < extra_variance(labelled(5, 5), 0.0) <= most


def test_labels_that_show_more_have_nothing_unseen() -> None:
    assert extra_variance(labelled(5, 5), 0.1) == 0.0


def test_clusters_of_equal_labels_have_the_usual_design_effect() -> None:
    alone, clustered = (extra_variance(labelled(20, 20, rows=rows), 0.0) for rows in (1, 5))
    assert clustered == pytest.approx(1.8 * alone)


def test_a_judge_that_is_right_on_all_labels_is_not_taken_for_perfect() -> None:
    label = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    data = LabelledAndJudged(label, label, np.ones(50), np.arange(5), 10 + np.arange(50))
    assert extra_variance(data, 0.0) > 0.01


def test_it_goes_away_with_many_labels() -> None:
    label = np.tile([1.0, 0.0], 500)
    data = LabelledAndJudged(label, np.ones(1_000), np.ones(50), np.arange(1_000), 2_000 + np.arange(50))
    assert extra_variance(data, float(label.var(ddof=1)) / 1_000) < 1e-6
