"""Outputs on which people are evenly split, so that they have no label."""

from __future__ import annotations

import numpy as np

from .arrays import BoolArray
from .statistic import Caution
from .tables.calibration_table import DECIDED, PERSON, Table


def tied_labels(table: Table) -> list[Caution]:
    """Return the caution that outputs with tied labels are excluded, if there are any.

    People tie more often on hard outputs, so the outputs that keep their label are not a random sample.
    """
    is_tied = _is_tied(table)
    if not is_tied.any():
        return []
    labelled = np.isfinite(table.label)
    masks = {"tied": is_tied, "labelled": labelled}
    counts: dict[str, float] = {name: len(np.unique(table.item.codes[rows])) for name, rows in masks.items()}
    return [Caution("tied_labels", counts)]


def _is_tied(table: Table) -> BoolArray:
    """Return a mask of the rows on which as many people passed as failed, shape ``(n,)``."""
    grades = list(table.opinions(PERSON).values())
    if len(grades) < 2:  # noqa: PLR2004 - one person cannot tie
        return np.zeros(len(table), dtype=np.bool_)
    votes = np.stack(grades)
    passes, fails = (votes == 1.0).sum(axis=0), (votes == 0.0).sum(axis=0)
    decided = np.isfinite(table.numbers.get(DECIDED, np.full(len(table), np.nan)))
    # A grade between 0 and 1 is neither pass nor fail, so an output with one is not a tie.
    only_votes = passes + fails == np.isfinite(votes).sum(axis=0)
    return np.isnan(table.label) & ~decided & (passes > 0) & (passes == fails) & only_votes
