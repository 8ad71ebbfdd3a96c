"""Detailed text of a calibration's agreement results, one function for each kind.

The kinds are adjudicated labels, judges without labels (Dawid and Skene), score probabilities, means of systems,
recalibrated scores, agreement among people, and juries. `calibration_text` and `calibration_screen` call them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ...calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    ReviewedRows,
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

_DECISIONS_COUNT_AS_RIGHT = (
    "decisions count as right: errors on 5 % of them move corrected accuracy by up to 0.05, which no interval below contains; have a second person "
    "decide half of them again"
)
_WHAT_ALLOWS_FOR_ERRORS = "only corrected numbers allow for it"
_CORRECTION_METHOD = "by double sampling, also for unexamined agreements; undecidable outputs are left out"


def _models_caution() -> str:
    command_line = command("review", "RUN", of="disagreements")
    return f"some decisions are a model's: look again at those that matter (`{command_line}`)"


def _one_sided_caution() -> str:
    examined = command("review", "RUN", of="disagreements", agreements=30)
    return (
        f"agreements were not examined, so the adjudicated numbers are the judge's best case (`{examined}`)"
    )


def adjudication_pieces(adjudication: Adjudication | None) -> Iterator[Piece]:
    """Yield what adjudication changes for each judge; nothing if no label was adjudicated."""
    if adjudication is None:
        return
    yield from who_decided(adjudication.by, adjudication.faults)
    if adjudication.elsewhere:
        yield CautionLine(
            f"{counted(adjudication.elsewhere, 'adjudicated item')} not in this table", indent=2
        )
    for judge, adjudicated in adjudication.judges.items():
        yield from _adjudicated_judge_pieces(judge, adjudicated)


def who_decided(adjudicators: Adjudicators, faults: Mapping[str, int]) -> Iterator[Piece]:
    """Yield who adjudicated, how well deciders agree, and why judges and labels differ."""
    yield f"Adjudicated: {_adjudicators_text(adjudicators)}"
    if adjudicators.models:
        yield CautionLine(_models_caution(), indent=2)
    yield CautionLine(_decision_error_caution(adjudicators.alike, adjudicators.error), indent=2)
    if faults:
        decisions = ", ".join(f"{FAULTS[name]} {times:,}" for name, times in faults.items())
        yield f"  why judge and label differ, by decision: {decisions}"


def _decision_error_caution(alike: Statistic | None, error: Statistic | None) -> str:
    """Say whether decisions count as right; give their error rate if two people decided.

    Args:
        alike: Share of pairs of decisions on one item that are equal.
        error: Error rate of a decision, if it can be estimated.
    """
    if error is not None:
        return f"decisions are wrong at a rate of {error} by items that two decided, if both err alike and independently; {_WHAT_ALLOWS_FOR_ERRORS}"
    if alike is None or alike.value is None:
        return _DECISIONS_COUNT_AS_RIGHT
    # Two deciders who each err at rate e differ at rate 2e(1 - e), which is at most one half; solved for e.
    differing = min(0.5, 1.0 - alike.value)
    error_rate = (1.0 - math.sqrt(1.0 - 2.0 * differing)) / 2.0
    return f"decisions count as right: each of two that differ on {percent(differing)} errs on about {percent(error_rate)}, which no interval below contains"


def _adjudicators_text(by: Adjudicators) -> str:
    """Return the number of adjudicated items by person, and how far people agree."""
    names = ", ".join(f"{name} {items:,}" for name, items in {**by.people, **by.models}.items())
    items_by_person = f"{counted(by.items, 'item')} ({names})"
    if by.alike is None:
        return items_by_person
    alpha = "" if by.krippendorff_alpha is None else f", Krippendorff's alpha {by.krippendorff_alpha}"
    contested = f"; {by.contested:,} without a majority count as undecidable" if by.contested else ""
    return f"{items_by_person}; {by.twice:,} by two or more: alike {by.alike} pairs{alpha}{contested}"


def disagreements_clause(adjudicated: AdjudicatedJudge) -> str:
    """Return a clause that counts who is right where judge and label disagree.

    Example: ``of 36 disagreements the judge is right in 25, ...``.
    """
    disagreements = adjudicated.disagreements
    counts = [
        f"the judge is right in {disagreements.judge_right:,}",
        f"the label in {disagreements.judge_wrong:,}",  # with two classes, either the judge or the label is right
    ]
    counts += [f"{disagreements.undecidable:,} cannot be decided"] if disagreements.undecidable else []
    counts += [f"{disagreements.left:,} unexamined"] if disagreements.left else []
    return f"of {counted(disagreements.rows, 'disagreement')} {', '.join(counts)}"


def _adjudicated_judge_pieces(judge: str, adjudicated: AdjudicatedJudge) -> Iterator[Piece]:
    yield f"  {judge}: {disagreements_clause(adjudicated)}; {_agreements_clause(adjudicated.agreements)}"
    if not adjudicated.disagreements.rows + adjudicated.agreements.rows:
        return
    rows_of_rates = [
        (
            name,
            _cell(statistic),
            _cell(adjudicated.adjudicated[name]),
            range_text(adjudicated.lowest[name], adjudicated.highest[name]),
        )
        for name, statistic in adjudicated.as_labelled.items()
    ]
    yield DocumentTable(
        ("", "as labelled", "adjudicated", "undecidable against it, for it"), rows_of_rates, indent=4
    )
    yield from _corrected_pieces(adjudicated)
    yield "    errors of the labels themselves"
    rows_of_errors = [
        (name, _cell(errors.found), f"{errors.undecidable:,}", _cell(errors.corrected))
        for name, errors in adjudicated.label_errors.items()
    ]
    yield DocumentTable(
        ("", "found wrong, at least", "undecidable", "corrected"),
        rows_of_errors,
        left_aligned=FIRST,
        indent=4,
    )


def _corrected_pieces(adjudicated: AdjudicatedJudge) -> Iterator[Piece]:
    """Yield the corrected rates of a judge, or why there are none."""
    if any(statistic.value is not None for statistic in adjudicated.corrected.values()):
        yield f"    corrected {_CORRECTION_METHOD}"
        yield from statistic_pieces(adjudicated.corrected, head=False, indent=6)
        return
    # All rates share the reason.
    reason = next(iter(adjudicated.corrected.values())).undefined
    yield f"    not corrected for unexamined outputs: {reason}"
    if adjudicated.agreements.left == adjudicated.agreements.rows:
        yield CautionLine(_one_sided_caution(), indent=4)


def _agreements_clause(agreements: ReviewedRows) -> str:
    examined = agreements.rows - agreements.left
    if not examined:
        return f"none of {counted(agreements.rows, 'agreement')} was examined"
    wrong = f"both are wrong in {agreements.judge_wrong:,}"
    undecidable = f", {agreements.undecidable:,} cannot be decided" if agreements.undecidable else ""
    return f"of {counted(examined, 'examined agreement')} (of {agreements.rows:,}) {wrong}{undecidable}"


def _cell(statistic: Statistic) -> str:
    return "-" if statistic.value is None else str(statistic)


def range_text(lowest: Statistic, highest: Statistic) -> str:
    """Format a range of two rates: both values, the outer ends of their intervals, and n."""
    if lowest.value is None or highest.value is None:
        return "-"
    ends = (
        ""
        if lowest.low is None or highest.high is None
        else f" [{number(lowest.low)}, {number(highest.high)}]"
    )
    return f"{number(lowest.value)} to {number(highest.value)}{ends}, n {max(lowest.n, highest.n):,}"


def adjudicated_by(adjudication: Adjudication | None, judge: str) -> str:
    """Return a clause on who adjudicated a judge's labels, and its rates then.

    It is empty if none of the judge's disagreements was examined.
    """
    adjudicated = None if adjudication is None else adjudication.judges.get(judge)
    if (
        adjudication is None
        or adjudicated is None
        or adjudicated.disagreements.left == adjudicated.disagreements.rows
    ):
        return ""
    adjudicators = [
        *(["people"] if adjudication.by.people else []),
        *(["a model"] if adjudication.by.models else []),
    ]
    tpr, tnr = (adjudicated.adjudicated[name].value for name in _RATES)
    rates = f"(then TPR {number(tpr)}, TNR {number(tnr)})"
    return f"adjudicated by {' and '.join(adjudicators) or 'people'}: {disagreements_clause(adjudicated)} {rates}"


_RATES = ("true_positive_rate", "true_negative_rate")

_MIN_EXCESS_AGREEMENT, _MAX_PAIRS = 0.02, 3
"""Smallest agreement of two judges beyond the model's that is printed, and most such pairs."""

_BIASED_PARTS = ("reliability", "resolution", "remainder")
"""Parts of the Brier score with a small-sample bias; only their corrected forms are printed, and the JSON has both forms."""


def judges_alone_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield judges' rates by Dawid and Skene's model, next to those by labels.

    Nothing is shown if the model failed or has fewer items than it takes for an estimate.
    """
    model = calibration.dawid_skene
    if model.prevalence is None or model.n < FEW_CLUSTERS:
        return
    yield (
        f"Estimate without labels, assuming independent errors (Dawid and Skene, {model.n:,} items; a diagnostic):"
    )
    rows: list[tuple[str, ...]] = []
    for judge, rates in model.judges.items():
        calibration_of_judge = calibration.judges.get(judge)
        tpr, tnr = rates.true_positive_rate.value, rates.true_negative_rate.value
        labelled_rates = [_labelled_rate(calibration_of_judge, name) for name in _RATES]
        rows.append((judge, *map(number, (tpr, labelled_rates[0], tnr, labelled_rates[1]))))
    yield DocumentTable(("judge", "TPR", "by labels", "TNR", "by labels"), rows)
    share = _labelled_rate(calibration.baselines.get("always_pass"), "prevalence")
    by_label = "" if share is None else f", {number(share)} by labels"
    yield f"  pass rate: {number(model.prevalence.value)} by the model{by_label}"
    yield from _pair_lines(model.pairs)


def _labelled_rate(calibration_of_judge: JudgeCalibration | None, name: str) -> float | None:
    statistic = None if calibration_of_judge is None else calibration_of_judge.statistics.get(name)
    return None if statistic is None else statistic.value


def _pair_lines(pairs: Sequence[PairAgreement]) -> Iterator[Piece]:
    if not pairs:
        yield "  with three judges the model fits any agreement of pairs, so shared errors cannot be detected"
        return
    notable = [pair for pair in pairs if pair.residual >= _MIN_EXCESS_AGREEMENT]
    if not notable:
        yield "  no two judges agree notably more than the model expects; errors that all share cannot be detected"
        return
    yield "  but judges share errors, which the model takes for truth: these pairs agree more than it expects"
    for pair in sorted(notable, key=lambda pair: -pair.residual)[:_MAX_PAIRS]:
        yield f"    {pair.a} and {pair.b}: {number(pair.observed)}, expected {number(pair.expected)}, on {pair.n:,}"


def probability_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield statistics of scores read as probabilities; none for scores of only 0 and 1."""
    for judge, scores in calibration.probability.items():
        shown_statistics = {
            name: statistic for name, statistic in scores.statistics.items() if name not in _BIASED_PARTS
        }
        confidence = {f"confidence: {name}": statistic for name, statistic in scores.confidence.items()}
        yield (
            f"{judge}, scores read as probabilities ({scores.groups} {scores.grouping}; parts of the Brier score, confidence in its "
            "verdicts):"
        )
        yield from statistic_pieces(shown_statistics | scores.calibration | confidence)
        yield from reliability_plot(scores.bins)
        yield from coverage_lines(scores)


def system_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Compare system means by judge and by labels, a row per judge; nothing for one system."""
    rows: list[tuple[str, ...]] = []
    for judge, judge_agreement in calibration.systems.items():
        value, interval, _, method = statistic_cells(judge_agreement.largest_difference)
        differences = {
            name: abs(system.difference.value or 0.0) for name, system in judge_agreement.systems.items()
        }
        worst = max(differences, key=lambda name: differences[name])
        tau = number(judge_agreement.kendall_tau_b.value)
        rows.append((judge, f"{len(judge_agreement.systems):,}", tau, value, interval, worst, method))
    if rows:
        head = ("judge", "systems", "Kendall's tau-b", "largest difference", "interval", "of", "")
        yield "Means of systems, by judge and by labels (each system is in the JSON):"
        yield DocumentTable(head, rows, left_aligned=ENDS)
    for judge, judge_agreement in calibration.systems.items():
        yield Details(f"Each system, by labels and by {judge}", [_system_table(judge_agreement)])


def _system_table(agreement: SystemAgreement) -> DocumentTable:
    """Return a table of the systems, sorted by label mean, highest first."""
    best_first = sorted(agreement.systems.items(), key=lambda entry: -entry[1].label_mean)
    rows = [
        (name, number(system.label_mean), number(system.score_mean), *statistic_cells(system.difference))
        for name, system in best_first
    ]
    return DocumentTable(
        ("system", "by labels", "by the judge", "difference", "interval", "n", ""), rows, left_aligned=ENDS
    )


def recalibration_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield each judge's Brier score before and after recalibration, if it was requested.

    Recalibration maps scores to pass rates.
    """
    for judge, recalibration in calibration.recalibration.items():
        yield (
            f"{judge}, scores mapped to rates ({recalibration.method}, each tenth of the clusters by a map of the others; the map is in the "
            "JSON):"
        )
        scores = (recalibration.before, recalibration.after, recalibration.change)
        names = ("before", "after", "change")
        yield from statistic_pieces(
            {f"Brier score {name}": score for name, score in zip(names, scores, strict=True)}
        )


def recalibration_lines(calibration: Calibration) -> Iterator[str]:
    """Yield a line per judge: how recalibration changes its held-out Brier score."""
    for judge, recalibration in calibration.recalibration.items():
        change = recalibration.change
        if change.value is None:
            yield f"{judge}: scores cannot be mapped to rates: {change.undefined}"
        else:
            change_text = with_interval(change.value, change.low, change.high)
            yield f"{judge}: mapped by {recalibration.method}, the held-out Brier score changes by {change_text}, n {change.n:,} (lower is better)"


def people_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the agreement among people, if known; judges can hardly agree more."""
    if calibration.people is not None:
        yield f"Krippendorff's alpha of {len(calibration.people.names)} people among themselves:"
        yield from statistic_pieces(calibration.people.krippendorff_alpha, head=False)


def jury_lines(juries: Mapping[str, JuryVotes]) -> Iterator[str]:
    """Yield a sentence per jury: how many independent votes its jurors are worth."""
    for name, jury in juries.items():
        votes = jury.votes
        if votes.value is None:
            yield f"{name}: not known how many independent votes its {jury.jurors:,} are worth: {votes.undefined}."
            continue
        basis = (
            f"by their errors on {counted(votes.n, 'label')}"
            if jury.by == "labels"
            else f"by agreement on {counted(votes.n, 'output')}, where shared right answers look alike; labels tell more"
        )
        yield f"{name}: {jury.jurors:,} votes are worth {statistic(votes)} independent ones, {basis}."
