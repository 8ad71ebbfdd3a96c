"""Certified thresholds: the confidence from which on verdicts meet a maximum error rate.

A threshold is for one judge, or there is one for each of several judges asked in turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from msgspec import structs

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray, first_known
from ..intervals.closed_forms import clopper_pearson_interval
from ..tables.calibration_table import Table
from ..tables.columns import Column
from .threshold_results import BoundOf, Cascade, CertifiedThreshold

_STEPS = 10
"""Number of shares of verdicts that are tried: 10, 20 ... 100 %. They must be fixed before the data are seen."""

FAILURE = 0.1
"""Probability with which a guarantee may fail."""


def certify_threshold(
    confidence: FloatArray,
    wrong: BoolArray,
    *,
    max_error: float,
    failure: float = FAILURE,
    cluster: IntArray | None = None,
    by_size: bool = False,
    seed: int = 0,
) -> CertifiedThreshold:
    """Certify a threshold by fixed-sequence testing.

    The most confident 10, 20 ... 100 % are tested, up to the first whose error bound is too high. With probability
    ``1 - failure`` over calibration samples, the verdicts kept at the threshold are wrong at most
    ``max_error`` of the time. The exact bound needs independent rows, so one row of each cluster is drawn.

    Source: Angelopoulos et al. 2021 (Learn then Test); Jung et al. 2024 (arXiv 2407.18370).

    Args:
        confidence: Confidence of each verdict, in [0, 1], shape ``(n,)``.
        wrong: Whether the verdict is wrong, shape ``(n,)``.
        max_error: The error rate to be guaranteed.
        failure: Probability with which the guarantee may fail.
        cluster: Cluster number of each row, or None if every row is its own.
        by_size: Whether a cluster's row is used only with a chance of the cluster's size over the largest, so that
            all rows have the same chance. Then the bound is for rows; otherwise it is for one row of each cluster,
            which differs if clusters differ in size.
        seed: Seed of the draw of one row per cluster.

    Returns:
        The laxest certified threshold, or why there is none. Thresholds that keep too few rows to be certified
        even without errors are skipped.
    """
    sampling_note = ""
    if cluster is not None:
        sample = _one_per_cluster(cluster, seed, by_size=by_size)
        sampling = "one per cluster, drawn by size" if by_size else "one per cluster"
        sampling_note = f" ({sampling})" if len(sample) < len(wrong) else ""
        confidence, wrong = confidence[sample], wrong[sample]
    # With fewer verdicts, the chance of no error at an error rate of `max_error` is above `failure`.
    min_verdicts = math.ceil(math.log(failure) / math.log(1 - max_error))
    rows = int((confidence >= 0).sum())
    reason = f"that needs {min_verdicts} verdicts or more with almost no errors, and there are {rows}{sampling_note}"
    best: CertifiedThreshold | None = None
    for threshold in coverage_thresholds(confidence):
        keep = reaches(confidence, threshold)
        n_kept, errors = int(keep.sum()), int((keep & wrong).sum())
        if n_kept < min_verdicts:
            continue
        # A one-sided bound at `failure` is the upper end of a two-sided interval at twice that.
        bound = clopper_pearson_interval(errors, n_kept, 1 - 2 * failure)[1]
        if bound > max_error:
            reason = f"{errors} of the {n_kept} most confident verdicts{sampling_note} are wrong, so the error rate may be {bound:.2f}"
            break
        best = CertifiedThreshold(threshold, n_kept, errors, bound, n_kept / len(confidence))
    return best or CertifiedThreshold(undefined=f"no threshold certified: {reason}")


def coverage_thresholds(confidence: FloatArray) -> list[float]:
    """Return the confidences that keep at least 10, 20 ... 100 % of verdicts, strict to lax.

    Which verdicts are kept depends only on the ranks of the confidences, so two judges with the same ranking keep the
    same verdicts. A confidence below 0 means that there is none; such rows are never kept.
    """
    descending = np.sort(confidence[confidence >= 0])[::-1]
    if not len(descending):
        return []
    ranks = {math.ceil(len(descending) * step / _STEPS) for step in range(1, _STEPS + 1)}
    return sorted({float(descending[rank - 1]) for rank in ranks}, reverse=True)


def _one_per_cluster(cluster: IntArray, seed: int, *, by_size: bool = False) -> IntArray:
    """Return a random row of each cluster; ``by_size`` drops smaller clusters more often."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(cluster))
    _, first, size = np.unique(cluster[order], return_index=True, return_counts=True)
    rows = order[first]
    if not by_size:
        return rows
    # Keep a cluster's row with a chance of its size over the largest.
    return rows[rng.random(len(rows)) * size.max(initial=0) < size]


def bound_of(table: Table) -> BoundOf:
    """Return what a bound from one row per cluster is for: outputs if cluster sizes are equal."""
    graded = table.take(np.isfinite(table.score)).each_output_once()
    sizes = np.unique(graded.cluster, return_counts=True)[1]
    return "outputs" if len(np.unique(sizes)) <= 1 else "clusters"


def in_order_of_items(table: Table) -> Table:
    """Return the rows of a run in the order of items and scores; other tables as they are.

    Rows of runs are in the arbitrary order of replies, which would change the row that is drawn of each cluster.
    """
    if not table.judges:
        return table
    values = sorted(table.item.values)
    sorted_code = {value: code for code, value in enumerate(values)}
    codes = np.array([sorted_code[value] for value in table.item.values], np.int64)[table.item.codes]
    ordered = replace(table, item=Column(values, codes)).take(np.lexsort((table.score, codes)))
    # Numbers of clusters are in the order of replies, too: renumber them by first appearance.
    first, number = np.unique(ordered.cluster, return_index=True, return_inverse=True)[1:]
    return replace(ordered, cluster=np.argsort(np.argsort(first))[number])


class Verdicts(NamedTuple):
    """Verdicts of one judge of a cascade; all judges of a cascade grade the same items.

    Attributes:
        confidence: Confidence in [0, 1], shape ``(n,)``; NaN without a verdict.
        wrong: Whether the verdict is wrong, shape ``(n,)``.
    """

    confidence: FloatArray
    wrong: BoolArray


def certify_cascade(
    judges: Mapping[str, Verdicts],
    *,
    max_error: float,
    cluster: IntArray | None = None,
    seed: int = 0,
) -> Cascade:
    """Certify each judge of a cascade on the items that the judges before it left undecided.

    With probability ``1 - FAILURE`` over calibration samples the verdicts that each judge keeps, and so all that are
    kept, are wrong at most ``max_error`` of the time. A judge without a certified threshold decides nothing. Judges
    are in the order in which they are asked. One item of each cluster, drawn by ``seed``, is used.

    Source: Jung et al. 2024 (arXiv 2407.18370), but with the failure probability divided among the judges,
    since failures add up.
    """
    items = np.arange(len(next(iter(judges.values())).wrong))
    remaining = items if cluster is None else _one_per_cluster(cluster, seed)
    total, decided, errors = len(remaining), 0, 0
    thresholds: dict[str, CertifiedThreshold] = {}
    for name, verdicts in judges.items():
        # Without a verdict there is no confidence, and an item without confidence is never kept.
        confidence = np.nan_to_num(verdicts.confidence[remaining], nan=-1.0)
        wrong = verdicts.wrong[remaining]
        thresholds[name] = certify_threshold(
            confidence, wrong, max_error=max_error, failure=FAILURE / len(judges)
        )
        threshold = thresholds[name].threshold
        if threshold is not None:
            keep = reaches(confidence, threshold)
            decided += int(keep.sum())
            errors += int((keep & wrong).sum())
            remaining = remaining[~keep]
    return Cascade(thresholds, decided, errors, total, decided / total if total else None)


def cascade_of(table: Table, names: list[str], max_error: float, seed: int) -> Cascade:
    """Certify a cascade of judges of a table, on its labelled items."""
    labelled = in_order_of_items(table.take(np.isfinite(table.label)))
    key, first, item = np.unique(labelled.output_key(), return_index=True, return_inverse=True)
    label = labelled.label[first]
    verdicts: dict[str, Verdicts] = {}
    for name in names:
        rows = labelled.judge.codes == labelled.judge.values.index(name)
        score = first_known(labelled.score[rows], item[rows], len(key))
        pass_at = table.threshold_of(name).at
        wrong: BoolArray = (reaches(score, pass_at)) != (reaches(label, pass_at))
        verdicts[name] = Verdicts(confidence_of(score, pass_at), wrong)
    cascade = certify_cascade(verdicts, max_error=max_error, cluster=labelled.cluster[first], seed=seed)
    population = bound_of(table)
    certified = {
        name: structs.replace(threshold, bound_of=population) for name, threshold in cascade.judges.items()
    }
    return structs.replace(cascade, judges=certified)


def confidence_of(score: FloatArray, pass_at: FloatArray | float) -> FloatArray:
    """Return each score's distance from the threshold, as a share of the way to 0 or 1.

    NaN where there is no score.
    """
    passes = reaches(score, pass_at)
    above = (score - pass_at) / np.maximum(1 - pass_at, 1e-9)
    confidence = np.where(passes, above, (pass_at - score) / pass_at)
    # At a threshold of 1 only a score of 1 passes; it is at the end of the way, so its confidence is 1.
    return np.where(passes & (pass_at == 1.0), 1.0, confidence)
