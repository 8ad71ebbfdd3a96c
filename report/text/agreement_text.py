"""Text for agreement: adjudicated labels, label errors, pairs of judges, probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ...calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    LookedAt,
)
from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.agreement.diagnosis_results import JuryVotes, PairAgreement, SystemAgreement
from ...calibration.decisions import FAULTS
from ...calibration.statistic import FEW_CLUSTERS, Statistic
from ...spelling import command
from ..document import CautionLine, Details, Piece
from ..document_parts import ENDS, FIRST, DocumentTable, statistic_pieces
from .number_text import counted, number, percent, statistic, statistic_cells, with_interval
from .probability_text import coverage_lines, reliability_plot

_TAKEN_AS_RIGHT = (
    "decisions count as right: errors on 5 % of them move corrected accuracy by up to 0.05, which no interval below contains; have a second person "
    "decide half of them again"
)
_ALLOWED_FOR = "only corrected numbers allow for it"
_CORRECTION = "by double sampling, also for unexamined agreements; undecidable outputs are left out"


def _decided_by_models() -> str:
    again = command("review", "RUN", of="disagreements")
    return f"some decisions are a model's: look again at those that matter (`{again}`)"


def _one_sided() -> str:
    examined = command("review", "RUN", of="disagreements", agreements=30)
    return (
        f"agreements were not examined, so the adjudicated numbers are the judge's best case (`{examined}`)"
    )


def adjudication_pieces(adjudication: Adjudication | None) -> Iterator[Piece]:
    """Yield the effects of adjudication; yield no pieces if nothing was adjudicated."""
    if adjudication is None:
        return
    yield from who_decided(adjudication.by, adjudication.faults)
    if adjudication.elsewhere:
        yield CautionLine(
            f"{counted(adjudication.elsewhere, 'adjudicated item')} not in this table", indent=2
        )
    for judge, each in adjudication.judges.items():
        yield from _judge(judge, each)


def who_decided(adjudicators: Adjudicators, faults: Mapping[str, int]) -> Iterator[Piece]:
    """Yield who adjudicated, how far they agree, and why judge and label differ."""
    yield f"Adjudicated: {_adjudicators(adjudicators)}"
    if adjudicators.models:
        yield CautionLine(_decided_by_models(), indent=2)
    yield CautionLine(_errors_of(adjudicators.alike, adjudicators.error), indent=2)
    if faults:
        decisions = ", ".join(f"{FAULTS[name]} {times:,}" for name, times in faults.items())
        yield f"  why judge and label differ, by decision: {decisions}"


def _errors_of(alike: Statistic | None, error: Statistic | None) -> str:
    """Return whether decisions count as right, and their error rate if two people decided."""
    if error is not None:
        return f"decisions are wrong at a rate of {error} by items that two decided, if both err alike and independently; {_ALLOWED_FOR}"
    if alike is None or alike.value is None:
        return _TAKEN_AS_RIGHT
    differing = min(0.5, 1.0 - alike.value)
    error_rate = (1.0 - math.sqrt(1.0 - 2.0 * differing)) / 2.0
    return f"decisions count as right: each of two that differ on {percent(differing)} errs on about {percent(error_rate)}, which no interval below contains"


def _adjudicators(by: Adjudicators) -> str:
    """Return the number of adjudicated items by person, and how far people agree."""
    names = ", ".join(f"{name} {items:,}" for name, items in {**by.people, **by.models}.items())
    clause = f"{counted(by.items, 'item')} ({names})"
    if by.alike is None:
        return clause
    alpha = "" if by.krippendorff_alpha is None else f", Krippendorff's alpha {by.krippendorff_alpha}"
    contested = f"; {by.contested:,} without a majority count as undecidable" if by.contested else ""
    return f"{clause}; {by.twice:,} by two or more: alike {by.alike} pairs{alpha}{contested}"


def disagreements_clause(adjudicated: AdjudicatedJudge) -> str:
    """Return a clause on a judge's disagreements.

    Example: ``of 36 disagreements the judge is right in 25, ...``.
    """
    disagreements = adjudicated.disagreements
    parts = [
        f"the judge is right in {disagreements.judge_right:,}",
        f"the label in {disagreements.judge_wrong:,}",
    ]
    parts += [f"{disagreements.undecidable:,} cannot be decided"] if disagreements.undecidable else []
    parts += [f"{disagreements.left:,} unexamined"] if disagreements.left else []
    return f"of {counted(disagreements.rows, 'disagreement')} {', '.join(parts)}"


def _judge(judge: str, adjudicated: AdjudicatedJudge) -> Iterator[Piece]:
    yield f"  {judge}: {disagreements_clause(adjudicated)}; {_agreements(adjudicated.agreements)}"
    if not adjudicated.disagreements.rows + adjudicated.agreements.rows:
        return
    rows = [
        (
            name,
            _cell(each),
            _cell(adjudicated.adjudicated[name]),
            range_text(adjudicated.lowest[name], adjudicated.highest[name]),
        )
        for name, each in adjudicated.as_labelled.items()
    ]
    yield DocumentTable(("", "as labelled", "adjudicated", "undecidable against it, for it"), rows, indent=4)
    yield from _corrected(adjudicated)
    yield "    errors of the labels themselves"
    errors = [
        (name, _cell(each.found), f"{each.undecidable:,}", _cell(each.corrected))
        for name, each in adjudicated.label_errors.items()
    ]
    yield DocumentTable(
        ("", "found wrong, at least", "undecidable", "corrected"), errors, left_aligned=FIRST, indent=4
    )


def _corrected(adjudicated: AdjudicatedJudge) -> Iterator[Piece]:
    """Yield the corrected rates of a judge, or why there are none."""
    if any(statistic.value is not None for statistic in adjudicated.corrected.values()):
        yield f"    corrected {_CORRECTION}"
        yield from statistic_pieces(adjudicated.corrected, head=False, indent=6)
        return
    reason = next(iter(adjudicated.corrected.values())).undefined
    yield f"    not corrected for unexamined outputs: {reason}"
    if adjudicated.agreements.left == adjudicated.agreements.rows:
        yield CautionLine(_one_sided(), indent=4)


def _agreements(examined: LookedAt) -> str:
    examined_rows = examined.rows - examined.left
    if not examined_rows:
        return f"none of {counted(examined.rows, 'agreement')} was examined"
    wrong = f"both are wrong in {examined.judge_wrong:,}"
    undecidable = f", {examined.undecidable:,} cannot be decided" if examined.undecidable else ""
    return f"of {counted(examined_rows, 'examined agreement')} (of {examined.rows:,}) {wrong}{undecidable}"


def _cell(statistic: Statistic) -> str:
    return "-" if statistic.value is None else str(statistic)


def range_text(lowest: Statistic, highest: Statistic) -> str:
    """Format a range of rates with the outer ends of their intervals and n."""
    if lowest.value is None or highest.value is None:
        return "-"
    ends = (
        ""
        if lowest.low is None or highest.high is None
        else f" [{number(lowest.low)}, {number(highest.high)}]"
    )
    return f"{number(lowest.value)} to {number(highest.value)}{ends}, n {max(lowest.n, highest.n):,}"


def adjudicated_by(adjudication: Adjudication | None, judge: str) -> str:
    """Return a self-contained clause on a judge's adjudication; empty if there was none."""
    adjudicated = None if adjudication is None else adjudication.judges.get(judge)
    if (
        adjudication is None
        or adjudicated is None
        or adjudicated.disagreements.left == adjudicated.disagreements.rows
    ):
        return ""
    who = [*(["people"] if adjudication.by.people else []), *(["a model"] if adjudication.by.models else [])]
    tpr, tnr = (adjudicated.adjudicated[name].value for name in _RATES)
    rates = f"(then TPR {number(tpr)}, TNR {number(tnr)})"
    return f"adjudicated by {' and '.join(who) or 'people'}: {disagreements_clause(adjudicated)} {rates}"


_RATES = ("true_positive_rate", "true_negative_rate")

_NOTABLE, _SHOWN = 0.02, 3
"""Smallest excess agreement of two judges that is printed, and most such pairs."""

_DESCRIPTIVE = ("reliability", "resolution", "remainder")
"""Parts of the Brier score that are printed only in corrected form, without small-sample bias; the JSON has them."""


def judges_alone_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the rates of Dawid and Skene's model beside those by labels; nothing for few items."""
    model = calibration.dawid_skene
    if model.prevalence is None or model.n < FEW_CLUSTERS:
        return
    yield (
        f"Estimate without labels, assuming independent errors (Dawid and Skene, {model.n:,} items; a diagnostic):"
    )
    rows: list[tuple[str, ...]] = []
    for judge, rates in model.judges.items():
        panel = calibration.judges.get(judge)
        tpr, tnr = rates.true_positive_rate.value, rates.true_negative_rate.value
        by_labels = [_by_labels(panel, name) for name in _RATES]
        rows.append((judge, *map(number, (tpr, by_labels[0], tnr, by_labels[1]))))
    yield DocumentTable(("judge", "TPR", "by labels", "TNR", "by labels"), rows)
    share = _by_labels(calibration.baselines.get("always_pass"), "prevalence")
    by_label = "" if share is None else f", {number(share)} by labels"
    yield f"  pass rate: {number(model.prevalence.value)} by the model{by_label}"
    yield from _pairs(model.pairs)


def _by_labels(panel: JudgeCalibration | None, name: str) -> float | None:
    statistic = None if panel is None else panel.statistics.get(name)
    return None if statistic is None else statistic.value


def _pairs(pairs: Sequence[PairAgreement]) -> Iterator[Piece]:
    if not pairs:
        yield "  with three judges the model fits any agreement of pairs, so shared errors cannot be detected"
        return
    worst = [pair for pair in pairs if pair.residual >= _NOTABLE]
    if not worst:
        yield "  no two judges agree notably more than the model expects; errors that all share cannot be detected"
        return
    yield "  but judges share errors, which the model takes for truth: these pairs agree more than it expects"
    for pair in sorted(worst, key=lambda pair: -pair.residual)[:_SHOWN]:
        yield f"    {pair.a} and {pair.b}: {number(pair.observed)}, expected {number(pair.expected)}, on {pair.n:,}"


def probability_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield statistics of scores read as probabilities; none for judges with only 0 and 1."""
    for judge, each in calibration.probability.items():
        shown = {name: part for name, part in each.statistics.items() if name not in _DESCRIPTIVE}
        confidence = {f"confidence: {name}": part for name, part in each.confidence.items()}
        yield (
            f"{judge}, scores read as probabilities ({each.groups} {each.grouping}; parts of the Brier score, confidence in its "
            "verdicts):"
        )
        yield from statistic_pieces(shown | each.calibration | confidence)
        yield from reliability_plot(each.bins)
        yield from coverage_lines(each)


def system_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the agreement on systems, a row per judge; nothing for a single system."""
    rows: list[tuple[str, ...]] = []
    for judge, agreement in calibration.systems.items():
        value, interval, _, method = statistic_cells(agreement.largest_difference)
        differences = {
            name: abs(system.difference.value or 0.0) for name, system in agreement.systems.items()
        }
        worst = max(differences, key=lambda name: differences[name])
        tau = number(agreement.kendall_tau_b.value)
        rows.append((judge, f"{len(agreement.systems):,}", tau, value, interval, worst, method))
    if rows:
        head = ("judge", "systems", "Kendall's tau-b", "largest difference", "interval", "of", "")
        yield "Means of systems, by judge and by labels (each system is in the JSON):"
        yield DocumentTable(head, rows, left_aligned=ENDS)
    for judge, agreement in calibration.systems.items():
        yield Details(f"Each system, by labels and by {judge}", [_systems(agreement)])


def _systems(agreement: SystemAgreement) -> DocumentTable:
    """Return a table of the systems, sorted by label mean, highest first."""
    ordered = sorted(agreement.systems.items(), key=lambda each: -each[1].label_mean)
    rows = [
        (name, number(each.label_mean), number(each.score_mean), *statistic_cells(each.difference))
        for name, each in ordered
    ]
    return DocumentTable(
        ("system", "by labels", "by the judge", "difference", "interval", "n", ""), rows, left_aligned=ENDS
    )


def recalibration_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the gain of mapping scores to rates (recalibration); nothing if not requested."""
    for judge, each in calibration.recalibration.items():
        yield (
            f"{judge}, scores mapped to rates ({each.method}, each tenth of the clusters by a map of the others; the map is in the "
            "JSON):"
        )
        scores = (each.before, each.after, each.change)
        names = ("before", "after", "change")
        yield from statistic_pieces(
            {f"Brier score {name}": score for name, score in zip(names, scores, strict=True)}
        )


def recalibration_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the held-out change of each judge's Brier score by recalibration, a line each."""
    for judge, each in calibration.recalibration.items():
        change = each.change
        if change.value is None:
            yield f"{judge}: scores cannot be mapped to rates: {change.undefined}"
        else:
            shown = with_interval(change.value, change.low, change.high)
            yield f"{judge}: mapped by {each.method}, the held-out Brier score changes by {shown}, n {change.n:,} (lower is better)"


def people_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the agreement among people, if known: the practical ceiling for judges."""
    if calibration.people is not None:
        yield f"Krippendorff's alpha of {len(calibration.people.names)} people among themselves:"
        yield from statistic_pieces(calibration.people.krippendorff_alpha, head=False)


def jury_lines(juries: Mapping[str, JuryVotes]) -> Iterator[str]:
    """Yield a sentence on each jury."""
    for name, jury in juries.items():
        worth = jury.votes
        if worth.value is None:
            yield f"{name}: not known how many independent votes its {jury.jurors:,} are worth: {worth.undefined}."
            continue
        by = (
            f"by their errors on {counted(worth.n, 'label')}"
            if jury.by == "labels"
            else f"by agreement on {counted(worth.n, 'output')}, where shared right answers look alike; labels tell more"
        )
        yield f"{name}: {jury.jurors:,} votes are worth {statistic(worth)} independent ones, {by}."
