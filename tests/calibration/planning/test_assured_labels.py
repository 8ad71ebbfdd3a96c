"""Labels that make intervals narrow in most samples, not on average."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.calibration.planning.assured_labels import Expected, assured_labels, average_labels

USUAL = Expected(tpr=0.9, tnr=0.85, prevalence=0.3)


def share_narrow(labels: int, half_width: float, rate: float, share: float) -> float:
    """Return the share of samples whose Wilson interval is this narrow."""
    rng, narrow, draws = np.random.default_rng(3), 0, 1_000
    for tried in map(int, rng.binomial(labels, share, size=draws)):
        low, high = wilson_interval(int(rng.binomial(tried, rate)) / tried, tried)
        narrow += (high - low) / 2 <= half_width
    return narrow / draws


@pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
def test_so_many_samples_are_as_narrow_as_promised(assurance: float) -> None:
    labels = assured_labels(USUAL, 0.05, assurance=assurance)["true_positive_rate"]
    assert labels is not None
    assert share_narrow(labels, 0.05, 0.9, 0.3) == pytest.approx(assurance, abs=0.04)


def test_sizes_on_average_hold_in_about_half_of_the_samples() -> None:
    labels = average_labels(USUAL, 0.05)["true_positive_rate"]
    assert labels is not None
    assert share_narrow(labels, 0.05, 0.9, 0.3) < 0.6


def test_surety_and_clusters_cost_labels() -> None:
    most, nearly_all = (assured_labels(USUAL, 0.05, assurance=share) for share in (0.8, 0.95))
    clustered = assured_labels(USUAL._replace(rows_per_cluster=5, icc=0.2), 0.05)
    for name in ("true_positive_rate", "true_negative_rate", "cohen_kappa"):
        sizes = [found[name] for found in (most, nearly_all, clustered)]
        assert None not in sizes
        assert (sizes[0] or 0) < (sizes[1] or 0) < (sizes[2] or 0)


def test_a_good_judge_saves_labels_and_no_number_is_enough_where_none_is() -> None:
    found = assured_labels(Expected(0.95, 0.95, 0.5), 0.05, unlabelled=10_000)
    assert (found["corrected_pass_rate"] or 0) < (found["pass_rate"] or 0) / 3
    hopeless = assured_labels(Expected(0.5, 0.5, 0.5), 0.1, unlabelled=1_000)
    assert (hopeless["rogan_gladen_right"], hopeless["rogan_gladen_wrong"]) == (None, None)


def test_the_same_question_has_the_same_answer() -> None:
    assert assured_labels(USUAL, 0.05) == assured_labels(USUAL, 0.05)
