"""Text for agreement details: judge against judge, systems, scores as probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.agreement.calibration_results import CalibrationNumbers, JudgeCalibration
from ...calibration.agreement.diagnosis_results import PairAgreement, SystemAgreement
from ..document import Details, Piece
from ..document_table import ENDS, DocumentTable, statistic_pieces
from .number_text import number, statistic_cells

_NOTABLE, _SHOWN = 0.02, 3

_DESCRIPTIVE = ("reliability", "resolution", "remainder")
"""Parts of the Brier score of the rows at hand, which the JSON has: their corrected forms say what is true of the judge."""


def judges_alone_words(found: CalibrationNumbers) -> Iterator[Piece]:
    """Dawid and Skene's model beside the labels; nothing where there is no model."""
    model = found.dawid_skene
    if model.prevalence is None:
        return
    yield (
        f"Estimate without labels, assuming independent errors (Dawid and Skene, {model.n:,} items; a diagnostic):"
    )
    rows: list[tuple[str, ...]] = []
    for judge, rates in model.judges.items():
        values = (
            value
            for name in ("true_positive_rate", "true_negative_rate")
            for value in (getattr(rates, name).value, _by_labels(found.judges.get(judge), name))
        )
        rows.append((judge, *map(number, values)))
    yield DocumentTable(("judge", "TPR if so", "by labels", "TNR if so", "by labels"), rows)
    right = _by_labels(found.baselines.get("always_pass"), "prevalence")
    yield f"  share right: {number(model.prevalence.value)} if so, {number(right)} by labels"
    yield from _pairs(model.pairs)


def _by_labels(panel: JudgeCalibration | None, name: str) -> float | None:
    found = None if panel is None else panel.statistics.get(name)
    return None if found is None else found.value


def _pairs(pairs: Sequence[PairAgreement]) -> Iterator[Piece]:
    if not pairs:
        yield "  with three judges the model meets any agreement of pairs, so errors that they share cannot show"
        return
    worst = [pair for pair in pairs if pair.residual >= _NOTABLE]
    if not worst:
        yield "  no two judges agree notably more than that; errors that all of them share cannot show"
        return
    yield "  but judges share errors, which the model takes for the truth: these agree more than it expects"
    for pair in sorted(worst, key=lambda pair: -pair.residual)[:_SHOWN]:
        yield f"    {pair.a} and {pair.b}: {number(pair.observed)}, expected {number(pair.expected)}, on {pair.n:,}"


def probability_words(found: CalibrationNumbers) -> Iterator[Piece]:
    """Scores read as probabilities; nothing for judges that say 0 or 1 only."""
    for judge, each in found.probability.items():
        shown = {name: part for name, part in each.statistics.items() if name not in _DESCRIPTIVE}
        confidence = {f"confidence: {name}": part for name, part in each.confidence.items()}
        yield (
            f"{judge}, scores read as probabilities ({each.groups} {each.grouping}; parts of the Brier score, confidence in its "
            "verdicts):"
        )
        yield from statistic_pieces(shown | confidence)


def system_words(found: CalibrationNumbers) -> Iterator[Piece]:
    """Agreement on systems, a row a judge; nothing for a table of one system."""
    rows: list[tuple[str, ...]] = []
    for judge, each in found.systems.items():
        value, interval, _, method = statistic_cells(each.largest_difference)
        off = {name: abs(system.difference.value or 0.0) for name, system in each.systems.items()}
        worst = max(off, key=lambda name: off[name])
        tau = number(each.kendall_tau_b.value)
        rows.append((judge, f"{len(each.systems):,}", tau, value, interval, worst, method))
    if rows:
        head = ("judge", "systems", "Kendall's tau-b", "largest difference", "interval", "of", "")
        yield "Means of systems, by judge and by labels (each system is in the JSON):"
        yield DocumentTable(head, rows, words=ENDS)
    for judge, each in found.systems.items():
        yield Details(f"Each system, by labels and by {judge}", [_systems(each)])


def _systems(found: SystemAgreement) -> DocumentTable:
    """Return a table of the systems, sorted by label mean, highest first."""
    ordered = sorted(found.systems.items(), key=lambda each: -each[1].label_mean)
    rows = [
        (name, number(each.label_mean), number(each.score_mean), *statistic_cells(each.difference))
        for name, each in ordered
    ]
    return DocumentTable(
        ("system", "by labels", "by the judge", "difference", "interval", "on", ""), rows, words=ENDS
    )


def recalibration_words(found: CalibrationNumbers) -> Iterator[Piece]:
    """Yield the value of recalibrated scores; yield no pieces if it was not requested.

    Recalibration maps scores to rates.
    """
    for judge, each in found.recalibration.items():
        yield (
            f"{judge}, scores mapped to rates ({each.method}, each tenth of the clusters by a map of the others; the map is in the "
            "JSON):"
        )
        scores = (each.before, each.after, each.change)
        names = ("before", "after", "change")
        yield from statistic_pieces(
            {f"Brier score {name}": score for name, score in zip(names, scores, strict=True)}
        )
