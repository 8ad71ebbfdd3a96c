"""Probabilities of two judges on the same items, such as of two versions of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...calibration.comparison.comparison_results import ComparedPair
from ..document import Piece
from ..document_parts import DocumentTable
from ..items.naming import ShortNames, pair_name
from .number_text import decimal, signed
from .one_screen import statistic_text


def probability_pairs(pairs: Iterable[ComparedPair], names: ShortNames | None = None) -> Iterator[Piece]:
    """Yield by how much the probabilities of two judges differ on the same items."""
    rows = [
        (
            f"{pair.a} - {pair.b}" if names is None else pair_name(names.of(pair.a), names.of(pair.b)),
            statistic_text(each.brier),
            statistic_text(each.change),
            statistic_text(each.size) if names is None else decimal(each.size.value or 0.0),
            signed(each.largest),
        )
        for pair in pairs
        if (each := pair.probabilities) is not None
    ]
    if rows:
        yield ""
        yield "Scores as probabilities on the same items, first minus second:"
        yield DocumentTable(("", "Brier", "mean p", "mean size", "largest"), rows, indent=0 if names else 2)
