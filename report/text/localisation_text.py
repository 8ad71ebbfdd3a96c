"""Localisation in words: how often a judge names the step that has the planted fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.localisation import HitRates
from ...evaluation.audit.audit_results import JudgeAudit, LocatedFault
from ..document import Piece
from ..document_parts import ENDS, FIRST, Cell, DocumentTable
from . import number_text
from .one_screen import statistic_text
from .probe_text import probe_cell, probe_title

_BASELINE_NOTE = "baseline: the better of naming the last step and naming one at random."


def localisation_answer(judge: JudgeAudit) -> Iterator[Piece]:
    """Yield whether a judge localises faults, and a row per kind of fault; nothing for others."""
    if not judge.located:
        return
    localised_faults = [probe_title(fault.operator) for fault in judge.located if fault.found.localises]
    sort_count = number_text.counted(len(judge.located), "sort")
    if localised_faults:
        yield f"{judge.judge} localises {len(localised_faults):,} of {sort_count} of fault: {', '.join(localised_faults)}."
    else:
        yield f"{judge.judge} localises none of {sort_count} of fault."
    head = ("fault", "exact step", "within one", "baseline", "n", "ungraded")
    yield DocumentTable(head, [_short_row(fault) for fault in judge.located], left_aligned=FIRST, indent=0)
    yield _BASELINE_NOTE


def _short_row(located: LocatedFault) -> tuple[str, ...]:
    localisation = located.found
    baseline = max(localisation.last_step.exact, localisation.uniform.exact)
    return (
        probe_title(located.operator),
        statistic_text(localisation.exact),
        statistic_text(localisation.within_one),
        number_text.decimal(baseline),
        number_text.count(localisation.exact.n),
        number_text.count(sum(located.ungraded.values())),
    )


def localisation_pieces(located: Sequence[LocatedFault]) -> Iterator[Piece]:
    """Yield a table of all localisation rates of a judge, with both baselines."""
    if not located:
        return
    yield "  names the first wrong step (bound: one-sided 95 % over all sorts of fault; exact, within one):"
    head = ("fault", "exact", "within one", "bound", "last step", "uniform", "unnoticed", "n", "")
    yield DocumentTable(head, [_full_row(fault) for fault in located], left_aligned=ENDS, indent=4)


def _full_row(located: LocatedFault) -> tuple[str | Cell, ...]:
    localisation = located.found
    notes = [f"{missing:,} {number_text.outcome(name)}" for name, missing in located.ungraded.items()]
    return (
        probe_cell(located.operator),
        statistic_text(localisation.exact),
        statistic_text(localisation.within_one),
        number_text.number(localisation.bound),
        _exact_and_near(localisation.last_step),
        _exact_and_near(localisation.uniform),
        number_text.count(localisation.unnoticed),
        number_text.count(localisation.exact.n),
        "; ".join([*(["localises"] if localisation.localises else []), *notes]),
    )


def _exact_and_near(rates: HitRates) -> str:
    return f"{number_text.decimal(rates.exact)}, {number_text.decimal(rates.within_one)}"
