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
    """Return the cautions that limit an estimate."""
    numbers: dict[RateCaution, float | None] = {
        "chosen_by_score": chosen,
        "few_labelled_clusters": _few_clusters(table, options),
        "no_chance": _drawn_without_chance(table),
        "looked_at": None if options.anytime else _looks(table),
        "uneven_strata": None if options.chosen_by else _uneven(table),
    }
    cautions = [Caution(kind, {name: number}) for kind, number in numbers.items() if number is not None]
    return cautions + labels_of_checkers(table.checkers) + tied_labels(table)


def _few_clusters(table: Table, options: RateTerms) -> int | None:
    """Return the number of labelled clusters if too few for a cluster interval, else None."""
    cluster = table.cluster[np.isfinite(table.label) & np.isfinite(table.score)]
    few = clusters_in(cluster) < FEW_CLUSTERS
    assumed_many = options.target != "finite" and not options.anytime
    return clusters_in(cluster) if few and len(cluster) > 1 and assumed_many else None


def _looks(table: Table) -> int | None:
    """Return the number of rounds in which a random sample was labelled, if there were several."""
    rounds = 0 if was_drawn(table).any() else len(label_rounds(table))
    return rounds if rounds > 1 else None


def _drawn_without_chance(table: Table) -> int | None:
    """Count items drawn with no recorded probability, treated as a simple random sample."""
    if ROUND not in table.numbers:
        return None
    plain = np.isfinite(table.numbers[ROUND]) & ~was_drawn(table)
    return len(np.unique(table.item.codes[plain])) or None


def _uneven(table: Table) -> float | None:
    """Return the p-value if labels are spread over the strata unlike a random sample, else None."""
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
