"""Rate corrected with a linear combination of several judges, fitted to the labels."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, folds_of
from ..statistic import Statistic, undefined
from .chosen_labels import chosen_by_score
from .estimators import LabelledAndJudged, power_tuned, width
from .multi_phase import NestedVerdicts

MIN_FULLY_JUDGED_LABELS = 50
"""Minimum number of labelled items that every judge scored.

With 30, taking the narrowest interval cost coverage; with 50 it did not (docs/decisions/0031).
"""

_MIN_PENALTY = 1e-6
"""Minimum ridge penalty, even if the judges explain all of the variance."""


def several_judges_rate(data: NestedVerdicts, *, level: float = 0.95) -> Statistic:
    """Estimate the undecided outputs' mean label by PPI++ with all judges together.

    A ridge regression of labels on the judges' scores takes the place of one judge's score. It is
    cross-fitted: each label is predicted by a fit without its fold, and other items get the mean of the fits.
    Items without a score of every judge do not count. If a single judge gives a narrower interval, its
    estimate is returned. Undefined with fewer than 50 labels, or if labelled items look chosen by some
    judge's scores.

    Source: Zrnic and Candes 2024 (arXiv 2309.16598) for cross-fitting; Hoerl, Kennard and Baldwin 1975 for
    the ridge.
    """
    data = data.undecided()
    # Each judge is a phase, and the label is the phase after the last judge.
    judged, labelled = data.reaching(len(data.scores)), data.reaching(len(data.scores) + 1)
    n, unlabelled = int(labelled.sum()), judged & ~labelled
    if n < MIN_FULLY_JUDGED_LABELS:
        why = f"{n} {'item has' if n == 1 else 'items have'} a label and all judges' scores; it takes {MIN_FULLY_JUDGED_LABELS}"
        return undefined(why, n=n, level=level)
    label, cluster, other_cluster = data.label[labelled], data.cluster[labelled], data.cluster[unlabelled]
    single_judges = [
        LabelledAndJudged(label, scores[labelled], scores[unlabelled], cluster, other_cluster)
        for scores in data.scores
    ]
    for single_judge in single_judges:
        if unlabelled.any() and chosen_by_score(single_judge, tests=len(single_judges)) is not None:
            return undefined("labelled items are scored unlike the others", n=n, level=level)
    predictions, other_predictions = cross_fitted(
        label, data.scores[:, labelled], data.scores[:, unlabelled], cluster
    )
    combined = LabelledAndJudged(label, predictions, other_predictions, cluster, other_cluster)
    estimates = [power_tuned(predictor, level=level).estimate for predictor in (combined, *single_judges)]
    # With this many labels the choice of the narrowest costs no coverage (docs/decisions/0031).
    return min(estimates, key=width)


def cross_fitted(
    label: FloatArray, scores: FloatArray, others: FloatArray, cluster: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return cross-fitted predictions of labelled items, and mean predictions of the others.

    A labelled item is predicted by a fit without its fold, the others by the mean of the fits.

    Args:
        label: Labels of the labelled items, shape ``(n,)``.
        scores: Scores of the labelled items, by judge, shape ``(judges, n)``.
        others: Scores of the other items, by judge, shape ``(judges, N)``.
        cluster: Clusters of the labelled items; no cluster is in two folds.
    """
    pooled = np.hstack([scores, others])
    centre, spread = pooled.mean(axis=1, keepdims=True), pooled.std(axis=1, keepdims=True)
    spread = np.where(spread > 0, spread, 1.0)
    scaled_scores, scaled_others = (scores - centre) / spread, (others - centre) / spread
    fold, folds = folds_of(cluster)
    predictions, mean = np.zeros(len(label)), np.zeros(others.shape[1])
    for fold_number in range(folds):
        held_out = fold == fold_number
        # A single cluster makes a single fold, which is fitted to itself.
        training = ~held_out if folds > 1 else held_out
        slope = _ridge(label[training], scaled_scores[:, training])
        predictions[held_out] = slope @ scaled_scores[:, held_out]
        mean += slope @ scaled_others / folds
    return predictions, mean


def _ridge(label: FloatArray, scores: FloatArray) -> FloatArray:
    """Return slopes by ridge regression, with the penalty of Hoerl, Kennard and Baldwin.

    There is no intercept, since PPI needs none. An intercept fitted without a fold would be high where the
    fold's labels are low, which widens the interval (docs/decisions/0031).
    """
    judges, n = scores.shape
    centred, target = scores - scores.mean(axis=1, keepdims=True), label - label.mean()
    gram: FloatArray = centred @ centred.T
    unpenalised: FloatArray = np.linalg.pinv(gram, hermitian=True).astype(np.float64) @ (centred @ target)
    residual = float(((target - unpenalised @ centred) ** 2).sum()) / max(1, n - judges - 1)
    explained = float(unpenalised @ unpenalised)
    penalty = max(_MIN_PENALTY, judges * residual / explained) if explained > 0 else _MIN_PENALTY
    slope: FloatArray = np.linalg.inv(gram + penalty * np.eye(judges)).astype(np.float64) @ (centred @ target)
    return slope
