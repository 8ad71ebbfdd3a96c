"""Localisation in words: share of faults whose step judges name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.localisation import HitRates
from ...evaluation.audit.audit_results import JudgeAudit, LocatedFault
from ..document import Piece
from ..document_parts import ENDS, FIRST, Cell, DocumentTable
from . import number_text
from .one_screen import statistic_text
from .probe_text import probe_cell, probe_title

_MEANS = "baseline: the better of naming the last step and naming one at random."


def localisation_answer(judge: JudgeAudit) -> Iterator[Piece]:
    """Yield whether a judge that names steps localises faults, and a line per sort of fault."""
    if not judge.located:
        return
    localised = [probe_title(fault.operator) for fault in judge.located if fault.found.localises]
    sorts = number_text.counted(len(judge.located), "sort")
    if localised:
        yield f"{judge.judge} localises {len(localised):,} of {sorts} of fault: {', '.join(localised)}."
    else:
        yield f"{judge.judge} localises none of {sorts} of fault."
    head = ("fault", "exact step", "within one", "baseline", "n", "ungraded")
    yield DocumentTable(head, [_row(fault) for fault in judge.located], left_aligned=FIRST, indent=0)
    yield _MEANS


def _row(located: LocatedFault) -> tuple[str, ...]:
    localisation = located.found
    better = max(localisation.last_step.exact, localisation.uniform.exact)
    return (
        probe_title(located.operator),
        statistic_text(localisation.exact),
        statistic_text(localisation.within_one),
        number_text.decimal(better),
        number_text.count(localisation.exact.n),
        number_text.count(sum(located.ungraded.values())),
    )


def localisation_pieces(located: Sequence[LocatedFault]) -> Iterator[Piece]:
    """Yield all numbers of a judge that names steps, with both baselines."""
    if not located:
        return
    yield "  names the first wrong step (bound: one-sided 95 % over all sorts of fault; exact, within one):"
    head = ("fault", "exact", "within one", "bound", "last step", "uniform", "unnoticed", "n", "")
    yield DocumentTable(head, [_numbers(fault) for fault in located], left_aligned=ENDS, indent=4)


def _numbers(located: LocatedFault) -> tuple[str | Cell, ...]:
    localisation = located.found
    notes = [f"{missing:,} {number_text.outcome(name)}" for name, missing in located.ungraded.items()]
    return (
        probe_cell(located.operator),
        statistic_text(localisation.exact),
        statistic_text(localisation.within_one),
        number_text.number(localisation.bound),
        _both(localisation.last_step),
        _both(localisation.uniform),
        number_text.count(localisation.unnoticed),
        number_text.count(localisation.exact.n),
        "; ".join([*(["localises"] if localisation.localises else []), *notes]),
    )


def _both(rates: HitRates) -> str:
    return f"{number_text.decimal(rates.exact)}, {number_text.decimal(rates.within_one)}"
