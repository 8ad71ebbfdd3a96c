"""Outputs on which people disagree half and half, and which therefore have no label."""

from __future__ import annotations

import numpy as np

from .arrays import BoolArray
from .statistic import Caution
from .tables.calibration_table import DECIDED, PERSON, Table


def tied_labels(table: Table) -> list[Caution]:
    """Return the caution that outputs with tied labels are excluded; empty without such.

    People tie on hard outputs more often, so the outputs that keep their label are not a random sample.
    """
    tied = _tied(table)
    if not tied.any():
        return []
    labelled = np.isfinite(table.label)
    counts = {"tied": tied, "labelled": labelled}
    return [
        Caution(
            "tied_labels", {name: len(np.unique(table.item.codes[rows])) for name, rows in counts.items()}
        )
    ]


def _tied(table: Table) -> BoolArray:
    """Return a mask of the rows on which as many people passed as failed, shape ``(n,)``."""
    grades = list(table.opinions(PERSON).values())
    if len(grades) < 2:  # noqa: PLR2004 - one person cannot tie
        return np.zeros(len(table), dtype=np.bool_)
    votes = np.stack(grades)
    passes, fails = (votes == 1.0).sum(axis=0), (votes == 0.0).sum(axis=0)
    decided = np.isfinite(table.numbers.get(DECIDED, np.full(len(table), np.nan)))
    whole = passes + fails == np.isfinite(votes).sum(axis=0)
    return np.isnan(table.label) & ~decided & (passes > 0) & (passes == fails) & whole
