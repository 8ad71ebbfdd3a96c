"""Number of independent votes that a jury is worth, by how far its jurors err together.

The mean of k independent votes has a k-th of the variance of one. A jury is worth as many votes as the variance
of one juror's error is times that of the jurors' mean error: 1 for copies, k for k jurors that err independently.
Errors are taken within each class of labels, so that jurors who find one class harder do not look alike.

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

_FEWEST = 10
"""Fewest outputs on which a juror errs, or all have votes, from which their dependence is estimated."""

_MIN_CLUSTERS = 3
"""Fewest effective clusters with errors for an interval."""


def votes_of_juries(table: Table, level: float = 0.95) -> dict[str, JuryVotes]:
    """Return the number of independent votes of each jury of a run."""
    found = {name: _votes_of(table, jury, level) for name, jury in table.juries.items()}
    return {name: each for name, each in found.items() if each is not None}


def _votes_of(table: Table, jury: JuryMembers, level: float) -> JuryVotes | None:
    """Return the votes of a jury, or None if it has fewer than two jurors with verdicts."""
    output = np.unique(table.output_key(), return_inverse=True)[1]
    n = int(output.max(initial=-1)) + 1
    given = table.score if jury.by_score else np.where(np.isfinite(table.score), table.passed, np.nan)
    votes, weights = list[FloatArray](), list[float]()
    for name, weight in jury.weights.items():
        rows = table.judge.isin({name})
        repeat = table.key("repeat")[rows] if "repeat" in table.columns else np.zeros(int(rows.sum()))
        # Repeats of one judge are jurors, too.
        order = _numbers_within(output[rows], repeat)
        for number in range(int(order.max(initial=-1)) + 1):
            one = order == number
            votes.append(first_known(given[rows][one], output[rows][one], n))
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

    Without any label votes are compared instead of errors. Right answers that jurors share then count as
    dependence.

    Args:
        votes: Vote or score of each juror on each output, shape ``(k, n)``; NaN where there is none.
        weights: Weight of each juror.
        label: Label of each output, shape ``(n,)``; NaN where it is unknown.
        cluster: Cluster number of each output, shape ``(n,)``.
        level: Nominal coverage of the interval.
    """
    complete = np.isfinite(votes).all(axis=0)
    labelled = complete & np.isfinite(label)
    by_labels = bool(labelled.any())
    rows = labelled if by_labels else complete
    chosen, n = votes[:, rows], int(rows.sum())
    group = reaches(label[rows], HALF).astype(np.int64) if by_labels else np.zeros(n, dtype=np.int64)
    errors = chosen - label[rows] if by_labels else chosen
    informative = int((errors != 0).any(axis=0).sum()) if by_labels else n
    jury = JuryVotes(
        jurors=len(votes),
        by="labels" if by_labels else "agreement",
        n_informative=informative,
        votes=undefined(_too_few(informative, n, by_labels=by_labels), n=n, level=level),
    )
    if informative < _FEWEST:
        return jury
    # A juror that says the same of all outputs adds nothing.
    varies = np.ptp(chosen, axis=1) > 0
    within, numbers = _within(errors[varies], group), without_gaps(cluster[rows])[0]
    statistic = _ratio(within, np.array(weights)[varies], numbers, level)
    return msgspec.structs.replace(jury, constant=int((~varies).sum()), votes=statistic)


def _too_few(informative: int, n: int, *, by_labels: bool) -> str:
    if not by_labels:
        return f"all jurors have a verdict on only {n:,} outputs; it needs more outputs"
    return f"a juror errs on only {informative:,} of {n:,} labelled outputs; it needs more labels"


def _within(errors: FloatArray, group: IntArray) -> FloatArray:
    """Return each juror's errors minus its mean in the output's class."""
    centred = errors.copy()
    for each in np.unique(group):
        centred[:, group == each] -= errors[:, group == each].mean(axis=1, keepdims=True)
    return centred


def _ratio(errors: FloatArray, weights: FloatArray, cluster: IntArray, level: float) -> Statistic:
    """Return the variance of one juror's error over that of their mean."""
    jurors, n = errors.shape
    if jurors < 2:  # noqa: PLR2004 - dependence takes two
        why = "every juror says the same of all these outputs; it needs others"
        one = defined(1.0, n=n, method="the only juror whose votes vary", level=level)
        return one if jurors else undefined(why, n=n, level=level)
    share = weights / weights.sum()
    alone, together = share @ errors**2, (share @ errors) ** 2
    total, of_mean = float(alone.sum()), float(together.sum())
    if total <= 1e-12:  # noqa: PLR2004 - rounding
        return undefined(
            "each juror errs on all outputs of a class, or none; it needs more labels", n=n, level=level
        )
    if of_mean <= 1e-12 * total:
        return undefined("errors of jurors cancel out on each of these outputs", n=n, level=level)
    votes = max(1.0, round(total / of_mean, 12))
    influence = np.bincount(cluster, weights=alone / total - together / of_mean)
    # Clusters without errors tell little: those with many count.
    parts = np.bincount(cluster, weights=alone)
    clusters = float(parts.sum() ** 2 / (parts**2).sum())
    if clusters < _MIN_CLUSTERS:
        return defined(votes, n=n, method="few clusters with errors: no interval", level=level)
    error = math.sqrt(clusters / (clusters - 1) * float((influence**2).sum()))
    half = t_quantile(level, clusters - 1) * error
    ends = max(1.0, votes * math.exp(-half)), max(votes * math.exp(half), _of_unseen(share, clusters, level))
    return defined(votes, ends, n=n, method="log, over clusters", level=level)


def _of_unseen(share: FloatArray, clusters: float, level: float) -> float:
    """Return the votes if jurors err alone on the largest share that may go unseen."""
    unseen = 1 - ((1 - level) / 2) ** (1 / clusters)
    alone = float((share**2).sum())
    return ((1 - unseen) + unseen * alone) / ((1 - unseen) + unseen * alone**2)
