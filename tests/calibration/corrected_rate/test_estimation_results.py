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
    graded, passed, open_share = rate.rate.value, 0.0, 0.2
    if rate.counts_ungraded:
        assert rate.graded_rate is not None
        graded, passed, open_share = rate.graded_rate, TRUTH[UNGRADED][:8].sum() / 100, 0.12
    assert rate.bounds == pytest.approx((0.8 * graded + passed, 0.8 * graded + passed + open_share))


def test_bounds_of_an_uncorrected_rate_are_counts_of_outputs():
    rate = of(np.zeros(100))
    passed = SCORE[~UNGRADED].sum()
    assert rate.reported is None
    assert rate.bounds == pytest.approx((passed / 100, (passed + 20) / 100))


def test_ungraded_items_count_by_their_share_if_all_graded_ones_have_labels():
    labelled = ~UNGRADED | (np.arange(100) < 25)
    rate = of(labelled)
    assert (rate.reported, rate.weight, rate.n_missing_labelled) == ("ppi_plus_plus", 0.0, 5)
    parts = 0.8 * TRUTH[~UNGRADED].mean() + 0.2 * TRUTH[labelled & UNGRADED].mean()
    assert rate.rate.value == pytest.approx(parts)
    assert rate.bounds == pytest.approx((TRUTH[labelled].sum() / 100, (TRUTH[labelled].sum() + 15) / 100))
    assert of(np.ones(100)).bounds is None


@pytest.mark.parametrize("few", [1, 2])
def test_few_equal_labels_of_ungraded_items_do_not_prove_their_rate(few: int):
    alone, known = of(~UNGRADED & (np.arange(100) < 60)), np.flatnonzero(UNGRADED)[:few]
    labelled = (~UNGRADED & (np.arange(100) < 60)) | np.isin(np.arange(100), known)
    rate = of(labelled)
    assert rate.counts_ungraded
    assert not alone.counts_ungraded
    widths = [
        statistic.high - statistic.low
        for statistic in (rate.rate, alone.rate)
        if statistic.high and statistic.low
    ]
    assert widths[0] > widths[1] + 0.05 / few


def test_failed_calls_are_a_level_of_their_own():
    labelled, failed = np.arange(100) < 60, UNGRADED & (np.arange(100) % 10 == 0)
    rows = rows_of_columns(np.where(labelled, TRUTH, np.nan), np.where(UNGRADED, np.nan, SCORE))
    for number, row in enumerate(rows):
        row["outcome"] = "failed" if failed[number] else "refused" if UNGRADED[number] else "graded"
    rate = fd.estimate(rows).all
    assert (rate.n_missing, rate.n_missing_failed) == (20, 10)
    assert rate.graded_rate is not None
    levels = [0.1 * TRUTH[labelled & each].mean() for each in (failed, UNGRADED & ~failed)]
    assert rate.ppi_plus_plus.value == pytest.approx(0.8 * rate.graded_rate + sum(levels))


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
        f"20 of 100 outputs are ungraded: {low:.2f} to {high:.2f} if all of those without a label failed or passed. "
        "Labels of 8 of them are counted."
    )
    for document in (estimation.screen(), estimation.document()):
        assert sentence in " ".join(str(document).split())
    graded = fd.estimate([row for row in rows if row["score"] == row["score"]])
    assert graded.to_dict()["all"]["bounds"] is None
    assert "ungraded" not in str(graded.screen()) + str(graded.document())


def test_an_unknown_part_is_answered_with_the_known_ones():
    rows = rows_of_columns(np.where(np.arange(100) < 40, TRUTH, np.nan), SCORE)
    with pytest.raises(KeyError, match="there is no part 'x'; there are 'all'"):
        fd.estimate(rows)["x"]
