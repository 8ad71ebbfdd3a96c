"""Repeated verdicts on one output; only the first of them counts in a rate."""

from __future__ import annotations

import msgspec
import numpy as np

from ..arrays import BoolArray
from ..statistic import Caution, Statistic
from ..tables.calibration_table import Table
from ..variance_split import VarianceSplit, variance_split
from .estimation_results import Estimation, RateEstimate


def with_repeats(estimation: Estimation, repeated: Table, level: float) -> Estimation:
    """Add the variance of repeated verdicts, and a caution with the number that do not count.

    Args:
        estimation: Rates of first verdicts.
        repeated: All verdicts.
        level: Nominal coverage.
    """
    column = repeated.columns.get("system")
    rows_by_system = {} if column is None else dict(column.present())

    def with_variance(rate: RateEstimate, name: str, part: Table) -> RateEstimate:
        judged = np.isfinite(part.score)
        n_counted = rate.n_labelled + rate.n_unlabelled
        n_repeats = int(judged.sum()) - n_counted
        caution = [Caution("repeats", {name: float(n_repeats)})] if n_repeats > 0 else []
        split = score_variance(part, judged, rate.uncorrected, level)
        return msgspec.structs.replace(rate, variance=split, cautions=[*rate.cautions, *caution])

    return msgspec.structs.replace(
        estimation,
        all=with_variance(estimation.all, "all", repeated),
        systems={
            name: with_variance(rate, name, repeated.take(rows_by_system[name]))
            for name, rate in estimation.systems.items()
        },
    )


def score_variance(table: Table, judged: BoolArray, mean: Statistic, level: float) -> VarianceSplit | None:
    """Split the variance of a judge's scores between items and their repeats or trials."""
    if not {"repeat", "trial"} & table.columns.keys():
        return None
    item = table.key("system")[judged]
    return variance_split(table.score[judged], item, table.cluster[judged], mean=mean, level=level)
