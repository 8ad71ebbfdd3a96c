"""A run's results in full: every rate with its interval, denominator and ungraded outputs.

`first_answers` has the screen that is the short form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...deterministic.finding import in_words
from ...evaluation.conclusion.run_results import (
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    CORRECTED,
    DECIDED,
    ONE_EACH,
    ONE_EACH_CORRECTED,
    OPEN,
    UNJUDGED,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from ...records import Source
from ...spelling import setting
from ..document import Document, Piece, document
from . import number_text
from .agreement_text import jury_lines
from .caution_text import folded
from .number_text import counted
from .safe_text import shortened
from .systems_text import rate_notes
from .ungraded_text import reason_not_asked

if TYPE_CHECKING:
    from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
    from ...evaluation.conclusion.run_summary import RunSummary

_PANEL_RATES = (("TPR", "true_positive_rate"), ("TNR", "true_negative_rate"), ("accuracy", "accuracy"))
_COEFFICIENTS = (("kappa", "cohen_kappa"), ("AC1", "gwet_ac1"), ("MCC", "mcc"))
_GIVEN_BY: dict[Source, str] = {
    "human": "of people",
    "construction": "by construction",
    "checker": "claimed by a checker and not verified here",
    "judge": "of judges",
}
_PART_TITLES = {
    DECIDED: "checked",
    OPEN: "undecided, judged: uncorrected",
    ALL_CORRECTED: "all outputs, judged ones corrected with labels",
    ALL_UNCORRECTED: "all outputs, judged ones uncorrected",
    ONE_EACH: "undecided, pass rate by threshold, uncorrected",
    ONE_EACH_CORRECTED: "undecided, pass rate corrected with labels",
}
_MAX_FAULTS = 5
_MAX_REASON_CHARS = 200
"""Longest reason; a refusal may be as long as a whole reply."""


def checked_systems_document(systems: Iterable[SystemResult]) -> Document:
    """Build the document of systems: each part's rate, faults and failed checks."""
    return [line for system in systems for line in _system_lines(system)]


@document
def summary_document(summary: RunSummary) -> Iterator[Piece]:
    """Build the full document of a run: systems, notes, judges, and their calibration."""
    yield from checked_systems_document(summary.systems)
    for note in rate_notes(summary.systems):
        yield f"note: {note}"
        yield ""
    if summary.not_judged is None and (undecided := number_text.unjudged_outputs(summary.systems)):
        yield f"note: {undecided} without a judge"
        yield ""
    if summary.counts.labels:
        sources = ", ".join(
            f"{number_text.count(n)} {_GIVEN_BY[source]}" for source, n in summary.counts.labels.items()
        )
        yield f"labels given: {sources}"
        yield ""
    if summary.counts.unused_labels:
        unused_labels = counted(summary.counts.unused_labels, "label")
        yield f"note: {unused_labels} {'matches' if summary.counts.unused_labels == 1 else 'match'} no output"
        yield ""
    if summary.judges:
        yield "judges"
        for judge in summary.judges:
            yield from _judge_lines(judge, summary.judges)
        yield from jury_lines({use.name: use.jury for use in summary.judges if use.jury is not None})
        yield ""
    if summary.calibration is not None:
        yield from _calibration_pieces(summary.calibration)


def _system_lines(system: SystemResult) -> Iterator[str]:
    yield system.system
    corrected = {rate.by: rate for rate in system.strata if rate.name == CORRECTED}
    uncorrected = (rate for rate in system.strata if rate.name != CORRECTED)
    for name, group in groupby(uncorrected, key=lambda stratum: stratum.name):
        yield from _part_lines(name, list(group), corrected if name == OPEN else {})
    if system.overall is not None and system.judged is not None:
        has_mean_scores = any(rate.fractions for rate in system.strata)
        for rate in (*([system.judged] if has_mean_scores else []), system.overall):
            yield f"  {_PART_TITLES.get(rate.name, rate.name)}: {number_text.rate(rate)}"
            yield from _range_lines(rate)
    if system.failed_calls:
        yield f"  ungraded by failed calls: {counted(system.failed_calls, 'output')}"
    if system.faults:
        faults = list(system.faults.items())
        more = f", {counted(len(faults) - _MAX_FAULTS, 'more kind')}" if len(faults) > _MAX_FAULTS else ""
        yield (
            "  faults: "
            + ", ".join(f"{in_words(name)} ({number_text.count(n)})" for name, n in faults[:_MAX_FAULTS])
            + more
        )
    for reason, number in list(system.failures.items())[:_MAX_FAULTS]:
        yield f"  {counted(number, 'check')} failed: {shortened(reason, _MAX_REASON_CHARS)}"
    yield ""


def _part_lines(
    name: str, rates: list[StratumRate], corrected: Mapping[str | None, StratumRate]
) -> Iterator[str]:
    """Yield a part of a system's outputs: a line for checkers, or a heading and judges' lines.

    Args:
        name: Name of the part.
        rates: Its rates, by judge if it was judged.
        corrected: Rates corrected with labels, by judge.
    """
    longest_name = max(len(rate.by or "") for rate in rates)
    title = _PART_TITLES.get(name, name)
    if longest_name:
        declared = all(rate.declared is not None for rate in corrected.values())
        second_column = "corrected with labels" if declared else "if labels are a random sample"
        yield f"  {title}" + (f" | {second_column}" if corrected else "")
    for rate in rates:
        if rate.name == UNJUDGED:
            yield f"  not judged: {counted(rate.of, 'undecided output')}"
            continue
        corrected_rate = corrected.get(rate.by)
        second_column = f" | {number_text.rate(corrected_rate)}" if corrected_rate else ""
        rate_text = number_text.rate(rate)
        yield (
            f"    {rate.by or '':<{longest_name}}  {rate_text}{second_column}"
            if longest_name
            else f"  {title}: {rate_text}"
        )
        yield from _range_lines(rate)


def _range_lines(rate: StratumRate) -> Iterator[str]:
    """Yield the rate's range if outputs are ungraded, and its rate by case for uneven trials."""
    if rate.bounds is not None:
        yield f"    over all {number_text.count(rate.of)}: {number_text.bounds(rate)}"
    if rate.trials is not None:
        # Rates of earlier versions weigh outputs equally (n_cases is None); of these, the rate by case is added.
        weights = "each case has weight 1" if rate.n_cases is not None else "with weight 1 for each case"
        correction_note = ", uncorrected" if rate.name in {ALL_CORRECTED, ONE_EACH_CORRECTED} else ""
        yield f"    {weights}{correction_note}: {number_text.by_case(rate.trials)}"


def _judge_lines(judge: JudgeUse, judges: Sequence[JudgeUse]) -> Iterator[str]:
    outcomes = number_text.outcomes(judge.outcomes) or reason_not_asked(judge, judges)
    usage = f"{counted(judge.calls, 'call')}, tokens: {number_text.tokens(judge.prompt_tokens, judge.completion_tokens, judge.cached_tokens)}"
    cache_note = (
        f", {number_text.count(judge.from_cache)} from cache or recording" if judge.from_cache else ""
    )
    if judge.cost is not None:
        usage += f", ${judge.cost:,.4f}"
    if judge.reasked:
        cache_note += f", {number_text.count(judge.reasked)} asked again since a reply could not be read"
    yield (
        f"  {judge.name}: {outcomes}; {usage}{cache_note}"
        if judge.calls or cache_note
        else f"  {judge.name}: {outcomes}"
    )
    for outcome, reasons in judge.reasons.items():
        yield f"    {number_text.outcome(outcome)}: {_reasons_text(list(reasons.items()))}"


def _reasons_text(reasons: list[tuple[str, int]], shown: int = 3) -> str:
    """Return the most frequent reasons, each with its number of verdicts."""
    hidden = len(reasons) - shown
    more = f"; {counted(hidden, 'more reason')}" if hidden > 0 else ""
    return (
        "; ".join(
            f"{number_text.count(n)} {shortened(reason, _MAX_REASON_CHARS)}" for reason, n in reasons[:shown]
        )
        + more
    )


def _calibration_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the judges' agreement with labels, then that of the baselines."""
    yield f"calibration: judges against labels (checkers' verdicts, and {setting('labels')} if given)"
    for name, panel in calibration.judges.items():
        yield _counts_line(name, panel) + number_text.passing(panel.pass_at, panel.pass_at_source)
        yield f"    {_statistics_text(panel, _PANEL_RATES, each_n=True)}"
        yield f"    {_statistics_text(panel, _COEFFICIENTS)}, n {number_text.count(panel.n)}"
    for name, panel in calibration.baselines.items():
        # Of a constant judge only the accuracy tells something: the floor.
        yield f"  {name}: {_statistics_text(panel, _PANEL_RATES[-1:], each_n=True)}"
    for caution in folded(calibration.cautions, calibration.judges):
        yield replace(caution, indent=2)
    yield ""


def _counts_line(name: str, panel: JudgeCalibration) -> str:
    clusters = f" in {counted(panel.n_clusters, 'cluster')}" if panel.n_clusters < panel.n else ""
    missing = f", {number_text.count(panel.n_missing)} ungraded by the judge" if panel.n_missing else ""
    table = f"tp {panel.tp}, fp {panel.fp}, fn {panel.fn}, tn {panel.tn}"
    return f"  {name}: n {number_text.count(panel.n)}{clusters}{missing}; {table}"


def _statistics_text(
    panel: JudgeCalibration, titles: tuple[tuple[str, str], ...], *, each_n: bool = False
) -> str:
    """Return some statistics of a panel in one line.

    Args:
        panel: The judge's calibration.
        titles: Title and name of each statistic.
        each_n: Give each its own n.
    """
    cells: list[str] = []
    for label, name in titles:
        statistic = panel.statistics[name]
        n = f", n {number_text.count(statistic.n)}" if each_n else ""
        cells.append(f"{label} {number_text.statistic(statistic)}{n}")
    return ("; " if each_n else ", ").join(cells)
