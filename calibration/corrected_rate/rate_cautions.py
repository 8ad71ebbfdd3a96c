"""Cautions that limit an estimated rate."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from ..arrays import clusters_in
from ..statistic import FEW_CLUSTERS, Caution, RateCaution, labels_of_checkers
from ..tables.calibration_table import ROUND, Table
from ..tied_labels import tied_labels
from .drawn import was_drawn
from .label_order import label_rounds
from .rate_estimates import RateTerms
from .strata import stratified_items

_ALARM = 0.01
"""Significance level of the test that labels are spread over strata as in a random sample."""


def rate_cautions(table: Table, options: RateTerms, name: str, chosen: float | None) -> list[Caution]:
    """Return the cautions that limit an estimate.

    Args:
        table: The rows of the estimate.
        options: Terms of the estimate.
        name: Name of the estimate in the cautions: a system, or ``all``.
        chosen: p-value of "labelled items are scored like the rest", if that is rejected.
    """
    numbers: dict[RateCaution, float | None] = {
        "chosen_by_score": chosen,
        "few_labelled_clusters": _few_clusters(table, options),
        "no_chance": _drawn_without_chance(table),
        "looked_at": None if options.anytime else _rounds_looked_at(table),
        "uneven_strata": None if options.chosen_by else _uneven_strata(table),
    }
    cautions = [Caution(kind, {name: number}) for kind, number in numbers.items() if number is not None]
    return cautions + labels_of_checkers(table.checkers) + tied_labels(table)


def _few_clusters(table: Table, options: RateTerms) -> int | None:
    """Return the number of labelled clusters, or None if it is enough for cluster intervals."""
    cluster = table.cluster[np.isfinite(table.label) & np.isfinite(table.score)]
    # Intervals of a finite set and confidence sequences do not rest on many clusters.
    rests_on_clusters = options.target != "finite" and not options.anytime
    if not rests_on_clusters or len(cluster) <= 1 or clusters_in(cluster) >= FEW_CLUSTERS:
        return None
    return clusters_in(cluster)


def _rounds_looked_at(table: Table) -> int | None:
    rounds = 0 if was_drawn(table).any() else len(label_rounds(table))
    return rounds if rounds > 1 else None


def _drawn_without_chance(table: Table) -> int | None:
    """Count items drawn with no recorded probability, treated as a simple random sample."""
    if ROUND not in table.numbers:
        return None
    without_chance = np.isfinite(table.numbers[ROUND]) & ~was_drawn(table)
    return len(np.unique(table.item.codes[without_chance])) or None


def _uneven_strata(table: Table) -> float | None:
    """Return the p-value of a chi-squared test of labels by stratum against a random sample.

    None if it does not reject.
    """
    items = stratified_items(table)
    if items is None or was_drawn(table).any() or len(items.names) < 2:  # noqa: PLR2004 - one stratum is the whole
        return None
    size = np.bincount(items.stratum)
    labels = np.bincount(items.stratum, weights=np.isfinite(items.label))
    share = labels.sum() / size.sum()
    if not 0 < share < 1:
        return None
    chi2 = float(((labels - share * size) ** 2 / (size * share * (1 - share))).sum())
    p = float(chdtrc(len(size) - 1, chi2))
    return p if p <= _ALARM else None
