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
from .run_results import CORRECTED, OpenScores, StratumRate

_FEWEST = 2
"""Fewest labels from which a spread can be estimated."""

_CHOSEN = "labelled outputs are scored unlike the other undecided outputs (p {:.2g}), so they are not a random sample"

_SAMPLED = "PPI++, valid when the labels are a random sample of the undecided outputs"


def corrected_rate(
    part: OpenScores,
    by: str | None,
    labels: Mapping[ItemKey, float],
    chosen_by: LabelsDeclaredBy | None = None,
    trials: Mapping[tuple[str, str], int] = {},
) -> StratumRate | None:
    """Return a judge's rate on a system's undecided outputs, corrected with their labels.

    ``chosen_by`` says how outputs were chosen for labels, if anything does. None if there are fewer than two labels. Labels of decided outputs are not used, because decided and undecided outputs differ.
    ``trials`` is the number of outputs by system and case, if cases have unequal ones; each case then has weight 1.
    """
    label = np.array([labels.get(key, np.nan) for key in part.keys])
    labelled = np.isfinite(label)
    count = int(labelled.sum())
    if count < _FEWEST:
        return None
    score = np.array(part.scores)
    cluster = np.unique(part.clusters, return_inverse=True)[1]
    weight_of = (
        case_weights(np.array([trials[key.system, key.case_id] for key in part.keys])) if trials else None
    )
    weights = (None, None) if weight_of is None else (weight_of[labelled], weight_of[~labelled])
    if labelled.all():
        estimate, note = labels_only(label, cluster, weights[0]), "every judged undecided output is labelled"
    else:
        data = LabelledAndJudged(
            label[labelled],
            score[labelled],
            score[~labelled],
            cluster[labelled],
            cluster[~labelled],
            *weights,
        )
        weight, estimate = power_tuned(data)
        note = f"{_SAMPLED}; lambda {weight:.2f} (1: the judge is trusted like a label, 0: not at all)"
        chosen = chosen_by_score(data)
        if chosen is not None:
            estimate, note = undefined(_CHOSEN.format(chosen), n=count, level=estimate.level), None
    return StratumRate(
        name=CORRECTED,
        by=by,
        value=estimate.value,
        low=None if estimate.low is None else max(0.0, estimate.low),
        high=None if estimate.high is None else min(1.0, estimate.high),
        n=count,
        of=len(part.keys),
        outcomes={"not labelled": len(part.keys) - count},
        undefined=estimate.undefined,
        method=estimate.method,
        note=note,
        fractions=int(((label > 0) & (label < 1)).sum()),
        declared="every_output" if labelled.all() else chosen_by,
    )
