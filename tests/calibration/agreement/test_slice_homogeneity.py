"""A judge that is right on most rows and less often on a part of them."""

from __future__ import annotations

import numpy as np
from table_rows import rows_of_columns

from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.slice_homogeneity import worse_part


def worse(errors: int, labels: int, *, rows: int = 1) -> float:
    """Return the p of a judge with these errors on a part, and 12 errors on 400 other rows."""
    label = np.tile([1.0, 0.0], (labels + 400) // 2)
    wrong = np.concatenate([np.arange(labels) < errors, np.arange(400) < 12])
    cluster = [f"c{n // rows}" for n in range(len(label))]
    table = table_from_rows(rows_of_columns(label, np.where(wrong, 1 - label, label), cluster=cluster))
    return worse_part(table, np.arange(len(label)) < labels)["j"]


def test_a_part_with_more_errors_is_worse() -> None:
    assert worse(6, 20) < 0.001
    assert worse(1, 20) > 0.5


def test_a_part_without_errors_is_not_worse() -> None:
    assert worse(0, 20) == 1.0


def test_rows_in_clusters_tell_less() -> None:
    assert worse(6, 20, rows=5) > worse(6, 20)


def test_a_part_that_is_all_or_nothing_is_compared_with_nobody() -> None:
    label = np.tile([1.0, 0.0], 20)
    table = table_from_rows(rows_of_columns(label, label))
    assert worse_part(table, np.zeros(40, dtype=np.bool_)) == {}
