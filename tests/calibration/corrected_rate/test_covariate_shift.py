"""Labels weighted by covariates: strata by hand, numbers by an independent fit, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from known_numbers import value_of
from lazily import Lazily
from scipy.special import expit

import fiducial as fd
from fiducial.calibration import table_from_rows
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.corrected_rate.covariate_shift import ShiftedLabels, reweighted_rate, shifted_labels
from fiducial.errors import InputError

minimize = Lazily("scipy.optimize").minimize


def rows(count: int = 600, seed: int = 2) -> list[dict[str, Any]]:
    """Return rows of two categories; `hard` items pass less often and have more labels.

    The longer an item is, the more so.
    """
    rng = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    for n in range(count):
        hard, length = rng.random() < 0.4, float(rng.normal())
        right = rng.random() < (0.4 if hard else 0.8)
        labelled = rng.random() < expit(-2.2 + 1.2 * hard + 0.5 * length)
        score = right if rng.random() < 0.85 else not right
        found.append(
            {
                "item_id": str(n),
                "judge": "j",
                "score": float(score),
                "label": float(right) if labelled else None,
                "category": "hard" if hard else "easy",
                "covariate:length": length,
            }
        )
    return found


def test_of_one_category_it_is_post_stratified_by_hand():
    data = shifted_labels(table_from_rows(rows()), ["category"])
    found = reweighted_rate(data)
    known, hard = np.isfinite(data.label), data.covariates[:, 1] == 1
    part = float(hard.mean())
    shares = hard * part + ~hard * (1 - part)

    def weighted(values: np.ndarray) -> float:
        sizes = hard * int((known & hard).sum()) + ~hard * int((known & ~hard).sum())
        return float((shares / sizes)[known] @ values[known])

    def influence(values: np.ndarray) -> np.ndarray:
        """Return each item's influence on the post-stratified mean.

        It is that of the stratum's mean, and of labelled items also their distance from it.
        """
        here, there = (float(values[known & each].mean()) for each in (hard, ~hard))
        means = hard * here + ~hard * there
        overall = float(means.mean())
        sizes = hard * int((known & hard).sum()) + ~hard * int((known & ~hard).sum())
        return known * shares / sizes * (values - means) + (means - overall) / len(values)

    label = np.nan_to_num(data.label)
    labels, scores, everywhere = weighted(label), weighted(data.score), float(data.score.mean())
    gap = (data.score - everywhere) / len(known) - influence(data.score)
    trust = -float(influence(label) @ gap) / float(gap @ gap)
    assert 0 < trust < 1
    assert value_of(found) == pytest.approx(labels + trust * (everywhere - scores), abs=1e-6)


def test_weights_are_those_of_an_independent_logistic_regression():
    data = shifted_labels(table_from_rows(rows()), ["category", "length"])
    known = np.isfinite(data.label)
    zero = ShiftedLabels(data.label, np.zeros(len(known)), data.covariates, data.cluster)

    def unlikely(slope: np.ndarray) -> float:
        odds = data.covariates @ slope
        return float(np.logaddexp(0, odds).sum() - odds[known].sum())

    slope: FloatArray = minimize(
        unlikely, np.zeros(data.covariates.shape[1]), method="BFGS", options={"gtol": 1e-8}
    ).x
    weight: FloatArray = 1 / expit(data.covariates @ slope)[known]
    found = reweighted_rate(zero)
    assert value_of(found) == pytest.approx(float(weight @ data.label[known] / weight.sum()), abs=1e-6)
    assert f"worth {weight.sum() ** 2 / (weight**2).sum():.0f}" in str(found.method)


def test_a_skewed_sample_is_mended_by_its_weights():
    seen: list[tuple[float, float]] = []
    for seed in range(30):
        data = shifted_labels(table_from_rows(rows(seed=seed)), ["category", "length"])
        found = reweighted_rate(data)
        # One random sample in a hundred is taken for a chosen one.
        if found.value is not None:
            seen.append((found.value - 0.64, float(np.nanmean(data.label)) - 0.64))
    assert len(seen) > 25
    weighted, plain = np.mean(seen, axis=0).tolist()
    assert abs(weighted) < 0.02
    assert plain < -0.04


def test_labels_worth_too_few_and_categories_without_any_are_refused():
    given = rows()
    only_hard = [row | {"label": row["label"] if row["category"] == "hard" else None} for row in given]
    found = reweighted_rate(shifted_labels(table_from_rows(only_hard), ["category"]))
    assert found.undefined == "no labelled item has category easy"
    few = [row | {"label": row["label"] if int(row["item_id"]) < 60 else None} for row in given]
    assert "it takes 20" in str(reweighted_rate(shifted_labels(table_from_rows(few), ["category"])).undefined)


def test_labels_chosen_by_score_are_refused_with_their_weights():
    given = [
        row | {"label": row["score"] if row["score"] == 0 or int(row["item_id"]) % 9 == 0 else None}
        for row in rows()
    ]
    found = reweighted_rate(shifted_labels(table_from_rows(given), ["category"]))
    assert found.undefined == "labelled items are scored unlike the others, even weighted"


def test_a_column_that_is_not_there_or_has_gaps_is_an_error_that_says_so():
    table = table_from_rows(rows())
    with pytest.raises(InputError, match=r"no column 'words' .*'covariate:words': 'words'"):
        shifted_labels(table, ["words"])
    gap = [row | {"covariate:length": None} for row in rows()[:1]] + rows()[1:]
    with pytest.raises(InputError, match="item '0' is judged but has no value in the column to weight by"):
        shifted_labels(table_from_rows(gap), ["length"])


def test_it_is_reported_where_columns_are_named():
    given = [{**row, "words": row["covariate:length"]} for row in rows()]
    for row in given:
        del row["covariate:length"]
    found = fd.estimate(given, reweight_by=["category", "length"], map={"covariate:length": "words"})
    assert found["all"].reported == "reweighted"
    expected = reweighted_rate(shifted_labels(table_from_rows(rows()), ["category", "length"]))
    assert value_of(found["all"].estimates["reweighted"]) == pytest.approx(value_of(expected), abs=1e-9)
