"""How far several raters agree with each other: Krippendorff's alpha with an interval."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.bootstrap import acceleration, bca_interval, bootstrap, varies
from ..intervals.measurement import Settings
from ..sample import Cells, Sample, reduce_rows
from ..statistic import Statistic, defined, undefined
from ..statistics.krippendorff import Level, alpha_of_units, value_counts


def reliability(
    ratings: FloatArray,
    level: Level = "nominal",
    *,
    cluster: IntArray | None = None,
    settings: Settings | None = None,
) -> Statistic:
    """Krippendorff's alpha of any number of raters, with gaps, and a BCa bootstrap over units or clusters of them.

    Source: Krippendorff 2011.

    Args:
        ratings: Values, shape ``(raters, units)``; NaN where a rater did not rate. Units with fewer than two values
            are left out.
        level: What differences mean: nominal, ordinal, interval or ratio.
        cluster: Cluster number of each unit, shape ``(units,)``; None when every unit is its own.
        settings: Level of the interval, replicates and seed.

    Returns:
        Alpha; ``n`` is the number of units with two values or more.

    Raises:
        ValueError: ``ratio`` with negative values.
    """
    settings = settings or Settings()
    paired = np.isfinite(ratings).sum(axis=0) > 1
    ratings, n = ratings[:, paired], int(paired.sum())
    if not n:
        return undefined("no unit has two values", n=0, level=settings.level)
    if level == "ratio" and (ratings < 0).any():
        raise ValueError("the ratio level needs values of at least 0")
    values, counts = value_counts(ratings)
    columns, groups, sizes = reduce_rows(list(counts.T), None if cluster is None else cluster[paired])
    units = np.stack(columns, axis=1)
    # The cells of this sample are the distinct units; what they hold is in `units`.
    number = np.arange(len(units), dtype=np.float64)
    sample = Sample(Cells(number, number, 0.5), groups, sizes)

    def formula(weights: FloatArray) -> FloatArray:
        return alpha_of_units(weights, units, values, level)

    value = float(formula(sample.counts))
    if not np.isfinite(value):
        return undefined("all values are one and the same", n=n, level=settings.level)
    method = "BCa bootstrap" if sample.singletons else "BCa bootstrap over clusters"
    draws = bootstrap([formula], sample, replicates=settings.replicates, seed=settings.seed)[0]
    if sample.n_clusters < 2 or not varies(draws):  # noqa: PLR2004 - one cluster has no spread
        return defined(value, n=n, method="no interval: nothing varies over the units", level=settings.level)
    skewness = acceleration(formula, sample, seed=settings.seed)
    ends = bca_interval(value, draws, skewness, settings.level, sample.n_clusters)
    if ends is None:
        method += f": no interval, {np.isnan(draws).mean():.0%} of the replicates are undefined"
    return defined(value, ends, n=n, method=method, level=settings.level)
