"""Rates over repeated trials in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.statistic import Statistic
from ...calibration.trial_rates import RATES, SystemTrials
from ...calibration.variance_split import VarianceSplit
from ..document import Piece, document
from ..document_parts import FIRST, DocumentTable
from .number_text import statistic


@document
def trials_document(systems: Mapping[str, SystemTrials]) -> Iterator[Piece]:
    """Build the document of rates over trials."""
    for name, found in systems.items():
        yield _answer(name, found)
        yield f"  {found.trials:,} graded trials of {found.cases:,} cases; {found.ungraded:,} ungraded"
        head = ("k", *(f"{rate}" for rate in RATES), "cases")
        yield DocumentTable(head, [_row(k, found) for k in found.rates["pass^k"]], words=FIRST)
        if found.corrected:
            head = ("uncorrected", *(f"{rate}" for rate in RATES), "cases")
            rows = [_row(k, found, corrected=False) for k in found.rates["pass^k"]]
            yield DocumentTable(head, rows, words=FIRST)
        yield from variance_sentence(found.variance)
    yield "pass^k: all of k trials pass. pass@k: at least one does. Cases with fewer than k graded trials do not count."


def variance_sentence(
    found: VarianceSplit | None, tried: str = "case", again: str = "trials"
) -> Iterator[str]:
    """Yield the share of variance between cases, and the gain of more trials or cases."""
    if found is None or found.by_case.value is None:
        return
    yield f"  {statistic(found.by_case)} of the variance of a result is between {tried}s, the rest between {again} of one."
    if found.half_width is None or found.twice_the_trials is None:
        return
    yield (
        f"  Half-width of the pass rate: {found.half_width:.3f}; with twice the {again} {found.twice_the_trials:.3f}, with endlessly many "
        f"{found.endless_trials:.3f}, with twice the {tried}s {found.twice_the_cases:.3f}."
    )


def _answer(name: str, found: SystemTrials) -> str:
    k, rate = list(found.rates["pass^k"].items())[-1]
    how = "by checkers"
    if found.corrected:
        how = (
            f"corrected with {found.labels:,} labels (the judge passes {found.tpr:.2f} of right trials and "
            f"{found.fpr:.2f} of wrong ones)"
        )
    elif found.judged:
        how = "uncorrected: judges graded, and too few labels say how well"
    return f"{name}: {k} of {k} trials pass in {_cell(rate)} of {rate.n:,} cases, {how}."


def _row(k: int, found: SystemTrials, *, corrected: bool = True) -> tuple[str, ...]:
    rates = found.rates if corrected else found.uncorrected
    first = rates["pass^k"][k]
    return (str(k), *(_cell(rates[rate][k]) for rate in RATES), f"{first.n:,}")


def _cell(rate: Statistic) -> str:
    if rate.value is None:
        return f"undefined ({rate.undefined})"
    if rate.low is None or rate.high is None:
        return f"{rate.value:.3f}"
    return f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}]"
