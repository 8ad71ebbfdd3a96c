"""A judge's rate on undecided outputs, corrected with a random sample of labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...calibration.case_weights import case_weights
from ...calibration.corrected_rate.chosen_labels import chosen_by_score
from ...calibration.corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ...calibration.label_declarations import LabelsDeclaredBy
from ...calibration.statistic import undefined
from ...records import ItemKey
from .run_results import CORRECTED, StratumRate
from .running_counts import OpenScores

_MIN_LABELS = 2
"""Minimum number of labels from which a spread can be estimated."""

_NOT_RANDOM = "labelled outputs are scored unlike the other undecided outputs (p {:.2g}), so they are not a random sample"

_SAMPLED = "PPI++, valid when the labels are a random sample of the undecided outputs"


def corrected_rate(
    part: OpenScores,
    by: str | None,
    labels: Mapping[ItemKey, float],
    chosen_by: LabelsDeclaredBy | None = None,
    trials: Mapping[tuple[str, str], int] = {},
) -> StratumRate | None:
    """Return a judge's rate on a system's undecided outputs, corrected with their labels.

    Labels of decided outputs are not used, because decided and undecided outputs differ.

    Args:
        part: The undecided outputs that the judge graded.
        by: Display name of the judge.
        labels: Labels of outputs.
        chosen_by: Declaration of how outputs were chosen for labels, or None without one.
        trials: Number of outputs by system and case, if these differ; each case then has weight 1.

    Returns:
        The rate, or None if there are fewer than two labels.
    """
    label = np.array([labels.get(key, np.nan) for key in part.keys])
    is_labelled = np.isfinite(label)
    n_labels = int(is_labelled.sum())
    if n_labels < _MIN_LABELS:
        return None
    score = np.array(part.scores)
    cluster = np.unique(part.clusters, return_inverse=True)[1]
    weights = None
    if trials:
        weights = case_weights(np.array([trials[key.system, key.case_id] for key in part.keys]))
    if is_labelled.all():
        estimate, note = labels_only(label, cluster, weights), "every judged undecided output is labelled"
    else:
        data = LabelledAndJudged(
            label[is_labelled],
            score[is_labelled],
            score[~is_labelled],
            cluster[is_labelled],
            cluster[~is_labelled],
            None if weights is None else weights[is_labelled],
            None if weights is None else weights[~is_labelled],
        )
        trust, estimate = power_tuned(data)
        note = f"{_SAMPLED}; lambda {trust:.2f} (1: the judge is trusted like a label, 0: not at all)"
        p_if_random = chosen_by_score(data)
        if p_if_random is not None:
            reason = _NOT_RANDOM.format(p_if_random)
            estimate, note = undefined(reason, n=n_labels, level=estimate.level), None
    return StratumRate(
        name=CORRECTED,
        by=by,
        value=estimate.value,
        low=None if estimate.low is None else max(0.0, estimate.low),
        high=None if estimate.high is None else min(1.0, estimate.high),
        n=n_labels,
        of=len(part.keys),
        outcomes={"not labelled": len(part.keys) - n_labels},
        undefined=estimate.undefined,
        method=estimate.method,
        note=note,
        fractions=int(((label > 0) & (label < 1)).sum()),
        declared="every_output" if is_labelled.all() else chosen_by,
    )
