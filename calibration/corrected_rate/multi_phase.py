"""Rate from nested samples with several judges.

A cheap judge grades many items, an expensive one some of them, and a few of those are labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...records import known_names
from ..arrays import BoolArray, FloatArray, IntArray, first_known
from ..intervals.variance import cluster_error
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import DECIDED, Table
from .chosen_labels import chosen_by_score
from .estimation_results import MIN_LABELS
from .estimators import LabelledAndJudged
from .rate_interval import effective_n_interval

_METHOD = "Wilson on the effective n, nested samples"


class NestedVerdicts(NamedTuple):
    """Items with their verdicts, one for each phase that includes the item.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where there is none.
        scores: Scores by judge in the order of phases, shape ``(judges, M)``; NaN without a verdict.
        cluster: Cluster number, shape ``(M,)``.
        decided: A checker's decision, shape ``(M,)``; NaN for an undecided item. Estimates are of undecided ones.
    """

    label: FloatArray
    scores: FloatArray
    cluster: IntArray
    decided: FloatArray

    def undecided(self) -> NestedVerdicts:
        """Return the items that no checker decided."""
        rows = np.isnan(self.decided)
        return NestedVerdicts(self.label[rows], self.scores[:, rows], self.cluster[rows], self.decided[rows])

    def reaching(self, phase: int) -> BoolArray:
        """Return a mask of items with verdicts of the first ``phase`` judges, shape ``(M,)``.

        The label counts as the verdict of a phase after the last judge.
        """
        has_value = np.isfinite(np.vstack([self.scores, self.label]))
        return np.logical_and.reduce(has_value[:phase], axis=0)


def nested_verdicts(table: Table, judges: Sequence[str]) -> NestedVerdicts:
    """Return the items of a table with the verdicts of the given judges.

    Raises:
        InputError: A judge is not in the table.
    """
    for name in judges:
        if name not in table.judge.values:
            raise InputError(f"there is no judge {name!r}{known_names(name, table.judge.values)}")
    _, first, item = np.unique(table.output_key(), return_index=True, return_inverse=True)
    decided = table.numbers.get(DECIDED, np.full(len(table), np.nan))
    by_judge = [table.judge.codes == table.judge.values.index(name) for name in judges]
    scores = [first_known(np.where(rows, table.score, np.nan), item, len(first)) for rows in by_judge]
    return NestedVerdicts(
        first_known(table.label, item, len(first)),
        np.array(scores).reshape(len(judges), -1),
        table.cluster[first],
        first_known(decided, item, len(first)),
    )


def multi_phase_rate(data: NestedVerdicts, *, level: float = 0.95) -> Statistic:
    """Estimate the mean label of the undecided outputs' population from nested samples.

    An item counts in the phases before the first that lacks a verdict. Each phase must be a random sample of
    the one before. With regressions ``f_j`` of the label on the first ``j`` verdicts, fitted where there are
    labels::

        mean of f_1 over all + mean of (f_2 - f_1) where two judges scored + ...
        + mean of (label - f_last) where there is a label

    The error is over clusters, from each item's sum over its phases, with one degree of freedom less for each
    judge. Undefined with fewer than 30 labels, or if the scores show that a phase is not a random sample of
    the one before.

    Source: Neyman 1938; Cochran 1977, section 12.9; of judges as predictors Angelopoulos et al. 2023 (arXiv
    2311.01453).
    """
    data = data.undecided()
    judges, size = data.scores.shape
    reached = [data.reaching(phase) for phase in range(1, judges + 2)]
    n = int(reached[-1].sum())
    why = _why_undefined(data, reached)
    if why is not None:
        return undefined(why, n=n, level=level)
    fits = [_fitted(data.scores[:n_verdicts], data.label, reached[-1]) for n_verdicts in range(1, judges + 1)]
    value, influence = 0.0, np.zeros(size)
    # Each fitted slope takes one degree of freedom of the labelled residuals, the last term of the sum.
    fit_penalty = np.sqrt((n - 1) / (n - 1 - judges))
    # The terms of the sum are f_1 - 0, f_2 - f_1, ..., label - f_last.
    predictions, earlier_predictions = [*fits, data.label], [np.zeros(size), *fits]
    for phase, (rows, prediction, earlier) in enumerate(
        zip(reached, predictions, earlier_predictions, strict=True)
    ):
        increments = (prediction - earlier)[rows]
        value += float(increments.mean())
        penalty = fit_penalty if phase == judges else 1.0
        influence[rows] += (increments - increments.mean()) / len(increments) * penalty
    labelled_clusters = len(np.unique(data.cluster[reached[-1]]))
    error = cluster_error(influence, data.cluster, data.cluster[reached[-1]])
    share = min(1.0, max(0.0, value))
    degrees = labelled_clusters - 1 - judges
    ends = effective_n_interval(share, error, labelled_clusters, level, degrees=degrees)
    return defined(share, ends, n=n, method=_METHOD, level=level)


def explained_variance(data: NestedVerdicts) -> float | None:
    """Return the share of the variance of labels that the verdicts explain.

    It is corrected for the number of judges. None with fewer than 30 labels, or if all labels are equal.
    """
    undecided = data.undecided()
    judges, rows = len(undecided.scores), undecided.reaching(len(undecided.scores) + 1)
    label = undecided.label[rows]
    if len(label) < MIN_LABELS or np.ptp(label) == 0.0:
        return None
    residual = label - _fitted(undecided.scores[:, rows], label, np.full(len(label), fill_value=True))
    unexplained = float(residual.var()) / float(label.var()) * (len(label) - 1) / (len(label) - 1 - judges)
    return min(1.0, max(0.0, 1 - unexplained))


def _fitted(scores: FloatArray, label: FloatArray, rows: BoolArray) -> FloatArray:
    """Fit labels on scores by least squares in ``rows``, and predict every item.

    The prediction is NaN where a score is missing.
    """
    design = np.vstack([np.ones(scores.shape[1]), scores]).T
    slope = np.linalg.lstsq(design[rows], label[rows], rcond=None)[0]
    fit: FloatArray = design @ slope
    return fit


def _why_undefined(data: NestedVerdicts, reached: Sequence[BoolArray]) -> str | None:
    """Return why there is no estimate: too few labels, or a chosen sample; None if there is one."""
    n = int(reached[-1].sum())
    if n < MIN_LABELS:
        return f"{n} {'item has' if n == 1 else 'items have'} a label and all verdicts; it takes {MIN_LABELS}"
    phase_pairs = list(pairwise(reached))
    for phase, sample in phase_pairs:
        # The first judge is the only one that scored every item of each phase.
        score, others = data.scores[0], phase & ~sample
        # The test uses no labels, so scores stand in for them.
        scored = LabelledAndJudged(
            score[sample], score[sample], score[others], data.cluster[sample], data.cluster[others]
        )
        p = chosen_by_score(scored, tests=len(phase_pairs))
        if p is not None:
            return (
                f"a phase is scored unlike the phase before, so it is not a random sample of it (p {p:.2g})"
            )
    return None
