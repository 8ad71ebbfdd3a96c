"""Repeated verdicts on one output, of which only the first counts in a rate."""

from __future__ import annotations

import msgspec
import numpy as np

from ..arrays import BoolArray
from ..statistic import Caution, Statistic
from ..tables.calibration_table import Table
from ..variance_split import VarianceSplit, variance_split
from .estimation_results import Estimation, RateEstimate


def with_repeats(estimation: Estimation, repeated: Table, level: float) -> Estimation:
    """Add the variance of repeated verdicts, and how many are not counted."""
    column = repeated.columns.get("system")
    rows = {} if column is None else dict(column.present())

    def of_part(rate: RateEstimate, name: str, part: Table, counted: int) -> RateEstimate:
        judged = np.isfinite(part.score)
        beyond = int(judged.sum()) - counted
        caution = [Caution("repeats", {name: float(beyond)})] if beyond > 0 else []
        split = score_variance(part, judged, rate.uncorrected, level)
        return msgspec.structs.replace(rate, variance=split, cautions=[*rate.cautions, *caution])

    def judged_of(rate: RateEstimate) -> int:
        return rate.n_labelled + rate.n_unlabelled

    return msgspec.structs.replace(
        estimation,
        all=of_part(estimation.all, "all", repeated, judged_of(estimation.all)),
        systems={
            name: of_part(rate, name, repeated.take(rows[name]), judged_of(rate))
            for name, rate in estimation.systems.items()
        },
    )


def score_variance(table: Table, judged: BoolArray, mean: Statistic, level: float) -> VarianceSplit | None:
    """Split the variance of a judge's scores between items and their repeats or trials."""
    if not {"repeat", "trial"} & table.columns.keys():
        return None
    item = table.key("system")[judged]
    return variance_split(table.score[judged], item, table.cluster[judged], mean=mean, level=level)
