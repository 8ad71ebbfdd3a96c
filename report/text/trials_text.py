"""Rates over repeated trials in words: pass^k (all of k pass) and pass@k (at least one)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.statistic import Statistic
from ...calibration.trial_rates import RATES, SystemTrials
from ...calibration.variance_split import VarianceSplit
from ..document import Piece, document
from ..document_parts import FIRST, DocumentTable
from .number_text import counted, statistic

_NO_INTERVAL = "no interval from a single case"

_CORRECTED = (
    "Corrected rates hold if labelled outputs are a random sample of right ones, and one of wrong ones; for k "
    "above 1 also if the judge errs independently on trials of one case."
)


@document
def trials_document(systems: Mapping[str, SystemTrials]) -> Iterator[Piece]:
    """Build the document of repeated trials: per system a sentence, tables by k, and variance."""
    for name, trials in systems.items():
        yield _system_sentence(name, trials)
        yield f"  {counted(trials.trials, 'graded trial')} of {counted(trials.cases, 'case')}; {trials.ungraded:,} ungraded"
        yield from _tables(trials)
        rate = "the uncorrected pass rate" if trials.corrected else "the pass rate"
        yield from variance_sentence(trials.variance, rate=rate)
    if any(trials.corrected for trials in systems.values()):
        yield _CORRECTED
    yield "pass^k: all of k trials pass. pass@k: at least one does. Cases with fewer than k graded trials do not count."


def _tables(trials: SystemTrials) -> Iterator[Piece]:
    """Yield tables of rates by k, first for each k that all cases have enough trials for.

    If labels correct the rates, the uncorrected ones follow.
    """
    if trials.retried:  # only failures were tried again, so no rate by k is valid
        return
    common_ks = [k for k, rate in trials.rates["pass^k"].items() if k <= trials.smallest or not rate.n]
    corrected_ks = [k for k in common_ks if k == 1 or trials.uncorrectable is None]
    if corrected_ks:
        head = ("k", *(f"{rate}" for rate in RATES), "cases")
        yield DocumentTable(head, [_row(k, trials) for k in corrected_ks], left_aligned=FIRST)
    if trials.uncorrectable is not None and len(trials.rates["pass^k"]) > len(corrected_ks):
        yield f"  Only k of 1 is corrected: {trials.uncorrectable}."
    elif trials.error_correlation is not None:
        correlation = trials.error_correlation
        yield f"  Errors of the judge on trials of one case correlate by {statistic(correlation)} ({counted(correlation.n, 'case')})."
    if common_ks and trials.corrected:
        head = ("uncorrected", *(f"{rate}" for rate in RATES), "cases")
        rows = [_row(k, trials, corrected=False) for k in common_ks]
        yield DocumentTable(head, rows, left_aligned=FIRST)
    yield from _larger_k_tables(trials)


def _larger_k_tables(trials: SystemTrials) -> Iterator[Piece]:
    """Yield a table for each k that only some cases have enough trials for, of these cases."""
    for k, pass_rate in trials.of_larger.items():
        if trials.uncorrectable is None and pass_rate.n and pass_rate.value is not None:
            yield f"  The {counted(pass_rate.n, 'case')} with {k} graded trials or more, of {trials.cases:,}:"
            head = ("k", *(f"{rate}" for rate in RATES), "cases")
            row_of_one = ("1", _cell(pass_rate), _cell(pass_rate), f"{pass_rate.n:,}")
            yield DocumentTable(head, [row_of_one, _row(k, trials)], left_aligned=FIRST)


def variance_sentence(
    split: VarianceSplit | None, tried: str = "case", again: str = "trials", rate: str = "the pass rate"
) -> Iterator[str]:
    """Yield the share of variance between cases, and what more trials or cases would gain.

    Args:
        split: The split of variance, or None.
        tried: Noun for what is repeated.
        again: Noun for the repetitions, in the plural.
        rate: Words for the rate that has the interval.
    """
    if split is None or (split.by_case.value is None and split.by_case.n > 1):
        return
    if not split.tells:
        yield _why_no_split(split, tried, again)
        return
    yield f"  {statistic(split.by_case)} of the variance of a result is between {tried}s, the rest between {again} of one."
    if split.half_width is None or split.twice_the_trials is None:
        return
    unlimited_clause = (
        "" if split.endless_trials is None else f", with unlimited ones {split.endless_trials:.3f}"
    )
    yield (
        f"  Half-width of {rate}: {split.half_width:.3f}; with twice the {again} {split.twice_the_trials:.3f}{unlimited_clause}, "
        f"with twice the {tried}s {split.twice_the_cases:.3f}."
    )


def _why_no_split(split: VarianceSplit, tried: str, again: str) -> str:
    if split.within == 0.0:
        return f"  All {again} of each {tried} agree (n {split.by_case.n:,}): only more {tried}s narrow the interval."
    return f"  Too few {tried}s to split the variance between {tried}s and {again} (n {split.by_case.n:,})."


def _system_sentence(name: str, trials: SystemTrials) -> str:
    rates = trials.rates["pass^k"]
    defined = [(k, rate) for k, rate in rates.items() if rate.value is not None]
    if not defined:
        why = trials.retried or next((rate.undefined for rate in rates.values() if rate.n), None)
        return f"{name}: {why or 'no case has enough graded trials for these k'}."
    # The largest k that all cases have enough trials for.
    k, rate = next((entry for entry in reversed(defined) if entry[0] not in trials.of_larger), defined[0])
    correction = "by checkers"
    if trials.corrected:
        correction = (
            f"corrected with {counted(trials.labels, 'label')} (the judge passes {trials.tpr:.2f} of right trials and "
            f"{trials.fpr:.2f} of wrong ones)"
        )
    elif trials.judged:
        correction = (
            f"uncorrected: too few labels ({trials.labels:,})" if trials.labels else "uncorrected: no labels"
        )
    passing = "trial passes" if k == 1 else "trials pass"
    why = f" ({_NO_INTERVAL})" if rate.n == 1 and rate.low is None else ""
    return f"{name}: {k} of {k} {passing} in {_cell(rate)} of {counted(rate.n, 'case')}{why}, {correction}."


def _row(k: int, trials: SystemTrials, *, corrected: bool = True) -> tuple[str, ...]:
    rates = trials.rates if corrected else trials.uncorrected
    all_pass = rates["pass^k"][k]
    return (str(k), *(_cell(rates[rate][k]) for rate in RATES), f"{all_pass.n:,}")


def _cell(rate: Statistic) -> str:
    if rate.value is None:
        return f"undefined ({rate.undefined})" if rate.n else "-"
    if rate.low is None or rate.high is None:
        return f"{rate.value:.3f}"
    return f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}]"
