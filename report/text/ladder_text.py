"""Ladders in words: the level of difficulty at which a judge stops noticing faults.

A ladder raises the difficulty of probes step by step on one scale, its dial; dials are never pooled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.audit.ladder.ladder_results import LadderResult
from ..document import Columns, Figure, Piece
from ..document_parts import Cell, DocumentTable
from ..figures.ladder import ladder_curve
from .number_text import count, number, statistic_cells
from .probe_text import probe_cell, probe_title

_MISFIT_P = 0.01
"""Below this p a smooth curve does not fit."""
_TOLERATED_REJECTIONS = 0.2
"""Share of rejected right outputs above which catching faults may be chance."""


def ladder_pieces(ladders: Sequence[LadderResult]) -> Iterator[Piece]:
    """Yield a table of one judge's ladders, and a curve for each."""
    if not ladders:
        return
    yield "  level up to which 80 % of faults are caught:"
    headings = ("dial", "breaks", "level", "falls by", "n", "right failed", "interval", "")
    yield DocumentTable(
        headings, [_row(ladder) for ladder in ladders], left_aligned=frozenset({0, 1, 2, -1}), indent=4
    )
    yield Columns([_curve_figure(ladder) for ladder in ladders if ladder.curve])


def _row(ladder: LadderResult) -> tuple[str | Cell, ...]:
    return (
        probe_cell(ladder.dial),
        ladder.breaks,
        ladder.unit,
        number(ladder.drop.value),
        count(ladder.drop.n),
        *statistic_cells(ladder.failed_right)[:2],
        "; ".join(_notes(ladder)),
    )


def _notes(ladder: LadderResult) -> Iterator[str]:
    if ladder.flat and ladder.drop.high is not None:
        yield f"flat: no fall is found, {number(ladder.drop.high)} at most"
    if ladder.dip is not None:
        yield f"dips: {ladder.dip} is caught less often than a harder level"
    elif ladder.misfit_p is not None and ladder.misfit_p < _MISFIT_P:
        yield f"no smooth fall (p {ladder.misfit_p:.4f}): go by its levels"
    if ladder.failed_right.low is not None and ladder.failed_right.low > _TOLERATED_REJECTIONS:
        yield "fails right outputs, too, so its catches may be chance"
    yield from (f"{missing:,} {outcome}" for outcome, missing in ladder.ungraded.items())


def _curve_figure(ladder: LadderResult) -> Figure:
    """Return the curve as a figure with its counts, which terminals leave out."""
    rows = [
        (level.step, count(level.caught), count(level.faulty), count(level.failed), count(level.right))
        for level in ladder.levels
    ]
    numbers = DocumentTable((ladder.unit, "caught", "of", "right failed", "of"), rows)
    return Figure(
        ladder_curve(ladder), caption=f"{probe_title(ladder.dial)}: {ladder.about}", numbers=numbers
    )
