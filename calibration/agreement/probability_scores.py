"""Scores as probabilities: parts of the Brier score, equal-mass bins, and confidence."""

from __future__ import annotations

import numpy as np

from ...records.made_scores import reaches
from ..arrays import FloatArray, IntArray
from ..intervals.bootstrap import in_blocks
from ..intervals.closed_forms import t_interval
from ..intervals.measurement import JACKKNIFE_BLOCKS, Settings, measure
from ..intervals.special_intervals import gaps_interval
from ..intervals.variance import left_out_error
from ..sample import Sample, make_sample
from ..statistic import Statistic, defined, undefined
from ..statistic_catalogue import ESTIMATORS
from ..statistics.probabilities import brier_parts, corrected_brier_parts, equal_mass_groups
from ..tables.calibration_table import Table
from ..thresholds.certified_thresholds import confidence_of
from .diagnosis_results import ProbabilityScores
from .judge_panel import usable_rows, usable_sample
from .probability_curve import calibration_slope, losses, reliability_bins, risk_by_coverage

_MAX_GROUPS = 10
"""Maximum number of groups of scores."""

_MIN_ROWS_PER_GROUP = 5
"""Minimum mean number of rows per group of scores."""

_ROUNDING = 1e-12
"""A standard error below this is rounding."""

_NO_INTERVAL = "no interval: a part of the Brier score of these rows"
"""Method of a part of the Brier score."""


def probability_scores(table: Table, *, settings: Settings) -> ProbabilityScores | None:
    """Evaluate a judge's scores as probabilities that an output is right.

    None for a judge whose scores are all 0 or 1.
    """
    sample = usable_sample(table)
    if np.isin(sample.cells.score, (0.0, 1.0)).all():
        return None
    group, grouping = grouped(sample)
    rows = usable_rows(table)
    scored_rows, level = (rows.score, rows.right, rows.cluster), settings.level
    return ProbabilityScores(
        n=sample.n,
        groups=int(group.max()) + 1,
        grouping=grouping,
        statistics=brier_statistics(sample, group, settings),
        confidence=_confidence(table, settings),
        bins=reliability_bins(*scored_rows, level=level),
        calibration=losses(*scored_rows, level=level) | calibration_slope(*scored_rows, level=level),
        coverage=risk_by_coverage(
            confidence_of(rows.score, rows.threshold), rows.passed != rows.right, rows.cluster, level=level
        ),
        distinct=len(np.unique(rows.score)),
        certain=int(np.isin(rows.score, (0.0, 1.0)).sum()),
    )


def grouped(sample: Sample) -> tuple[IntArray, str]:
    """Group a sample's scores; return the group of each cell, ``(m,)``, and the kind of groups."""
    score_numbers = np.unique(sample.cells.score, return_inverse=True)[1]
    if score_numbers.max() < _MAX_GROUPS:
        return score_numbers, "distinct scores"
    groups = max(2, min(_MAX_GROUPS, sample.n // _MIN_ROWS_PER_GROUP))
    return equal_mass_groups(sample.cells.score, sample.counts, groups), "bins of equal mass"


def brier_statistics(sample: Sample, group: IntArray, settings: Settings) -> dict[str, Statistic]:
    """Return the parts of a sample's Brier score, plain and corrected, and its ECE over groups.

    Args:
        sample: Labels and scores.
        group: Group number of each cell, without gaps, shape ``(m,)``.
        settings: Interval settings.
    """
    n, level = sample.n, settings.level
    outcome = reaches(sample.cells.label, sample.cells.pass_at).astype(np.float64)
    score = sample.cells.score
    parts = brier_parts(outcome, score, group, sample.counts)
    statistics = {
        name: defined(value, n=n, method=_NO_INTERVAL, level=level) for name, value in parts._asdict().items()
    }
    corrected = corrected_brier_parts(outcome, score, group, sample.counts)
    if corrected is None:
        why = "a score, or a bin, has a single row"
        statistics |= {
            f"{name}_corrected": undefined(why, n=n, level=level) for name in ("reliability", "resolution")
        }
    else:
        errors, blocks = _jackknife(sample, group, outcome, settings.seed)
        for name, value, error in zip(
            ("reliability", "resolution"), corrected[:2], errors.tolist(), strict=True
        ):
            interval = t_interval(value, error, blocks, level) if error > _ROUNDING else None
            method = f"cluster-t (jackknife of {blocks} blocks){'' if interval else _why_no_interval(error)}"
            statistics[f"{name}_corrected"] = defined(value, interval, n=n, method=method, level=level)
    statistics["uncertainty"] = _uncertainty(sample, parts.uncertainty, settings)
    statistics["ece_equal_mass"] = _ece(sample, group, outcome, level)
    return statistics


def _why_no_interval(error: float) -> str:
    if np.isnan(error):
        return ": no interval, without some block a group has a single row"
    return ": no interval, leaving out a block makes no difference"


def _jackknife(sample: Sample, group: IntArray, outcome: FloatArray, seed: int) -> tuple[FloatArray, int]:
    """Return block-jackknife standard errors of corrected reliability and resolution.

    Blocks are of clusters; the second value is the number of blocks.
    """
    if sample.n_clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return np.full(2, np.nan), sample.n_clusters
    blocks = in_blocks(sample, min(JACKKNIFE_BLOCKS, sample.n_clusters), seed)
    values: list[FloatArray] = []
    for weights, _ in blocks.without_each_group(1):
        present = weights[0] > 0
        group_numbers = np.unique(group[present], return_inverse=True)[1]
        parts = corrected_brier_parts(
            outcome[present], sample.cells.score[present], group_numbers, weights[0][present]
        )
        values.append(np.full(2, np.nan) if parts is None else np.array(parts[:2]))
    return left_out_error(np.array(values)), len(values)


def _uncertainty(sample: Sample, value: float, settings: Settings) -> Statistic:
    """Return ``rate (1 - rate)``, with its range over the interval of the rate.

    The delta method fails at a rate of one half, where the slope is 0.
    """
    rate = measure([ESTIMATORS["prevalence"]], sample, Settings(level=settings.level))["prevalence"]
    if rate.low is None or rate.high is None:
        return defined(value, n=sample.n, method=rate.method, level=settings.level)
    ends = [end * (1 - end) for end in (rate.low, rate.high)]
    # rate (1 - rate) rises to 0.25 at a rate of one half, and falls from there.
    highest = 0.25 if rate.low <= 0.5 <= rate.high else max(ends)  # noqa: PLR2004 - a half
    return defined(
        value, (min(ends), highest), n=sample.n, method=f"{rate.method}, of the rate", level=settings.level
    )


def _ece(sample: Sample, group: IntArray, outcome: FloatArray, level: float) -> Statistic:
    """Return the expected calibration error over the groups."""
    in_group = np.eye(int(group.max()) + 1)[group]  # one row per cell, 1 in the column of its group
    gaps = in_group * (outcome - sample.cells.score)[:, None]
    parts: FloatArray = sample.counts @ gaps / sample.n
    interval, method = gaps_interval(gaps, sample, level)
    return defined(float(np.abs(parts).sum()), interval, n=sample.n, method=method, level=level)


def _confidence(table: Table, settings: Settings) -> dict[str, Statistic]:
    """Measure how well the judge's confidence in its verdict predicts that it is right."""
    rows = usable_rows(table)
    passed = rows.passed
    right = (passed == rows.right).astype(np.float64)
    sample = make_sample(right, np.where(passed, rows.score, 1 - rows.score), rows.cluster)
    return measure([ESTIMATORS["auroc"], ESTIMATORS["ece"]], sample, settings)
