"""Number of independent votes that a jury is worth, by how far its jurors err together.

The mean of k independent votes has 1 / k of the variance of one vote. So a jury is worth the variance of one
juror's error divided by the variance of the jurors' mean error: 1 for copies, k for k jurors that err
independently. Errors are taken within each class of labels, so that jurors who find one class harder do not look
alike.

Source: Kish 1965 (design effect, effective sample size).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from ...records.made_scores import reaches
from ..arrays import FloatArray, IntArray, first_known, without_gaps
from ..intervals.closed_forms import t_quantile
from ..pass_threshold import HALF
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import JuryMembers, Table
from .diagnosis_results import JuryVotes

_MIN_INFORMATIVE = 10
"""Minimum number of outputs on which some juror errs; without labels, of outputs with all votes."""

_MIN_CLUSTERS = 3
"""Minimum effective number of clusters with errors, for an interval."""


def votes_of_juries(table: Table, level: float = 0.95) -> dict[str, JuryVotes]:
    """Return the number of independent votes of each jury of a run."""
    votes = {name: _votes_of(table, jury, level) for name, jury in table.juries.items()}
    return {name: jury_votes for name, jury_votes in votes.items() if jury_votes is not None}


def _votes_of(table: Table, jury: JuryMembers, level: float) -> JuryVotes | None:
    """Return the votes of a jury, or None if it has fewer than two jurors with verdicts."""
    output = np.unique(table.output_key(), return_inverse=True)[1]
    n = int(output.max(initial=-1)) + 1
    values = table.score if jury.by_score else np.where(np.isfinite(table.score), table.passed, np.nan)
    votes, weights = list[FloatArray](), list[float]()
    for name, weight in jury.weights.items():
        rows = table.judge.isin({name})
        repeat = table.key("repeat")[rows] if "repeat" in table.columns else np.zeros(int(rows.sum()))
        # Repeats of one judge are jurors, too.
        repeat_number = _numbers_within(output[rows], repeat)
        for number in range(int(repeat_number.max(initial=-1)) + 1):
            in_repeat = repeat_number == number
            votes.append(first_known(values[rows][in_repeat], output[rows][in_repeat], n))
            weights.append(weight)
    if len(votes) < 2:  # noqa: PLR2004 - a jury has two votes
        return None
    label = first_known(table.label, output, n)
    cluster = np.zeros(n, dtype=np.int64)
    cluster[output] = table.cluster
    return effective_votes(np.array(votes), weights, label, cluster, level=level)


def _numbers_within(output: IntArray, repeat: FloatArray | IntArray) -> IntArray:
    """Return the number of each row among those of its output, in order of repeats, from 0."""
    order = np.lexsort((repeat, output))
    sizes = np.bincount(output, minlength=1)
    starts = np.cumsum(sizes) - sizes
    numbers = np.empty(len(output), dtype=np.int64)
    numbers[order] = np.arange(len(output)) - starts[output[order]]
    return numbers


def effective_votes(
    votes: FloatArray,
    weights: Sequence[float],
    label: FloatArray,
    cluster: IntArray,
    *,
    level: float = 0.95,
) -> JuryVotes:
    """Return the number of independent votes of jurors, by errors or by agreement.

    Without labels, votes are compared instead of errors. Right answers that jurors share then count as
    dependence.

    Args:
        votes: Vote or score of each juror on each output, shape ``(k, n)``; NaN for a missing vote.
        weights: Weight of each juror.
        label: Label of each output, shape ``(n,)``; NaN where it is unknown.
        cluster: Cluster number of each output, shape ``(n,)``.
        level: Nominal coverage of the interval.
    """
    complete = np.isfinite(votes).all(axis=0)
    labelled = complete & np.isfinite(label)
    by_labels = bool(labelled.any())
    rows = labelled if by_labels else complete
    usable_votes, n = votes[:, rows], int(rows.sum())
    group = reaches(label[rows], HALF).astype(np.int64) if by_labels else np.zeros(n, dtype=np.int64)
    errors = usable_votes - label[rows] if by_labels else usable_votes
    n_informative = int((errors != 0).any(axis=0).sum()) if by_labels else n
    jury = JuryVotes(
        jurors=len(votes),
        by="labels" if by_labels else "agreement",
        n_informative=n_informative,
        votes=undefined(_too_few(n_informative, n, by_labels=by_labels), n=n, level=level),
    )
    if n_informative < _MIN_INFORMATIVE:
        return jury
    # A juror with the same vote on all outputs adds nothing.
    varies = np.ptp(usable_votes, axis=1) > 0
    centred, cluster_number = _within_classes(errors[varies], group), without_gaps(cluster[rows])[0]
    statistic = _variance_ratio(centred, np.array(weights)[varies], cluster_number, level)
    return msgspec.structs.replace(jury, constant=int((~varies).sum()), votes=statistic)


def _too_few(informative: int, n: int, *, by_labels: bool) -> str:
    if not by_labels:
        return f"all jurors have a verdict on only {n:,} outputs; it needs more outputs"
    return f"a juror errs on only {informative:,} of {n:,} labelled outputs; it needs more labels"


def _within_classes(errors: FloatArray, group: IntArray) -> FloatArray:
    """Return each juror's errors minus its mean in the output's class."""
    centred = errors.copy()
    for label_class in np.unique(group):
        rows = group == label_class
        centred[:, rows] -= errors[:, rows].mean(axis=1, keepdims=True)
    return centred


def _variance_ratio(errors: FloatArray, weights: FloatArray, cluster: IntArray, level: float) -> Statistic:
    """Return the variance of one juror's error over that of their mean."""
    jurors, n = errors.shape
    if jurors < 2:  # noqa: PLR2004 - dependence takes two
        why = "every juror says the same of all these outputs; it needs others"
        single_vote = defined(1.0, n=n, method="the only juror whose votes vary", level=level)
        return single_vote if jurors else undefined(why, n=n, level=level)
    # Weights are shares of the jury's mean. Errors are centred, so mean squares are variances times n.
    share = weights / weights.sum()
    single_squares, mean_squares = share @ errors**2, (share @ errors) ** 2
    single_total, mean_total = float(single_squares.sum()), float(mean_squares.sum())
    if single_total <= 1e-12:  # noqa: PLR2004 - rounding
        return undefined(
            "each juror errs on all outputs of a class, or none; it needs more labels", n=n, level=level
        )
    if mean_total <= 1e-12 * single_total:
        return undefined("errors of jurors cancel out on each of these outputs", n=n, level=level)
    votes = max(1.0, round(single_total / mean_total, 12))
    # Influence on the log of the ratio.
    influence = np.bincount(cluster, weights=single_squares / single_total - mean_squares / mean_total)
    # Clusters without errors tell little, so clusters are weighted by their squared errors.
    squares_by_cluster = np.bincount(cluster, weights=single_squares)
    clusters = float(squares_by_cluster.sum() ** 2 / (squares_by_cluster**2).sum())  # Kish's effective number
    if clusters < _MIN_CLUSTERS:
        return defined(votes, n=n, method="few clusters with errors: no interval", level=level)
    error = math.sqrt(clusters / (clusters - 1) * float((influence**2).sum()))
    half_width = t_quantile(level, clusters - 1) * error
    upper = max(votes * math.exp(half_width), _votes_with_unseen_errors(share, clusters, level))
    ends = max(1.0, votes * math.exp(-half_width)), upper
    return defined(votes, ends, n=n, method="log, over clusters", level=level)


def _votes_with_unseen_errors(share: FloatArray, clusters: float, level: float) -> float:
    """Return the votes if jurors err one at a time on the largest share that may go unseen."""
    # An event of this probability is missed by all clusters with probability (1 - level) / 2.
    unseen = 1 - ((1 - level) / 2) ** (1 / clusters)
    squares = float((share**2).sum())
    return ((1 - unseen) + unseen * squares) / ((1 - unseen) + unseen * squares**2)
