"""Several judges at once: cross-fitting by hand, and never wider than the best alone."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import value_of

import fiducial as fd
from fiducial.calibration.arrays import FloatArray, folds_of
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, power_tuned, width
from fiducial.calibration.corrected_rate.multi_phase import NestedVerdicts
from fiducial.calibration.corrected_rate.several_judges import cross_fitted, several_judges_rate

N, LABELS = 400, 80


def verdicts(*rates: tuple[float, float], seed: int = 4) -> NestedVerdicts:
    """Return items scored by judges with these rates, 80 of them labelled."""
    rng = np.random.default_rng(seed)
    right = rng.random(N) < 0.6
    scores = [np.where(right, rng.random(N) < tpr, rng.random(N) >= tnr) for tpr, tnr in rates]
    label = np.where(rng.permutation(N) < LABELS, right.astype(np.float64), np.nan)
    return NestedVerdicts(label, np.array(scores, dtype=np.float64), np.arange(N), np.full(N, np.nan))


def alone(data: NestedVerdicts, scores: FloatArray) -> float:
    known = np.isfinite(data.label)
    parts = data.label[known], scores[known], scores[~known], data.cluster[known], data.cluster[~known]
    return width(power_tuned(LabelledAndJudged(*parts)).estimate)


def test_predictions_are_ridge_regressions_without_the_fold():
    data = verdicts((0.85, 0.8), (0.8, 0.8))
    known = np.isfinite(data.label)
    label, scores, others = data.label[known], data.scores[:, known], data.scores[:, ~known]
    seen, unseen = cross_fitted(label, scores, others, data.cluster[known])
    fold, folds = folds_of(data.cluster[known])
    scaled = (data.scores - data.scores.mean(axis=1, keepdims=True)) / data.scores.std(axis=1, keepdims=True)
    of_labels, of_others = scaled[:, known], scaled[:, ~known]
    expected = np.zeros(np.sum(~known))
    for held in range(folds):
        kept = fold != held
        design = np.column_stack([np.ones(kept.sum()), of_labels[:, kept].T])
        plain, rest, *_ = np.linalg.lstsq(design, label[kept], rcond=None)
        penalty = 2 * float(rest[0]) / (kept.sum() - 3) / float(plain[1:] @ plain[1:])
        slope = np.linalg.solve(design.T @ design + np.diag([0.0, penalty, penalty]), design.T @ label[kept])[
            1:
        ]
        assert seen[~kept] == pytest.approx(slope @ of_labels[:, ~kept], abs=1e-6)
        expected += slope @ of_others / folds
    assert unseen == pytest.approx(expected, abs=1e-6)


def test_judges_that_err_apart_are_more_precise_together():
    data = verdicts(*[(0.8, 0.75)] * 5)
    assert width(several_judges_rate(data)) < 0.9 * min(alone(data, score) for score in data.scores)


def test_useless_judges_make_it_no_wider_than_the_best_alone():
    for seed in range(10):
        data = verdicts((0.9, 0.85), (0.5, 0.5), (0.6, 0.4), (0.3, 0.7), seed=seed)
        assert width(several_judges_rate(data)) <= min(alone(data, score) for score in data.scores)


def test_few_labels_and_chosen_ones_are_refused():
    data = verdicts((0.9, 0.85), (0.8, 0.8))
    few = data._replace(label=np.where(np.arange(N) < 100, data.label, np.nan))
    assert "it takes 50" in str(several_judges_rate(few).undefined)
    single = data._replace(label=np.where(np.arange(N) < 1, data.label, np.nan))
    assert str(several_judges_rate(single).undefined).startswith("1 item has a label")
    chosen = data._replace(label=np.where(data.scores[1] == 1, 1.0, np.nan))
    assert several_judges_rate(chosen).undefined == "labelled items are scored unlike the others"


def test_it_is_reported_where_judges_are_named():
    data = verdicts((0.85, 0.8), (0.8, 0.8))
    rows = [
        {"item_id": str(n), "judge": judge, "score": float(scores[n]), "label": label}
        for judge, scores in zip(("a", "b"), data.scores, strict=True)
        for n in range(N)
        for label in [None if np.isnan(data.label[n]) else float(data.label[n])]
    ]
    found = fd.estimate(rows, judges=("a", "b"))
    assert found["all"].reported == "several_judges"
    expected = several_judges_rate(data)
    assert value_of(found["all"].estimates["several_judges"]) == pytest.approx(value_of(expected), abs=1e-9)
