"""`fiducial.plan`: how many labels or items it takes, and which to label next, before they are paid for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Unpack

import numpy as np

from ..calibration.planning.assured_labels import DEFAULT_ASSURANCE, Expected, assured_labels, average_labels
from ..calibration.planning.next_labels import next_by_doubt, next_by_stratum, next_to_label, unlabelled_items
from ..calibration.planning.results import Draw
from ..calibration.planning.sample_sizes import design_effect, items_for_difference
from ..calibration.tables.table import Table
from ..calibration.true_rate.estimation import of_judge
from ..errors import UsageError
from .results import SamplePlan
from .tables import Reading, Tables, read


def plan(
    table: Tables | None = None,
    *,
    half_width: float | None = None,
    tpr: float = 0.9,
    tnr: float = 0.9,
    prevalence: float = 0.5,
    unlabelled: int | None = None,
    assurance: float | None = DEFAULT_ASSURANCE,
    difference: float | None = None,
    discordant: float = 0.2,
    power: float = 0.8,
    rows_per_cluster: float = 1.0,
    icc: float = 0.0,
    draw: int | None = None,
    by_doubt: bool = False,
    strata: str | None = None,
    judge: str | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> SamplePlan:
    """Say how many labels or items it takes, and draw the items to label next.

    Args:
        table: What to draw from, in any form; of runs, what no checker decided.
        half_width: Labels for intervals of 95 % this narrow.
        tpr: Expected true positive rate of the judge.
        tnr: Expected true negative rate.
        prevalence: Expected share of right outputs.
        unlabelled: Items judged and not labelled, for the corrected rate.
        assurance: Share of samples in which intervals are to be as narrow as that; None for on average, as textbooks have it.
        difference: Items to find this difference between two judges.
        discordant: Share of items on which just one of them is right.
        power: Wanted chance to find it.
        rows_per_cluster: Items in a cluster.
        icc: Correlation within clusters.
        draw: How many items to draw.
        by_doubt: Draw likelier where labels are in doubt.
        strata: Draw from each stratum as many as the labels so far ask for: a column, or ``score``.
        judge: Whose doubt, where the table has several judges.
        seed: Of the draw.
        **reading: How the table is read; see `Reading`.

    Returns:
        The plan.

    Raises:
        InputError: There is nothing to draw from, or the strata cannot be made.
        UsageError: Nothing is to be planned, or two things that exclude each other.
    """
    if half_width is None and difference is None and draw is None:
        raise UsageError("say what to plan: --half-width, --difference or --next")
    if (draw is None) != (table is None):
        raise UsageError("--next draws from a TABLE; give both, or neither")
    if by_doubt and strata:
        raise UsageError("--by-doubt and --strata are two ways to draw; give one")
    if difference is not None and difference > discordant:
        raise UsageError("--difference cannot be above --discordant: the judges differ on those items only")
    effect = design_effect(rows_per_cluster, icc)
    labels = None
    if half_width is not None:
        expected = Expected(tpr, tnr, prevalence, rows_per_cluster, icc)
        labels = _labels(half_width, expected, unlabelled, assurance)
    return SamplePlan(
        design_effect=effect,
        half_width=half_width,
        assurance=assurance,
        labels=labels,
        difference=difference,
        power=power,
        items=None
        if difference is None
        else math.ceil(items_for_difference(difference, discordant, power=power) * effect),
        draw=None
        if table is None or draw is None
        else _draw(
            read(table, open_only=True, **reading),
            draw,
            judge=judge,
            by_doubt=by_doubt,
            strata=strata,
            seed=seed,
        ),
    )


def _labels(
    half_width: float, expected: Expected, unlabelled: int | None, assurance: float | None
) -> Mapping[str, int | None]:
    """Labels by rate; on average where no assurance is asked for."""
    if assurance is not None:
        return assured_labels(expected, half_width, unlabelled=unlabelled, assurance=assurance)
    sizes = average_labels(expected, half_width, unlabelled)
    return {name: size if size is None else math.ceil(size * expected.effect) for name, size in sizes.items()}


def _draw(
    table: Table, count: int, *, judge: str | None, by_doubt: bool, strata: str | None, seed: int
) -> Draw:
    table = table if judge is None else of_judge(table, judge)
    judged = table.take(np.isfinite(table.score)) if by_doubt or strata is not None else table
    of = len(unlabelled_items(judged))
    if strata is not None:
        found = next_by_stratum(table, count, strata, seed=seed)
        return Draw(
            chances={item: chance for item, (_, chance) in found.items.items()},
            of=of,
            strata=found.strata,
            stratum_of={item: stratum for item, (stratum, _) in found.items.items()},
        )
    if by_doubt:
        return Draw(chances=next_by_doubt(table, count, seed=seed), of=of)
    return Draw(chances=dict.fromkeys(next_to_label(table, count, seed=seed)), of=of)
