"""Rate corrected with a linear combination of several judges, fitted to the labels."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, folds_of
from ..statistic import Statistic, undefined
from .chosen_labels import chosen_by_score
from .estimators import LabelledAndJudged, power_tuned, width
from .multi_phase import NestedVerdicts

MIN_LABELS_OF_ALL = 50
"""Fewest labels of items that every judge scored; a fit to fewer would mostly fit chance."""

_LEAST = 1e-6
"""Least penalty, even if the judges explain all of the variance."""


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
    judged, labelled = data.reaching(len(data.scores)), data.reaching(len(data.scores) + 1)
    n, rest = int(labelled.sum()), judged & ~labelled
    if n < MIN_LABELS_OF_ALL:
        why = f"{n} items have a label and all judges' scores; it takes {MIN_LABELS_OF_ALL}"
        return undefined(why, n=n, level=level)
    label, clusters = data.label[labelled], (data.cluster[labelled], data.cluster[rest])
    by_judge = [LabelledAndJudged(label, scores[labelled], scores[rest], *clusters) for scores in data.scores]
    for and_judged in by_judge:
        if rest.any() and chosen_by_score(and_judged, tests=len(by_judge)) is not None:
            return undefined("labelled items are scored unlike the others", n=n, level=level)
    predicted = cross_fitted(label, data.scores[:, labelled], data.scores[:, rest], clusters[0])
    together = LabelledAndJudged(label, *predicted, *clusters)
    return min(
        (power_tuned(and_judged, level=level).estimate for and_judged in (together, *by_judge)),
        key=width,
    )


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
    seen, unseen = (scores - centre) / spread, (others - centre) / spread
    fold, folds = folds_of(cluster)
    predicted, mean = np.zeros(len(label)), np.zeros(others.shape[1])
    for fold_number in range(folds):
        out = fold == fold_number
        training = ~out if folds > 1 else out
        slope = _ridge(label[training], seen[:, training])
        predicted[out] = slope @ seen[:, out]
        mean += slope @ unseen / folds
    return predicted, mean


def _ridge(label: FloatArray, scores: FloatArray) -> FloatArray:
    """Return slopes by ridge regression, its penalty by Hoerl, Kennard and Baldwin.

    There is no intercept: PPI needs none, and means over the other folds correlate negatively with a fold.
    """
    judges, n = scores.shape
    centred, target = scores - scores.mean(axis=1, keepdims=True), label - label.mean()
    gram: FloatArray = centred @ centred.T
    plain: FloatArray = np.linalg.pinv(gram, hermitian=True).astype(np.float64) @ (centred @ target)
    residual = float(((target - plain @ centred) ** 2).sum()) / max(1, n - judges - 1)
    explained = float(plain @ plain)
    penalty = max(_LEAST, judges * residual / explained) if explained > 0 else _LEAST
    slope: FloatArray = np.linalg.inv(gram + penalty * np.eye(judges)).astype(np.float64) @ (centred @ target)
    return slope
