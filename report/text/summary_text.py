"""Full run summary: every rate with interval, denominator and ungraded outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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

if TYPE_CHECKING:
    from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
    from ...evaluation.conclusion.run_summary import RunSummary

_RATES = (("TPR", "true_positive_rate"), ("TNR", "true_negative_rate"), ("accuracy", "accuracy"))
_COEFFICIENTS = (("kappa", "cohen_kappa"), ("AC1", "gwet_ac1"), ("MCC", "mcc"))
_GIVEN_BY: dict[Source, str] = {
    "human": "of people",
    "construction": "by construction",
    "checker": "claimed by a checker and not verified here",
    "judge": "of judges",
}
_TITLES = {
    DECIDED: "checked",
    OPEN: "undecided, judged: uncorrected",
    ALL_CORRECTED: "all outputs, judged ones corrected with labels",
    ALL_UNCORRECTED: "all outputs, judged ones uncorrected",
    ONE_EACH: "undecided, pass rate by threshold, uncorrected",
    ONE_EACH_CORRECTED: "undecided, pass rate corrected with labels",
}
_MAX_FAULTS = 5
_REASON = 200
"""Longest reason in characters; a refusal may be as long as a reply."""


def checked_systems_document(systems: Iterable[SystemResult]) -> Document:
    """Build the document of each system's results."""
    return [line for system in systems for line in _system(system)]


@document
def summary_document(summary: RunSummary) -> Iterator[Piece]:
    """Build the document of a run's results."""
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
        unused = counted(summary.counts.unused_labels, "label")
        yield f"note: {unused} {'matches' if summary.counts.unused_labels == 1 else 'match'} no output"
        yield ""
    if summary.judges:
        yield "judges"
        for judge in summary.judges:
            yield from _judge(judge)
        yield from jury_lines({use.name: use.jury for use in summary.judges if use.jury is not None})
        yield ""
    if summary.calibration is not None:
        yield from _calibration(summary.calibration)


def _system(system: SystemResult) -> Iterator[str]:
    yield system.system
    corrected = {rate.by: rate for rate in system.strata if rate.name == CORRECTED}
    plain = (rate for rate in system.strata if rate.name != CORRECTED)
    for name, group in groupby(plain, key=lambda stratum: stratum.name):
        yield from _part(name, list(group), corrected if name == OPEN else {})
    if system.overall is not None and system.judged is not None:
        has_mean_scores = any(rate.fractions for rate in system.strata)
        for rate in (*([system.judged] if has_mean_scores else []), system.overall):
            yield f"  {_TITLES.get(rate.name, rate.name)}: {number_text.rate(rate)}"
            yield from _range(rate)
    if system.failed_calls:
        yield f"  ungraded by failed calls: {counted(system.failed_calls, 'output')}"
    if system.faults:
        named = list(system.faults.items())
        more = f", {counted(len(named) - _MAX_FAULTS, 'more kind')}" if len(named) > _MAX_FAULTS else ""
        yield (
            "  faults: "
            + ", ".join(f"{in_words(name)} ({number_text.count(n)})" for name, n in named[:_MAX_FAULTS])
            + more
        )
    for reason, number in list(system.failures.items())[:_MAX_FAULTS]:
        yield f"  {counted(number, 'check')} failed: {shortened(reason, _REASON)}"
    yield ""


def _part(name: str, rates: list[StratumRate], corrected: Mapping[str | None, StratumRate]) -> Iterator[str]:
    """Yield a part: one line if a checker decided it, else a heading and a line per judge."""
    width = max(len(rate.by or "") for rate in rates)
    title = _TITLES.get(name, name)
    if width:
        declared = all(stratum_rate.declared is not None for stratum_rate in corrected.values())
        beside = "corrected with labels" if declared else "if labels are a random sample"
        yield f"  {title}" + (f" | {beside}" if corrected else "")
    for rate in rates:
        if rate.name == UNJUDGED:
            yield f"  not judged: {counted(rate.of, 'undecided output')}"
            continue
        better = corrected.get(rate.by)
        beside = f" | {number_text.rate(better)}" if better else ""
        shown = number_text.rate(rate)
        yield f"    {rate.by or '':<{width}}  {shown}{beside}" if width else f"  {title}: {shown}"
        yield from _range(rate)


def _range(rate: StratumRate) -> Iterator[str]:
    """Yield the range if outputs are ungraded, and the rate by case if trials are uneven."""
    if rate.bounds is not None:
        yield f"    over all {number_text.count(rate.of)}: {number_text.bounds(rate)}"
    if rate.trials is not None:
        weighed = "each case has weight 1" if rate.n_cases is not None else "with weight 1 for each case"
        judged = ", uncorrected" if rate.name in {ALL_CORRECTED, ONE_EACH_CORRECTED} else ""
        yield f"    {weighed}{judged}: {number_text.by_case(rate.trials)}"


def _judge(judge: JudgeUse) -> Iterator[str]:
    outcomes = number_text.outcomes(judge.outcomes) or number_text.IDLE
    cost = f"{counted(judge.calls, 'call')}, tokens: {number_text.tokens(judge.prompt_tokens, judge.completion_tokens, judge.cached_tokens)}"
    cached = f", {number_text.count(judge.from_cache)} from cache or recording" if judge.from_cache else ""
    if judge.cost is not None:
        cost += f", ${judge.cost:,.4f}"
    if judge.reasked:
        cached += f", {number_text.count(judge.reasked)} asked again since a reply could not be read"
    yield (
        f"  {judge.name}: {outcomes}; {cost}{cached}"
        if judge.calls or cached
        else f"  {judge.name}: {outcomes}"
    )
    for outcome, reasons in judge.reasons.items():
        yield f"    {number_text.outcome(outcome)}: {_reasons(list(reasons.items()))}"


def _reasons(reasons: list[tuple[str, int]], shown: int = 3) -> str:
    """Return the most frequent reasons with their numbers of verdicts."""
    hidden = len(reasons) - shown
    more = f"; {counted(hidden, 'more reason')}" if hidden > 0 else ""
    return (
        "; ".join(f"{number_text.count(n)} {shortened(reason, _REASON)}" for reason, n in reasons[:shown])
        + more
    )


def _calibration(calibration: Calibration) -> Iterator[Piece]:
    """Yield the judges' agreement with the labels, beside the baselines."""
    yield f"calibration: judges against labels (checkers' verdicts, and {setting('labels')} if given)"
    for name, panel in calibration.judges.items():
        yield _table_line(name, panel) + number_text.passing(panel.pass_at, panel.pass_at_source)
        yield f"    {_shown(panel, _RATES, each_n=True)}"
        yield f"    {_shown(panel, _COEFFICIENTS)}, n {number_text.count(panel.n)}"
    for name, panel in calibration.baselines.items():
        # Of a constant judge only the accuracy tells something: the floor.
        yield f"  {name}: {_shown(panel, _RATES[-1:], each_n=True)}"
    for caution in folded(calibration.cautions, calibration.judges):
        yield replace(caution, indent=2)
    yield ""


def _table_line(name: str, panel: JudgeCalibration) -> str:
    clusters = f" in {counted(panel.n_clusters, 'cluster')}" if panel.n_clusters < panel.n else ""
    missing = f", {number_text.count(panel.n_missing)} ungraded by the judge" if panel.n_missing else ""
    table = f"tp {panel.tp}, fp {panel.fp}, fn {panel.fn}, tn {panel.tn}"
    return f"  {name}: n {number_text.count(panel.n)}{clusters}{missing}; {table}"


def _shown(panel: JudgeCalibration, titles: tuple[tuple[str, str], ...], *, each_n: bool = False) -> str:
    """Return statistics with their titles, given as pairs of title and name."""
    cells: list[str] = []
    for label, name in titles:
        statistic = panel.statistics[name]
        n = f", n {number_text.count(statistic.n)}" if each_n else ""
        cells.append(f"{label} {number_text.statistic(statistic)}{n}")
    return ("; " if each_n else ", ").join(cells)
