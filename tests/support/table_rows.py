"""Rows of calibration tables, as tests write them down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def rows_of_pairs(pairs: Sequence[tuple[float | None, float | None]], **more: Any) -> list[dict[str, Any]]:
    """Rows of one judge from (label, score) pairs."""
    return [row | more for row in rows_of_columns(*zip(*pairs, strict=True))]


def rows_of_columns(
    label: Iterable[Any], score: Iterable[Any], **columns: Iterable[Any]
) -> list[dict[str, Any]]:
    """Rows of one judge from columns."""
    return [
        {"item_id": str(number), "judge": "j"} | dict(zip(("label", "score", *columns), values, strict=True))
        for number, values in enumerate(zip(label, score, *columns.values(), strict=True))
    ]
