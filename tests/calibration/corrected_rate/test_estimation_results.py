"""Ungraded items are counted beside a rate, with the rates that they allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from table_rows import rows_of_columns

import fiducial as fd
from fiducial.calibration.corrected_rate.estimation_results import RateEstimate

RNG = np.random.default_rng(11)
TRUTH = RNG.random(100) < 0.7
SCORE = np.where(RNG.random(100) < 0.9, TRUTH, ~TRUTH).astype(float)
UNGRADED = np.arange(100) % 5 == 0
"""Twenty of a hundred items."""


def of(labelled: Any, ungraded: Any = UNGRADED, **options: Any) -> RateEstimate:
    rows = rows_of_columns(np.where(labelled, TRUTH, np.nan), np.where(ungraded, np.nan, SCORE))
    return fd.estimate(rows, **options).all


@pytest.mark.parametrize(
    "options", [{}, {"target": "finite"}, {"strata": "score"}, {"labels_chosen_by": "score"}]
)
def test_bounds_let_all_ungraded_items_fail_or_pass(options: dict[str, Any]):
    rate = of(np.arange(100) < 40, **options)
    assert (rate.n_items, rate.n_missing, rate.n_missing_labelled) == (100, 20, 8)
    assert rate.reported != "labels_only"
    assert rate.rate.value is not None
    assert rate.bounds == pytest.approx((0.8 * rate.rate.value, 0.8 * rate.rate.value + 0.2))


def test_bounds_of_an_uncorrected_rate_are_counts_of_outputs():
    rate = of(np.zeros(100))
    passed = SCORE[~UNGRADED].sum()
    assert rate.reported is None
    assert rate.bounds == pytest.approx((passed / 100, (passed + 20) / 100))


def test_a_rate_by_labels_alone_counts_the_labels_of_ungraded_items():
    labelled = ~UNGRADED | (np.arange(100) < 25)
    rate = of(labelled)
    assert (rate.reported, rate.n_missing_labelled) == ("labels_only", 5)
    assert rate.bounds == pytest.approx((TRUTH[labelled].sum() / 100, (TRUTH[labelled].sum() + 15) / 100))
    assert of(np.ones(100)).bounds is None


def test_nothing_is_bounded_where_all_is_graded_or_nothing_is():
    assert of(np.arange(100) < 40, ungraded=False).bounds is None
    nothing = of(np.zeros(100), ungraded=True)
    assert (nothing.n_missing, nothing.bounds) == (100, None)


def test_json_and_screen_say_how_many_are_ungraded_and_labelled():
    rows = rows_of_columns(np.where(np.arange(100) < 40, TRUTH, np.nan), np.where(UNGRADED, np.nan, SCORE))
    estimation = fd.estimate(rows)
    found = estimation.to_dict()["all"]
    assert (found["n_missing"], found["n_missing_labelled"]) == (20, 8)
    assert found["bounds"] == list(estimation.all.bounds or ())
    low, high = found["bounds"]
    sentence = (
        f"20 of 100 outputs are ungraded: {low:.2f} to {high:.2f} if all of them failed or passed. "
        "Labels of 8 of them are not counted."
    )
    for document in (estimation.screen(), estimation.document()):
        assert sentence in " ".join(str(document).split())
    graded = fd.estimate([row for row in rows if row["score"] == row["score"]])
    assert graded.to_dict()["all"]["bounds"] is None
    assert "ungraded" not in str(graded.screen()) + str(graded.document())
